import type { RequestTemplate } from '../request.ts';
import type { Arguments } from '../workloads.ts';

/** One burst of requests: each of some clients asks again as soon as it has its answer, on a connection of its own. */
export interface Burst {
  /** The clients divide themselves among these. */
  readonly ports: readonly number[];
  readonly template: RequestTemplate;
  readonly kind: Arguments;
  /** The first arguments of a burst that varies them; those of no other burst overlap. */
  readonly from: number;
  readonly clients: number;
  readonly durationMs: number;
}

/** How a burst went. Times in milliseconds. */
export interface BurstReport {
  readonly answered: number;
  /** Answers with another status than 200, with errors, or none at all. */
  readonly failed: number;
  readonly tookMs: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** The share of one processor that the client itself was busy. */
  readonly busy: number;
}
