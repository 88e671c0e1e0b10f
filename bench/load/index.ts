import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

import { PAGE, type RequestTemplate } from './requests.ts';
import type { Outcome } from './tally.ts';

/** One kind of client in a load. */
export interface Stream {
  readonly request: RequestTemplate;
  /**
   * The arrival of requests.
   * - `open`: at random moments (Poisson), `rate` per second, independent of responses.
   * - `closed`: each of `clients` sends its next request after the response.
   */
  readonly arrivals:
    | { readonly kind: 'open'; readonly rate: number }
    | { readonly kind: 'closed'; readonly clients: number };
  /** Local addresses to send from. Each request uses a random one. Default: the system chooses. */
  readonly addresses?: readonly string[];
  /** The prefix of this stream's request ids, which keeps them unique. */
  readonly prefix: string;
}

/** One run of a load process. */
export interface LoadJob {
  readonly port: number;
  readonly durationMs: number;
  /** The number of requests after which a closed-loop stream may stop. */
  readonly minRequests: number;
  readonly streams: readonly Stream[];
  /** The number of the first request of each stream. */
  readonly from: number;
  /** Whether all requests of a stream have the same number. */
  readonly isEqual: boolean;
  /** A response after this time is late. */
  readonly deadlineMs: number;
  /** The extra time to wait for a response after its deadline. */
  readonly graceMs: number;
  /** The limit of connections of each stream. */
  readonly maxConnections: number;
  /**
   * The use of connections.
   * - `leaving`: opened on demand; a client that gives up closes its connection.
   * - `fixed`: opened before the first request and kept, as a balancer does; a late response keeps
   *   its connection.
   */
  readonly clients: 'leaving' | 'fixed';
  /** Whether the report has the outcome of every request. */
  readonly isDetailed: boolean;
}

/**
 * The measurements of one stream. Times are in milliseconds from the moment when a request was due.
 */
export interface StreamReport {
  readonly requests: number;
  readonly counts: Readonly<Record<Outcome, number>>;
  /**
   * Numbers of `errored` and `refused` requests, by error code, or by status if there was no code.
   */
  readonly codes: Readonly<Record<string, number>>;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly refusalP99Ms: number;
  /** The time until the last request ended. */
  readonly tookMs: number;
  /** Good responses, by the second in which the request was due. */
  readonly goodBySecond: readonly number[];
  /**
   * The number of opened connections, and how many of them the client closed before their response.
   */
  readonly connections: { readonly opened: number; readonly abandoned: number };
  /** `id → outcome` of each request, with an error's code. Empty unless detailed. */
  readonly outcomes: Readonly<Record<string, string>>;
}

export interface LoadReport {
  readonly streams: readonly StreamReport[];
  /** 99 % of the generator's event loop delays were shorter. They are part of every time above. */
  readonly lagP99Ms: number;
  /** The share of one core that the generator used. */
  readonly busy: number;
}

export type OneReport = StreamReport & Pick<LoadReport, 'lagP99Ms' | 'busy'>;

export type LoadOptions = Pick<LoadJob, 'port' | 'durationMs'> & Partial<LoadJob>;

const DEFAULTS = {
  minRequests: 0,
  isEqual: false,
  deadlineMs: 1_000,
  graceMs: 1_000,
  maxConnections: 2_048,
  clients: 'leaving',
  isDetailed: false,
};

/**
 * The request numbers available for each second of the clock, and the seconds after which they
 * repeat.
 */
const [NUMBERS_PER_SECOND, SECONDS] = [30_000, 3_000];

/**
 * Returns the first request number for a load that starts now. Earlier loads used other numbers.
 */
const freshNumber = (): number => (Math.floor(Date.now() / 1_000) % SECONDS) * NUMBERS_PER_SECOND;

/** A load generator in its own process, which stays warm from run to run. */
export interface LoadGenerator {
  run(options: LoadOptions & Pick<LoadJob, 'streams'>): Promise<LoadReport>;
  close(): void;
}

export function startLoadGenerator(): LoadGenerator {
  const child = fork(join(import.meta.dirname, 'process.ts'), { execArgv: [] });
  return {
    async run(options) {
      child.send({ ...DEFAULTS, from: freshNumber(), ...options });
      const [report] = await once(child, 'message');
      return report as LoadReport;
    },
    close: () => child.disconnect(),
  };
}

/** One flood: requests at a fixed rate, pipelined, sent without waiting for responses. */
export interface FloodJob {
  readonly port: number;
  readonly durationMs: number;
  readonly rate: number;
  readonly addresses: readonly string[];
  readonly from: number;
}

export interface FloodReport {
  readonly sent: number;
  readonly answered: number;
  /** The number of responses with status 200. */
  readonly admitted: number;
}

/** Floods a port from another process. It does far less work per request than a load. */
export async function runFlood(job: Omit<FloodJob, 'from'>): Promise<FloodReport> {
  const child = fork(join(import.meta.dirname, 'flood.ts'), { execArgv: [] });
  child.send({ ...job, from: freshNumber() + (NUMBERS_PER_SECOND * SECONDS) / 2 });
  const [report] = await once(child, 'message');
  child.disconnect();
  return report as FloodReport;
}

/** Runs a load of several streams. */
export async function runStreams(
  streams: readonly Stream[],
  options: LoadOptions,
): Promise<LoadReport> {
  const generator = startLoadGenerator();
  try {
    return await generator.run({ ...options, streams });
  } finally {
    generator.close();
  }
}

/** Runs a load of one stream. */
export async function runLoad(stream: Stream, options: LoadOptions): Promise<OneReport> {
  const { streams, lagP99Ms, busy } = await runStreams([stream], options);
  const [report] = streams;
  if (report === undefined) throw new Error('The load gave no report.');
  return { ...report, lagP99Ms, busy };
}

/** Creates a stream of requests at random moments, `rate` per second. */
export const openLoop = (rate: number, request = PAGE, prefix = 'open'): Stream => ({
  request,
  prefix,
  arrivals: { kind: 'open', rate },
});

/** Creates a stream of `clients` that each send their next request after the response. */
export const closedLoop = (clients: number, request = PAGE, prefix = 'closed'): Stream => ({
  request,
  prefix,
  arrivals: { kind: 'closed', clients },
});

/**
 * Measures the pages per second that a gateway serves to 64 clients after a warm-up. The best run
 * counts, because other programs on the machine only slow it down.
 */
export async function measureCapacity(port: number, isShort: boolean): Promise<number> {
  const durationMs = isShort ? 700 : 5_000;
  const rates: number[] = [];
  for (let run = 0; run < (isShort ? 2 : 4); run++) {
    const { counts } = await runLoad(closedLoop(64), { port, durationMs });
    rates.push((counts.good / durationMs) * 1_000);
  }
  return Math.max(...rates.slice(1));
}
