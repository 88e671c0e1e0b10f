import { describe, expect, it } from 'vitest';

import { counted, timed } from '../../bench/benchmark.ts';
import { createTally } from '../../bench/load/tally.ts';
import { isPassed } from '../../bench/report.ts';
import { slopePerMinute } from '../../bench/scripts/slope.ts';

const answer = (status: number, body: string, hasRetryAfter = false) => ({
  status,
  body,
  hasRetryAfter,
  isLast: false,
});

describe('figures of benchmarks', () => {
  it('let a timed one miss its bound in a short run only, and a counted one never', () => {
    const late = [timed('p99', 4, 'ms', { atMost: 3 })];
    const lost = [counted('lost', 1, '', { atMost: 0 })];

    expect([isPassed(late, true), isPassed(late, false)]).toEqual([true, false]);
    expect([isPassed(lost, true), isPassed(lost, false)]).toEqual([false, false]);
  });

  it('count an answer as good only when it is in time and without errors', () => {
    const tally = createTally(1_000, true);
    tally.note('good', 0, 20, answer(200, '{"data":{}}'));
    tally.note('late', 0, 1_001, answer(200, '{"data":{}}'));
    tally.note('refused', 0, 1, answer(503, '{"errors":[{"extensions":{"code":"OVERLOADED"}}]}', true));
    tally.note('errored', 0, 1, answer(200, '{"errors":[{"extensions":{"code":"NOT_FOUND"}}]}'));
    tally.note('broken', 0, 1, answer(503, ''));
    tally.note('reset', 0, 1, 'reset');

    const { counts, details, asked, p99Ms } = tally.report('all');

    expect(counts).toMatchObject({ good: 1, late: 1, refused: 1, errored: 2, reset: 1 });
    expect(details).toMatchObject({ good: 'good', refused: 'OVERLOADED', errored: 'NOT_FOUND', broken: '503' });
    expect([asked, p99Ms]).toEqual([6, 20]);
  });

  it('find the slope of a line, in units a minute', () => {
    const points = [0, 1, 2, 3].map((second) => [second * 1_000, 100 + second] as const);

    expect(slopePerMinute(points)).toBeCloseTo(60);
  });
});
