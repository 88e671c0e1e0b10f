import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { type CallBudget, createCallBudget, withinBudget } from '../../src/upstream/call-budget.ts';
import { createCallLedger } from '../../src/upstream/call-ledger.ts';
import { UpstreamError } from '../../src/upstream/errors.ts';
import type { Exchange } from '../../src/upstream/exchange.ts';
import { fakeClock } from './support/fake-clock.ts';
import { failureOf, READ, WRITE } from './support/open.ts';

const WHOLE = { status: 200, headers: {}, text: '{}' };

/** A budget of so many calls, and a platform that counts what reaches it. */
function budgeted(limit: number, answer: () => Promise<typeof WHOLE> = async () => WHOLE) {
  const clock = fakeClock();
  const sentAtMs: number[] = [];
  const send = () => {
    sentAtMs.push(clock.now());
    return answer();
  };
  const budget = createCallBudget(limit, createCallLedger(clock.now));
  const exchange = withinBudget(send, budget, ({ isWrite }: Exchange) => isWrite);
  const times = (count: number, asked: Exchange) =>
    Promise.allSettled(Array.from({ length: count }, () => exchange(asked)));
  return { clock, exchange, times, sentAtMs };
}

describe('the call budget', () => {
  it('refuses what is beyond it as rate-limited, with nothing sent and when to come again', async () => {
    const { exchange, times, sentAtMs } = budgeted(20);
    await times(20, WRITE);

    const error = await failureOf(exchange(WRITE));

    expect(error).toMatchObject({ failure: 'rate-limited', isUnsent: true, isFinal: true, retryAfterMs: 61_000 });
    expect(sentAtMs).toHaveLength(20);
  });

  it('keeps a tenth for changes', async () => {
    const { times, sentAtMs } = budgeted(20);

    await times(30, READ);
    const afterReads = sentAtMs.length;
    await times(30, WRITE);

    expect([afterReads, sentAtMs.length]).toEqual([18, 20]);
  });

  it.each([
    { limit: 1, reads: 1 },
    { limit: 2, reads: 1 },
    { limit: 10, reads: 9 },
    { limit: 11, reads: 9 },
  ])('leaves $reads of $limit to reads', async ({ limit, reads }) => {
    const { times, sentAtMs } = budgeted(limit);

    await times(30, READ);

    expect(sentAtMs).toHaveLength(reads);
  });

  it('has room again when it said that it would', async () => {
    const { clock, exchange, times } = budgeted(10);
    await clock.advance(400);
    await times(10, WRITE);
    const { retryAfterMs = 0 } = await failureOf(exchange(WRITE));

    await clock.advance(retryAfterMs - 1);
    await failureOf(exchange(WRITE));
    await clock.advance(1);

    expect(await exchange(WRITE)).toBe(WHOLE);
  });

  it('does not count what found no connection', async () => {
    const down = new UpstreamError('unavailable', { operation: 'getForm', isUnsent: true });
    const { times, sentAtMs } = budgeted(5, async () => Promise.reject(down));

    for (let time = 0; time < 20; time++) await times(1, WRITE);

    expect(sentAtMs).toHaveLength(20);
  });

  it('counts what was sent, whatever became of it', async () => {
    const lost = new UpstreamError('timeout', { operation: 'getForm' });
    const { times, sentAtMs } = budgeted(5, async () => Promise.reject(lost));

    await times(50, WRITE);

    expect(sentAtMs).toHaveLength(5);
  });

  it('is never exceeded within any 60 seconds, whenever calls come', async () => {
    const gaps = fc.array(fc.integer({ min: 0, max: 9_000 }), { minLength: 1, maxLength: 120 });
    await fc.assert(
      fc.asyncProperty(gaps, fc.integer({ min: 1, max: 8 }), async (gapsMs, limit) => {
        const { clock, times, sentAtMs } = budgeted(limit);
        for (const gapMs of gapsMs) {
          await clock.advance(gapMs);
          await times(2, WRITE);
        }

        const within = (fromMs: number) => sentAtMs.filter((atMs) => atMs >= fromMs && atMs < fromMs + 60_000).length;
        expect(Math.max(...sentAtMs.map(within))).toBeLessThanOrEqual(limit);
      }),
      { numRuns: 60 },
    );
  });

  it('waits for a budget that has to ask for leave', async () => {
    const slow: CallBudget = { take: async () => ({ retryAfterMs: 5.5 }) };

    const error = await failureOf(
      withinBudget(
        async () => WHOLE,
        slow,
        () => true,
      )(READ),
    );

    expect(error.retryAfterMs).toBe(6);
  });
});
