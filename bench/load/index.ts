import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

import type { LoadJob, LoadReport, Stream, StreamReport } from './job.ts';

const DEFAULTS = { askAtLeast: 0, deadlineMs: 1_000, patienceMs: 1_000, maxConnections: 2_048, isDetailed: false };

export type LoadOptions = Pick<LoadJob, 'port' | 'durationMs' | 'streams'> & Partial<LoadJob>;

/** How many numbers a load has for each of its seconds, and for how many seconds there are numbers. */
const [NUMBERS_PER_SECOND, SECONDS] = [30_000, 3_000];

/** Gives the first number for a load that begins now: it asks for nothing that another asked for before. */
const freshNumber = (): number => (Math.floor(Date.now() / 1_000) % SECONDS) * NUMBERS_PER_SECOND;

/** Runs a load in a process of its own. */
export async function runLoad(options: LoadOptions): Promise<LoadReport> {
  const child = fork(join(import.meta.dirname, 'process.ts'), { execArgv: [] });
  child.send({ ...DEFAULTS, from: freshNumber(), ...options });
  const [report] = await once(child, 'message');
  return report as LoadReport;
}

/** Runs a load of one stream, and gives what that saw. */
export async function runOne(stream: Stream, options: Omit<LoadOptions, 'streams'>): Promise<OneReport> {
  const { streams, lagP99Ms, busy } = await runLoad({ ...options, streams: [stream] });
  const [report] = streams;
  if (report === undefined) throw new Error('The load gave no report.');
  return { ...report, lagP99Ms, busy };
}

export type OneReport = StreamReport & Pick<LoadReport, 'lagP99Ms' | 'busy'>;
