import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';

import { createIdempotencyStore } from '../../src/cache/idempotency.ts';
import { scopeKey } from '../../src/cache/scope.ts';
import { BudgetError } from '../../src/cache/stats.ts';
import { InputError, UpstreamError, type UpstreamFailure } from '../../src/upstream/errors.ts';

/** The outcomes of two callers, with a clock that the test sets. */
function openStore(maxBytes?: number) {
  const state = { nowMs: 1_000, effects: 0 };
  const store = createIdempotencyStore({ now: () => state.nowMs, ...(maxBytes !== undefined && { maxBytes }) });
  const askAs =
    (caller: string) =>
    (key: string, input: unknown = { a: 1 }, outcome?: unknown) =>
      store.forCaller(scopeKey(caller)).run({ operation: 'startCase', key, input }, async () => {
        state.effects++;
        if (outcome instanceof Error) throw outcome;
        return outcome ?? `effect ${state.effects}`;
      });
  return { store, state, ask: askAs('ann'), askAsBob: askAs('bob') };
}

const failing = (failure: UpstreamFailure, how: { isUnsent?: boolean; operation?: string } = {}) =>
  new UpstreamError(failure, { operation: 'startCase', ...how });

describe('a mutation with an idempotency key', () => {
  it('runs once and returns the first result to every repeat', async () => {
    const { ask, state } = openStore();

    const answers = [await ask('k'), await ask('k')];

    expect(answers).toEqual(['effect 1', 'effect 1']);
    expect(state.effects).toBe(1);
  });

  it('runs once when both requests arrive at the same time', async () => {
    const { ask, state } = openStore();

    expect(await Promise.all([ask('k'), ask('k')])).toEqual(['effect 1', 'effect 1']);
    expect(state.effects).toBe(1);
  });

  it('is the same whatever the order of its input members', async () => {
    const { ask } = openStore();

    expect([await ask('k', { a: 1, b: { c: 2, d: 3 } }), await ask('k', { b: { d: 3, c: 2 }, a: 1 })]).toEqual([
      'effect 1',
      'effect 1',
    ]);
  });

  it.each([{ a: 2 }, { a: [1] }, { a: 1, b: null }, {}])('is rejected with a different input: %j', async (input) => {
    const { ask, state } = openStore();
    await ask('k');

    await expect(ask('k', input)).rejects.toThrow(InputError);
    expect(state.effects).toBe(1);
  });

  it('is a different one under another key', async () => {
    const { ask } = openStore();

    expect([await ask('k'), await ask('l')]).toEqual(['effect 1', 'effect 2']);
  });

  it.each<UpstreamFailure>(['failed', 'forbidden', 'malformed', 'not-found', 'outcome-unknown', 'rejected', 'timeout'])(
    'does not run again when it was sent and its outcome is %s',
    async (failure) => {
      const { ask, state } = openStore();

      const errors = [await ask('k', 1, failing(failure)).catch(String), await ask('k', 1).catch(String)];

      expect(errors[1]).toBe(errors[0]);
      expect(state.effects).toBe(1);
    },
  );

  it.each([
    failing('unavailable', { isUnsent: true }),
    failing('timeout', { isUnsent: true }),
    failing('failed', { operation: 'getToken' }),
    failing('rate-limited'),
    failing('unauthenticated'),
    failing('signed-out'),
    failing('overloaded'),
    new InputError('not an id'),
    new BudgetError(3),
  ])('runs again when it certainly had no effect: %s', async (error) => {
    const { ask } = openStore();
    await ask('k', 1, error).catch(() => undefined);

    expect(await ask('k', 1)).toBe('effect 2');
  });

  it.each<[string, UpstreamFailure]>([
    ['has gone', 'cancelled'],
    ['is let in no more', 'signed-out'],
  ])('still runs for a waiting repeat when the first request %s', async (_what, failure) => {
    const { ask, state } = openStore();

    const [gone, waiting] = await Promise.allSettled([ask('k', 1, failing(failure)), ask('k', 1)]);

    expect(gone).toMatchObject({ status: 'rejected' });
    expect(waiting).toMatchObject({ status: 'fulfilled', value: 'effect 2' });
    expect(state.effects).toBe(2);
  });

  it('is a different one for another caller', async () => {
    const { ask, askAsBob } = openStore();

    expect([await ask('k'), await askAsBob('k')]).toEqual(['effect 1', 'effect 2']);
  });

  it('is remembered for ten minutes', async () => {
    const { ask, state } = openStore();
    await ask('k');
    state.nowMs += 600_000;
    const late = await ask('k');

    state.nowMs += 1;

    expect([late, await ask('k')]).toEqual(['effect 1', 'effect 2']);
  });

  it('is bounded in bytes across callers: the least recently used is evicted first', async () => {
    const { ask, askAsBob, store } = openStore(20_000);
    await ask('first');
    for (let index = 0; index < 100; index++) await askAsBob(String(index));

    expect(store.bytes()).toBeLessThanOrEqual(20_000);
    expect([await askAsBob('99'), await ask('first')]).toEqual(['effect 101', 'effect 102']);
  });

  it('does not run again when its result was too large to store, and then takes almost no memory', async () => {
    const { ask, store, state } = openStore();

    const first = await ask('k', 1, 'x'.repeat(1_000_000));

    expect(first).toHaveLength(1_000_000);
    await expect(ask('k', 1)).rejects.toThrow('was made before');
    expect([state.effects, store.bytes() < 3_000]).toEqual([1, true]);
  });

  it('retains nothing of the request in which it failed', async () => {
    setFlagsFromString('--expose-gc');
    const collectGarbage = runInNewContext('gc') as () => void;
    const { store } = openStore();
    const { run } = store.forCaller(scopeKey('ann'));
    const request = async () => {
      const body = { text: 'v'.repeat(1_000) };
      const change = async () => {
        await new Promise(setImmediate);
        throw Object.assign(failing('rejected'), { length: body.text.length });
      };
      await run({ operation: 'startCase', key: 'k', input: {} }, () => change()).catch(() => undefined);
      return new WeakRef(body);
    };

    const body = await request();
    await new Promise(setImmediate);
    collectGarbage();

    expect(body.deref()).toBeUndefined();
  });

  it.each(['', 'k'.repeat(257)])('is rejected with the key %j', async (key) => {
    await expect(openStore().ask(key)).rejects.toThrow('1 to 256');
  });
});
