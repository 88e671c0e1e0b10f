import type { Answer } from './answer-reader.ts';
import type { Failure } from './connection.ts';
import { OUTCOMES, type Outcome, type StreamReport } from './job.ts';
import { quantile } from './quantile.ts';

export type End = Answer | Failure | 'unsent' | 'unanswered';

/** Counts how the requests of one stream ended. */
export interface Tally {
  /** Notes the end of a request that was due `dueMs` after the start and took `tookMs` from then. */
  note(id: string, dueMs: number, tookMs: number, end: End): void;
  report(name: string): StreamReport;
}

interface Second {
  good: number;
  refused: number;
  readonly times: number[];
}

export function createTally(deadlineMs: number, isDetailed: boolean): Tally {
  const counts = Object.fromEntries(OUTCOMES.map((outcome) => [outcome, 0])) as Record<Outcome, number>;
  const codes: Record<string, number> = {};
  const details: Record<string, string> = {};
  const times: number[] = [];
  const refusals: number[] = [];
  const seconds: Second[] = [];

  const noteInSecond = (dueMs: number, tookMs: number, outcome: Outcome) => {
    const index = Math.floor(dueMs / 1_000);
    while (seconds.length <= index) seconds.push({ good: 0, refused: 0, times: [] });
    const second = seconds[index];
    if (second === undefined) return;
    if (outcome === 'refused') second.refused++;
    if (outcome !== 'good') return;
    second.good++;
    second.times.push(tookMs);
  };

  return {
    note(id, dueMs, tookMs, end) {
      const outcome = judge(end, tookMs <= deadlineMs);
      counts[outcome]++;
      if (outcome === 'good') times.push(tookMs);
      if (outcome === 'refused') refusals.push(tookMs);
      noteInSecond(dueMs, tookMs, outcome);
      const hasCode = outcome === 'errored' || outcome === 'refused';
      const how = hasCode ? codeOf(end) : outcome;
      if (hasCode) codes[how] = (codes[how] ?? 0) + 1;
      if (isDetailed) details[id] = how;
    },
    report: (name) => ({
      name,
      asked: Object.values(counts).reduce((sum, count) => sum + count, 0),
      counts,
      codes,
      p50Ms: quantile(times, 0.5),
      p99Ms: quantile(times, 0.99),
      refusalP99Ms: quantile(refusals, 0.99),
      seconds: seconds.map((second) => ({
        good: second.good,
        refused: second.refused,
        p99Ms: quantile(second.times, 0.99),
      })),
      details,
    }),
  };
}

function judge(end: End, isInTime: boolean): Outcome {
  if (typeof end === 'string') return end;
  if (end.status === 200 && !end.body.includes('"errors":[')) return isInTime ? 'good' : 'late';
  return (end.status === 503 || end.status === 429) && end.hasRetryAfter ? 'refused' : 'errored';
}

const codeOf = (end: End): string =>
  typeof end === 'string' ? end : (/"code":"(\w+)"/.exec(end.body)?.[1] ?? String(end.status));
