import { describe, expect, it } from 'vitest';

import { UpstreamError, type UpstreamFailure } from '../../src/upstream/errors.ts';
import { noPause } from '../../src/upstream/limit-pause.ts';
import { createPatience, type Task } from '../../src/upstream/patience.ts';
import { createRetryBudget } from '../../src/upstream/retry-budget.ts';
import { fakeClock } from './support/fake-clock.ts';

const READ: Task = { operation: 'getForm', isRead: true };
const WRITE: Task = { operation: 'startCase', isRead: false };

type Failing = ConstructorParameters<typeof UpstreamError>[1];

/** Patience with a platform whose calls fail as the test says; `waits` holds how long second tries waited. */
function patient({ random = 0.5, isOpen = false } = {}) {
  const clock = fakeClock();
  const waits: number[] = [];
  const patience = createPatience({
    timeoutMs: 10_000,
    tryTimeoutMs: 5_000,
    budget: createRetryBudget(clock.now),
    breaker: { isOpen: () => isOpen && clock.now() > 0 },
    pause: noPause,
    now: clock.now,
    random: () => random,
    wait: async (ms) => {
      waits.push(ms);
      await clock.advance(ms);
    },
  });
  /** Tries a task whose tries all fail, each after `tookMs`; gives the deadlines that they were given. */
  const tries = async (task: Task, failure: UpstreamFailure, how: Partial<Failing> = {}, tookMs = 1) => {
    const rests: number[] = [];
    await patience
      .run(task, async (deadline) => {
        rests.push(deadline.restMs());
        await clock.advance(tookMs);
        throw new UpstreamError(failure, { operation: task.operation, ...how });
      })
      .catch(() => undefined);
    return rests;
  };
  return { patience, clock, waits, tries };
}

describe('patience', () => {
  it.each<UpstreamFailure>(['failed', 'malformed', 'timeout', 'unavailable'])(
    'tries a read twice that is %s',
    async (failure) => {
      const { tries } = patient();

      expect(await tries(READ, failure)).toHaveLength(2);
    },
  );

  it.each<UpstreamFailure>([
    'cancelled',
    'forbidden',
    'not-found',
    'overloaded',
    'rate-limited',
    'rejected',
    'unauthenticated',
  ])('tries a read once that is %s', async (failure) => {
    const { tries } = patient();

    expect(await tries(READ, failure)).toHaveLength(1);
  });

  it.each<UpstreamFailure>(['failed', 'malformed', 'timeout', 'unavailable', 'outcome-unknown'])(
    'tries a write once that was sent and is %s',
    async (failure) => {
      const { tries } = patient();

      expect(await tries(WRITE, failure)).toHaveLength(1);
    },
  );

  it('tries a write twice of which not a byte was sent', async () => {
    const { tries } = patient();

    expect(await tries(WRITE, 'unavailable', { isUnsent: true })).toHaveLength(2);
  });

  it('tries nothing twice that would fail in the same way', async () => {
    const { tries } = patient();

    expect(await tries(READ, 'malformed', { isFinal: true })).toHaveLength(1);
  });

  it('leaves a token’s failure to those who ask for tokens', async () => {
    const { tries } = patient();

    expect(await tries(READ, 'unavailable', { operation: 'getToken', isUnsent: true })).toHaveLength(1);
  });

  it.each([
    [0, 50],
    [0.5, 150],
    [1, 250],
  ])('waits by chance: with %d it waits %d ms', async (random, waitedMs) => {
    const { tries, waits } = patient({ random });

    await tries(READ, 'failed');

    expect(waits).toEqual([waitedMs]);
  });

  it('does not wait where a connection broke: it was closed while idle', async () => {
    const { tries, waits } = patient();

    expect(await tries(READ, 'unavailable')).toHaveLength(2);
    expect(waits).toEqual([]);
  });

  it('gives the first try of a read its own deadline, and the second the rest', async () => {
    const { tries } = patient();

    expect(await tries(READ, 'timeout', {}, 5_000)).toEqual([5_000, 4_850]);
  });

  it('gives a write all the time there is', async () => {
    const { tries } = patient();

    expect(await tries(WRITE, 'timeout')).toEqual([10_000]);
  });

  it('waits as long as it is told, where that is within the deadline', async () => {
    const { tries, waits } = patient();

    expect(await tries(READ, 'failed', { retryAfterMs: 2_000 })).toHaveLength(2);
    expect(waits).toEqual([2_000]);
  });

  it('fails at once where it is told to wait longer than there is time', async () => {
    const { tries, waits } = patient();

    expect(await tries(READ, 'failed', { retryAfterMs: 60_000 })).toHaveLength(1);
    expect(waits).toEqual([]);
  });

  it('does not try again when the rest is shorter than an answer usually takes', async () => {
    const { patience, clock, tries } = patient();
    for (let call = 0; call < 50; call++) await patience.run(READ, () => clock.advance(6_000));

    expect(await tries(READ, 'timeout', {}, 5_000)).toHaveLength(1);
  });

  it('does not try again while the breaker is open', async () => {
    const { tries } = patient({ isOpen: true });

    expect(await tries(READ, 'failed')).toHaveLength(1);
  });

  it('does not try again for a caller who has gone', async () => {
    const { tries } = patient();

    expect(await tries({ ...READ, signal: AbortSignal.abort() }, 'failed')).toHaveLength(1);
  });

  it('spends three second tries a second, and a tenth of the calls of ten seconds', async () => {
    const { clock, patience } = patient();
    let hits = 0;
    const fail = () =>
      patience
        .run(READ, async () => {
          hits++;
          throw new UpstreamError('unavailable', { operation: READ.operation });
        })
        .catch(() => undefined);

    for (let call = 0; call < 1_000; call++) await fail();
    const atOnce = hits;
    await clock.advance(1_100);
    for (let call = 0; call < 10; call++) await fail();

    expect(atOnce).toBe(1_100);
    expect(hits).toBe(1_100 + 10 + 3);
  });
});
