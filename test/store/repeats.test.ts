import { describe, expect, it } from 'vitest';

import { BudgetError } from '../../src/store/meter.ts';
import { createRepeats } from '../../src/store/repeats.ts';
import { InputError, UpstreamError, type UpstreamFailure } from '../../src/upstream/errors.ts';

/** A memory of two changes, with a clock that the test sets. */
function remembering() {
  const state = { nowMs: 0, effects: 0 };
  const repeats = createRepeats({ now: () => state.nowMs, max: 2 });
  const ask = (key: string, input: unknown = { a: 1 }, outcome?: Error) =>
    repeats.once({ operation: 'startCase', key, input }, async () => {
      state.effects++;
      if (outcome) throw outcome;
      return `effect ${state.effects}`;
    });
  return { repeats, state, ask };
}

const failing = (failure: UpstreamFailure, how: { isUnsent?: boolean; operation?: string } = {}) =>
  new UpstreamError(failure, { operation: 'startCase', ...how });

describe('a change with a key', () => {
  it('happens once, and gives the first answer to whoever asks again', async () => {
    const { ask, state } = remembering();

    const answers = [await ask('k'), await ask('k')];

    expect(answers).toEqual(['effect 1', 'effect 1']);
    expect(state.effects).toBe(1);
  });

  it('happens once when both ask at the same time', async () => {
    const { ask, state } = remembering();

    expect(await Promise.all([ask('k'), ask('k')])).toEqual(['effect 1', 'effect 1']);
    expect(state.effects).toBe(1);
  });

  it('is the same change however its members are ordered', async () => {
    const { ask } = remembering();

    expect([await ask('k', { a: 1, b: { c: 2, d: 3 } }), await ask('k', { b: { d: 3, c: 2 }, a: 1 })]).toEqual([
      'effect 1',
      'effect 1',
    ]);
  });

  it.each([{ a: 2 }, { a: [1] }, { a: 1, b: null }, {}])(
    'is refused with the input %j, which is another',
    async (input) => {
      const { ask, state } = remembering();
      await ask('k');

      await expect(ask('k', input)).rejects.toThrow(InputError);
      expect(state.effects).toBe(1);
    },
  );

  it('is another change under another key', async () => {
    const { ask } = remembering();

    expect([await ask('k'), await ask('l')]).toEqual(['effect 1', 'effect 2']);
  });

  it.each<UpstreamFailure>(['failed', 'forbidden', 'malformed', 'not-found', 'outcome-unknown', 'rejected', 'timeout'])(
    'is not tried again where it was sent and is %s',
    async (failure) => {
      const { ask, state } = remembering();

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
  ])('is tried again where it has certainly not happened: %s', async (error) => {
    const { ask } = remembering();
    await ask('k', 1, error).catch(() => undefined);

    expect(await ask('k', 1)).toBe('effect 2');
  });

  it.each<[string, UpstreamFailure]>([
    ['has gone', 'cancelled'],
    ['is let in no more', 'signed-out'],
  ])('is done for who still waits when the one who asked first %s', async (_what, failure) => {
    const { ask, state } = remembering();

    const [gone, waiting] = await Promise.allSettled([ask('k', 1, failing(failure)), ask('k', 1)]);

    expect(gone).toMatchObject({ status: 'rejected' });
    expect(waiting).toMatchObject({ status: 'fulfilled', value: 'effect 2' });
    expect(state.effects).toBe(2);
  });

  it('is remembered for ten minutes', async () => {
    const { ask, state } = remembering();
    await ask('k');
    state.nowMs = 599_999;
    const late = await ask('k');

    state.nowMs = 600_000;

    expect([late, await ask('k')]).toEqual(['effect 1', 'effect 2']);
  });

  it('is the first to be forgotten when there are too many', async () => {
    const { ask } = remembering();
    for (const key of ['a', 'b', 'c']) await ask(key);

    expect([await ask('c'), await ask('b'), await ask('a')]).toEqual(['effect 3', 'effect 2', 'effect 4']);
  });

  it.each(['', 'k'.repeat(257)])('is refused under the key %j', async (key) => {
    await expect(remembering().ask(key)).rejects.toThrow('1 to 256');
  });
});
