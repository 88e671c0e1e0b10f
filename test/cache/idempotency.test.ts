import { describe, expect, it } from 'vitest';

import { createIdempotencyStore } from '../../src/cache/idempotency.ts';
import { scopeKey } from '../../src/cache/scope-key.ts';
import { InputError, UpstreamError, type UpstreamFailure } from '../../src/core/errors.ts';
import { CallLimitError } from '../../src/core/request-state.ts';
import { collectGarbage } from '../support/collect-garbage.ts';

/** The outcomes of callers, with a clock that the test sets. */
function openStore(maxBytes = 1_000_000) {
  const state = { nowMs: 1_000, effects: 0 };
  const store = createIdempotencyStore({ now: () => state.nowMs, maxBytes });
  const runAs =
    (caller: string) =>
    (key: string, input: unknown = { a: 1 }, outcome?: unknown) =>
      store.forCaller(scopeKey(caller)).run({ operation: 'startCase', key, input }, async () => {
        state.effects++;
        if (outcome instanceof Error) throw outcome;
        return outcome ?? `effect ${state.effects}`;
      });
  return { store, state, runAs, run: runAs('ann'), runAsBob: runAs('bob') };
}

const failing = (failure: UpstreamFailure, details: object = {}) =>
  new UpstreamError(failure, { operation: 'startCase', ...details });

describe('a mutation with an idempotency key', () => {
  it('is the same whatever the order of its input members', async () => {
    const { run } = openStore();

    expect(await run('k', { a: 1, b: { c: 2, d: 3 } })).toBe('effect 1');
    expect(await run('k', { b: { d: 3, c: 2 }, a: 1 })).toBe('effect 1');
  });

  it.each([{ a: 2 }, { a: [1] }, { a: 1, b: null }, {}])(
    'is rejected with a different input: %j',
    async (input) => {
      const { run, state } = openStore();
      await run('k');

      await expect(run('k', input)).rejects.toThrow(InputError);
      expect(state.effects).toBe(1);
    },
  );

  it.each<UpstreamFailure>(['failed', 'malformed', 'outcome-unknown', 'timeout'])(
    'does not run again when it was sent and its outcome is %s',
    async (failure) => {
      const { run, state } = openStore();

      const first = await run('k', 1, failing(failure)).catch(String);
      const second = await run('k', 1).catch(String);

      expect(second).toBe(first);
      expect(state.effects).toBe(1);
    },
  );

  it.each([
    failing('unavailable', { isUnsent: true }),
    failing('timeout', { isUnsent: true }),
    failing('failed', { operation: 'getToken' }),
    ...(['forbidden', 'not-found', 'rejected', 'rate-limited'] as const).map((one) => failing(one)),
    ...(['overloaded', 'unauthenticated', 'signed-out'] as const).map((one) => failing(one)),
    new InputError('not an id'),
    new CallLimitError(3),
  ])('runs again when it certainly had no effect: %s', async (error) => {
    const { run } = openStore();
    await run('k', 1, error).catch(() => undefined);

    expect(await run('k', 1)).toBe('effect 2');
  });

  it.each<[string, UpstreamFailure]>([
    ['has gone', 'cancelled'],
    ['is let in no more', 'signed-out'],
  ])('still runs for a waiting repeat when the first request %s', async (_what, failure) => {
    const { run, state } = openStore();

    const [gone, waiting] = await Promise.allSettled([run('k', 1, failing(failure)), run('k', 1)]);

    expect(gone).toMatchObject({ status: 'rejected' });
    expect(waiting).toMatchObject({ status: 'fulfilled', value: 'effect 2' });
    expect(state.effects).toBe(2);
  });

  it('is remembered for ten minutes', async () => {
    const { run, state } = openStore();
    await run('k');
    state.nowMs += 600_000;
    const late = await run('k');

    state.nowMs += 1;

    expect([late, await run('k')]).toEqual(['effect 1', 'effect 2']);
  });

  it('is bounded in bytes across callers: each has half, and loses only their own oldest', async () => {
    const { run, runAsBob, store } = openStore(20_000);
    await run('first');
    for (let index = 0; index < 100; index++) await runAsBob(String(index));

    expect(store.bytes()).toBeGreaterThan(9_000);
    expect(store.bytes()).toBeLessThanOrEqual(10_000 + 2_000);
    const again = [await runAsBob('99'), await run('first'), await runAsBob('0')];
    expect(again).toEqual(['effect 101', 'effect 1', 'effect 102']);
  });

  it('leaves room again once it is forgotten', async () => {
    const { run, runAsBob, runAs, state } = openStore(20_000);
    for (let index = 0; index < 5; index++) await run(String(index));
    state.nowMs += 600_001;

    for (let index = 0; index < 5; index++) await runAsBob(String(index));
    for (let index = 0; index < 5; index++) await runAs('eve')(String(index));

    expect(await runAsBob('0')).toBe('effect 6');
  });

  it('retains nothing of the request in which it failed', async () => {
    const { store } = openStore();
    const { run } = store.forCaller(scopeKey('ann'));
    const request = async () => {
      const body = { text: 'v'.repeat(1_000) };
      const change = async () => {
        await new Promise(setImmediate);
        throw Object.assign(failing('rejected'), { length: body.text.length });
      };
      await run({ operation: 'startCase', key: 'k', input: {} }, () => change()).catch(
        () => undefined,
      );
      return new WeakRef(body);
    };

    const body = await request();
    await new Promise(setImmediate);
    collectGarbage();

    expect(body.deref()).toBeUndefined();
  });

  it.each(['', 'k'.repeat(257)])('is rejected with the key %j', async (key) => {
    await expect(openStore().run(key)).rejects.toThrow('1 to 256');
  });
});
