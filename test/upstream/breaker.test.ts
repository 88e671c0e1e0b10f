import { describe, expect, it } from 'vitest';

import { INTERNAL_SETTINGS } from '../../src/config/internal-settings.ts';
import { createBreaker } from '../../src/upstream/breaker.ts';
import { UpstreamError, type UpstreamFailure } from '../../src/upstream/errors.ts';
import { fakeClock } from './support/fake-clock.ts';
import { failureOf, READ, WRITE } from './support/open.ts';

type Outcome = number | UpstreamFailure;

/** A breaker before a platform that answers as the test says; `hits` counts what reached it. */
function platform(openMs = 1_000) {
  const clock = fakeClock();
  const state = { outcome: 200 as Outcome, hits: 0, tookMs: 0 };
  const breaker = createBreaker(
    async ({ operation }) => {
      state.hits++;
      if (state.tookMs > 0) await clock.advance(state.tookMs);
      if (typeof state.outcome === 'string') throw new UpstreamError(state.outcome, { operation });
      return { status: state.outcome, headers: {}, text: '' };
    },
    { openMs, slowMs: 400, now: clock.now, random: () => 0.5 },
  );
  const ask = async (times: number, outcome: Outcome = state.outcome) => {
    state.outcome = outcome;
    for (let call = 0; call < times; call++) await breaker.exchange(READ).catch(() => undefined);
  };
  return { breaker, clock, state, ask };
}

describe('breaker', () => {
  it.each<Outcome>([500, 503, 'timeout', 'unavailable', 'outcome-unknown'])(
    'opens after 20 calls of %s',
    async (outcome) => {
      const { breaker, ask, state } = platform();

      await ask(19, outcome);
      const before = breaker.isOpen();
      await ask(100);

      expect([before, breaker.isOpen(), state.hits]).toEqual([false, true, 20]);
    },
  );

  it.each<Outcome>([200, 400, 401, 403, 404, 429, 'malformed', 'cancelled', 'overloaded', 'rate-limited'])(
    'stays closed however often a call ends by %s',
    async (outcome) => {
      const { ask, state } = platform();

      await ask(200, outcome);

      expect(state.hits).toBe(200);
    },
  );

  it('stays closed while fewer than half of the calls of ten seconds fail', async () => {
    const { ask, state } = platform();

    await ask(1, 200);
    for (let round = 0; round < 10; round++) {
      await ask(10, 200);
      await ask(10, 500);
    }

    expect(state.hits).toBe(201);
  });

  it('opens when 20 calls fail in a row, however many went well just before', async () => {
    const { breaker, ask, state } = platform();
    await ask(2_000, 200);

    await ask(19, 500);
    const before = breaker.isOpen();
    await ask(100);

    expect([before, breaker.isOpen(), state.hits]).toEqual([false, true, 2_020]);
  });

  it('stays closed while one of three calls fails', async () => {
    const { ask, state } = platform();

    for (let round = 0; round < 100; round++) {
      await ask(1, 500);
      await ask(2, 200);
    }

    expect(state.hits).toBe(300);
  });

  it('opens when nine of ten answers are late', async () => {
    const { breaker, ask, state } = platform();
    await ask(2, 200);

    state.tookMs = 400;
    await ask(17);
    const before = breaker.isOpen();
    await ask(10);

    expect([before, breaker.isOpen(), state.hits]).toEqual([false, true, 20]);
  });

  it.each([
    ['fewer answers than that are late', 400, 3],
    ['answers are slow but not late', 399, 0],
  ])('stays closed while %s', async (_what, tookMs, quick) => {
    const { ask, state } = platform();
    await ask(quick, 200);

    state.tookMs = tookMs;
    await ask(20);

    expect(state.hits).toBe(quick + 20);
  });

  it('forgets what is older than ten seconds', async () => {
    const { ask, breaker, clock } = platform();

    await ask(19, 500);
    await clock.advance(11_000);
    await ask(1, 500);

    expect(breaker.isOpen()).toBe(false);
  });

  it('refuses reads and writes alike while it is open: unavailable, with nothing sent', async () => {
    const { ask, breaker, state } = platform();
    await ask(20, 500);

    const errors = await Promise.all([READ, WRITE].map((call) => failureOf(breaker.exchange(call))));

    expect(errors).toMatchObject(Array(2).fill({ failure: 'unavailable', isUnsent: true, isFinal: true }));
    expect(state.hits).toBe(20);
  });

  it('lets one call try once its time is over, and opens again when that fails', async () => {
    const { ask, clock, state } = platform();
    await ask(20, 500);

    for (let window = 1; window <= 5; window++) {
      await clock.advance(1_000);
      await ask(50);
      expect(state.hits).toBe(20 + window);
    }
  });

  it('lets only one call try at a time', async () => {
    const { ask, breaker, clock, state } = platform();
    await ask(20, 500);
    await clock.advance(1_000);
    state.outcome = 200;

    const outcomes = await Promise.allSettled(Array.from({ length: 10 }, () => breaker.exchange(READ)));

    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(breaker.isOpen()).toBe(false);
  });

  it('lets another call try when the one that tried was given up by its caller', async () => {
    const { ask, breaker, clock } = platform();
    await ask(20, 500);
    await clock.advance(1_000);

    await ask(1, 'cancelled');
    const between = breaker.isOpen();
    await ask(1, 200);
    await ask(19, 500);

    expect([between, breaker.isOpen()]).toEqual([false, false]);
  });

  it('makes the most of a platform that is up for a second and down for a second', async () => {
    const { ask, clock, breaker } = platform(INTERNAL_SETTINGS.UPSTREAM_BREAKER_OPEN_MS.default);
    let answered = 0;

    for (let tick = 0; tick < 6_000; tick++) {
      const isUp = Math.floor(tick / 100) % 2 === 1;
      if (isUp && !breaker.isOpen()) answered++;
      await ask(1, isUp ? 200 : 500);
      await clock.advance(10);
    }

    expect(answered / 6_000).toBeGreaterThanOrEqual(0.45);
  });
});
