import type { OperationName } from './operations.ts';

/** One kind of client within a load: what it asks, how often, and as whom. */
export interface Stream {
  readonly name: string;
  readonly operation: OperationName;
  /**
   * `open`: arrivals come by chance (Poisson), `rate` a second, however the gateway fares. `closed`: each of `clients`
   * asks again as soon as it has its answer.
   */
  readonly arrivals:
    | { readonly kind: 'open'; readonly rate: number }
    | { readonly kind: 'closed'; readonly clients: number };
  readonly headers: Readonly<Record<string, string>>;
  /** Sets apart the ids that this stream sends from those of all others. */
  readonly prefix: string;
}

/** What a load process does, once. */
export interface LoadJob {
  readonly port: number;
  readonly durationMs: number;
  /** Closed streams go on until they have asked so much, however long that takes. */
  readonly askAtLeast: number;
  readonly streams: readonly Stream[];
  /** The number of the first request of each stream. What two requests of different numbers ask for is not the same. */
  readonly from: number;
  /** An answer that comes later is late. */
  readonly deadlineMs: number;
  /** How long after its deadline an answer is waited for. */
  readonly patienceMs: number;
  /** For each stream. */
  readonly maxConnections: number;
  /** Whether the report says how each single request ended. */
  readonly isDetailed: boolean;
}

/**
 * How a request ended. `good`: in time and without errors. `late`: without errors, past the deadline. `refused`: 503 or
 * 429 with Retry-After. `errored`: any other whole answer. `reset`: the connection ended before the answer did.
 * `unreachable`: no connection. `unsent`: no connection was free before the deadline. `unanswered`: nothing came.
 */
export type Outcome = 'good' | 'late' | 'refused' | 'errored' | 'reset' | 'unreachable' | 'unsent' | 'unanswered';

export const OUTCOMES: readonly Outcome[] = [
  'good',
  'late',
  'refused',
  'errored',
  'reset',
  'unreachable',
  'unsent',
  'unanswered',
];

/** What one stream saw. Times in milliseconds, from the moment at which the request was due. */
export interface StreamReport {
  readonly name: string;
  readonly asked: number;
  readonly counts: Readonly<Record<Outcome, number>>;
  /** Error codes, or statuses where there was none, of the `errored` and the `refused`. */
  readonly codes: Readonly<Record<string, number>>;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly refusalP99Ms: number;
  /** By the second in which the request was due. */
  readonly seconds: readonly { readonly good: number; readonly refused: number; readonly p99Ms: number }[];
  /** `id → outcome` of each request, with the code of an error; only in a detailed report. */
  readonly details: Readonly<Record<string, string>>;
}

export interface LoadReport {
  readonly streams: readonly StreamReport[];
  /** How late the generator itself was at worst but for 1 %, in milliseconds: its own share of every time above. */
  readonly lagP99Ms: number;
  /** The share of one processor that the generator itself was busy. */
  readonly busy: number;
}
