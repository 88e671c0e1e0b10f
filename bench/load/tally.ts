import { quantile } from '../benchmark.ts';
import type { RequestEnd } from './http-client.ts';
import type { StreamReport } from './index.ts';

const OUTCOMES = [
  'good',
  'late',
  'refused',
  'errored',
  'reset',
  'unreachable',
  'unsent',
  'unanswered',
] as const;

/**
 * The outcome of a request.
 * - `good`: in time and without errors.
 * - `late`: without errors, past the deadline.
 * - `refused`: 503 or 429 with Retry-After.
 * - `errored`: any other complete response.
 * - `reset`: the server closed the connection before its response.
 * - `unreachable`: the server did not accept the connection.
 * - `unsent`: no connection was free or open before the client gave up.
 * - `unanswered`: sent, but without a response before the client gave up.
 */
export type Outcome = (typeof OUTCOMES)[number];

/** The outcomes of one stream. */
export interface Tally {
  /** Adds a request that was due `dueMs` after the start and ended `tookMs` later. */
  add(id: string, dueMs: number, tookMs: number, end: RequestEnd): void;
  report(): Omit<StreamReport, 'connections'>;
}

export function createTally(deadlineMs: number, isDetailed: boolean): Tally {
  const counts = Object.fromEntries(OUTCOMES.map((outcome) => [outcome, 0])) as Record<
    Outcome,
    number
  >;
  const codes: Record<string, number> = {};
  const outcomes: Record<string, string> = {};
  const times: number[] = [];
  const refusalTimes: number[] = [];
  const goodBySecond: number[] = [];
  let requests = 0;
  let lastMs = 0;

  return {
    add(id, dueMs, tookMs, end) {
      const outcome = classify(end, tookMs <= deadlineMs);
      requests++;
      counts[outcome]++;
      lastMs = Math.max(lastMs, dueMs + tookMs);
      if (outcome === 'good') {
        times.push(tookMs);
        const second = Math.floor(dueMs / 1_000);
        goodBySecond[second] = (goodBySecond[second] ?? 0) + 1;
      }
      if (outcome === 'refused') refusalTimes.push(tookMs);
      const detail = hasCode(outcome) ? codeOf(end) : outcome;
      if (hasCode(outcome)) codes[detail] = (codes[detail] ?? 0) + 1;
      if (isDetailed) outcomes[id] = detail;
    },
    report: () => ({
      requests,
      counts,
      codes,
      p50Ms: quantile(times, 0.5),
      p99Ms: quantile(times, 0.99),
      refusalP99Ms: quantile(refusalTimes, 0.99),
      tookMs: lastMs,
      goodBySecond: Array.from(goodBySecond, (good) => good ?? 0),
      outcomes,
    }),
  };
}

function classify(end: RequestEnd, isInTime: boolean): Outcome {
  if (typeof end === 'string') return end;
  if (end.status === 200 && !end.body.includes('"errors":[')) return isInTime ? 'good' : 'late';
  return (end.status === 503 || end.status === 429) && end.hasRetryAfter ? 'refused' : 'errored';
}

const hasCode = (outcome: Outcome): boolean => outcome === 'errored' || outcome === 'refused';

const codeOf = (end: RequestEnd): string =>
  typeof end === 'string' ? end : (/"code":"(\w+)"/.exec(end.body)?.[1] ?? String(end.status));
