import { quantile } from '../load/quantile.ts';
import type { Contender } from './contender.ts';
import type { RequestTemplate } from './request.ts';
import type { Arguments, Workload } from './workloads.ts';

/** One contender at one workload. */
export interface Cell {
  readonly contender: Contender;
  readonly workload: Workload;
  readonly kind: Arguments;
  readonly template: RequestTemplate;
}

/** What one burst at a cell showed. */
export interface Sample {
  /** Processor time of the server for a thousand answers, in milliseconds. */
  readonly cpuMs: number;
  readonly rps: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly rssMb: number;
  /** Calls to the platform for each answer, and how many of them it answered by 304. */
  readonly calls: number;
  readonly unchanged: number;
  readonly failed: number;
  /** How busy the client was, as a share of a processor. */
  readonly clientBusy: number;
}

/** The medians of a cell's samples, and how far apart its processor times lay. */
export interface Summary extends Sample {
  readonly leastCpuMs: number;
  readonly mostCpuMs: number;
}

/** Gives the median of each figure on its own; of failures, all of them. */
export function summarize(samples: readonly Sample[]): Summary {
  const median = (pick: (sample: Sample) => number) => quantile(samples.map(pick), 0.5);
  const cpu = samples.map(({ cpuMs }) => cpuMs);
  return {
    cpuMs: median(({ cpuMs }) => cpuMs),
    rps: median(({ rps }) => rps),
    p50Ms: median(({ p50Ms }) => p50Ms),
    p99Ms: median(({ p99Ms }) => p99Ms),
    rssMb: median(({ rssMb }) => rssMb),
    calls: median(({ calls }) => calls),
    unchanged: median(({ unchanged }) => unchanged),
    clientBusy: median(({ clientBusy }) => clientBusy),
    failed: samples.reduce((sum, { failed }) => sum + failed, 0),
    leastCpuMs: Math.min(...cpu),
    mostCpuMs: Math.max(...cpu),
  };
}
