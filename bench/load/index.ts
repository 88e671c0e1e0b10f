import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

import { PAGE, type RequestTemplate } from './requests.ts';
import type { Outcome } from './tally.ts';

/** One kind of client within a load. */
export interface Stream {
  readonly request: RequestTemplate;
  /**
   * `open`: requests arrive at random (Poisson), `rate` a second, however the gateway fares. `closed`: each of `clients` sends
   * its next request as soon as it has the response.
   */
  readonly arrivals:
    | { readonly kind: 'open'; readonly rate: number }
    | { readonly kind: 'closed'; readonly clients: number };
  /** The clients' addresses, of this machine, one at random for each request; the system's choice where they are missing. */
  readonly addresses?: readonly string[];
  /** Sets apart the ids of this stream's requests from those of all others. */
  readonly prefix: string;
}

/** What a load process does, once. */
export interface LoadJob {
  readonly port: number;
  readonly durationMs: number;
  /** Closed-loop streams continue until they have sent this many. */
  readonly minRequests: number;
  readonly streams: readonly Stream[];
  /** The number of the first request of each stream. */
  readonly from: number;
  /** Whether all requests of a stream have the same number. */
  readonly isEqual: boolean;
  /** A response that comes later is late. */
  readonly deadlineMs: number;
  /** How long after its deadline a response is waited for. */
  readonly graceMs: number;
  /** For each stream. */
  readonly maxConnections: number;
  /**
   * `leaving`: connections are made as they are needed, and a client that gives up ends its own. `fixed`: all are made before
   * the first request and kept, as a balancer does; what is late keeps its connection until it comes.
   */
  readonly clients: 'leaving' | 'fixed';
  /** Whether the report has the outcome of each single request. */
  readonly isDetailed: boolean;
}

/** What one stream measured. Times in milliseconds, from the moment at which the request was due. */
export interface StreamReport {
  readonly requests: number;
  readonly counts: Readonly<Record<Outcome, number>>;
  /** Error codes, or statuses where there was none, of `errored` and `refused` requests. */
  readonly codes: Readonly<Record<string, number>>;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly refusalP99Ms: number;
  /** Until the last request ended. */
  readonly tookMs: number;
  /** Good responses, by the second in which the request was due. */
  readonly goodBySecond: readonly number[];
  /** How many were made, and how many of these the client ended before their response. */
  readonly connections: { readonly opened: number; readonly abandoned: number };
  /** `id → outcome` of each request, with the code of an error; empty unless detailed. */
  readonly outcomes: Readonly<Record<string, string>>;
}

export interface LoadReport {
  readonly streams: readonly StreamReport[];
  /** 99 % of the generator's event loop delays were shorter: its own share of every time above. */
  readonly lagP99Ms: number;
  /** The share of one processor that the generator took. */
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

/** How many numbers a load has for each of its seconds, and for how many seconds there are numbers. */
const [NUMBERS_PER_SECOND, SECONDS] = [30_000, 3_000];

/** The first number for a load that begins now: no load before it used the same. */
const freshNumber = (): number => (Math.floor(Date.now() / 1_000) % SECONDS) * NUMBERS_PER_SECOND;

/** A load generator in a process of its own, which stays warm from run to run. */
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

/** What a flood does: requests at a fixed rate, pipelined, whether they are answered or not. */
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
  /** Of these by 200. */
  readonly admitted: number;
}

/** Floods a port from a process of its own, for far less work a request than a load. */
export async function runFlood(job: Omit<FloodJob, 'from'>): Promise<FloodReport> {
  const child = fork(join(import.meta.dirname, 'flood.ts'), { execArgv: [] });
  child.send({ ...job, from: freshNumber() + (NUMBERS_PER_SECOND * SECONDS) / 2 });
  const [report] = await once(child, 'message');
  child.disconnect();
  return report as FloodReport;
}

/** Runs a load of several streams. */
export async function runStreams(streams: readonly Stream[], options: LoadOptions): Promise<LoadReport> {
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

/** Requests at random moments, `rate` a second. */
export const openLoop = (rate: number, request = PAGE, prefix = 'open'): Stream => ({
  request,
  prefix,
  arrivals: { kind: 'open', rate },
});

/** Requests of `clients` that send the next one as soon as they have a response. */
export const closedLoop = (clients: number, request = PAGE, prefix = 'closed'): Stream => ({
  request,
  prefix,
  arrivals: { kind: 'closed', clients },
});

/**
 * Pages a second that a gateway answers to 64 clients, after it has warmed up. The best of some runs counts: whatever else runs
 * on the machine only ever takes away.
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
