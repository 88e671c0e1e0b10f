import { isDeepStrictEqual } from 'node:util';

import { type Benchmark, counted, type Figure, median, timed } from '../benchmark.ts';
import { closedLoop, type LoadGenerator, startLoadGenerator } from '../load/index.ts';
import { createRequestWriter, type RequestTemplate } from '../load/requests.ts';
import type { Platform } from '../platform/index.ts';
import { processorTimeOf, usageOf } from '../process-usage.ts';
import { withTestBed } from '../test-bed.ts';
import { type HeapReport, measureHeaps } from './heap.ts';
import { countingEnvironment, countPromises, judgePromises, productionEnvironment } from './promises.ts';
import { formatSpeed } from './report.ts';
import { type Server, withServers } from './servers.ts';
import { WORKLOADS, type Workload } from './workloads.ts';

/** How long and how often is measured. */
export interface Schedule {
  readonly rounds: number;
  readonly clients: number;
  readonly warmUpMs: number;
  readonly burstMs: number;
}

/** One server at one workload. */
export interface Cell {
  readonly server: Server;
  readonly workload: Workload;
  readonly request: RequestTemplate;
}

/** What one burst of requests showed. */
export interface Sample {
  /** Processor time of the server for 1,000 responses, in milliseconds. */
  readonly cpuMs: number;
  readonly rps: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly rssMb: number;
  /** Calls to the platform for each response. */
  readonly calls: number;
  readonly failed: number;
  /** The share of one processor that the load generator took. */
  readonly clientBusy: number;
}

export type Samples = ReadonlyMap<Cell, readonly Sample[]>;

const LONG: Schedule = { rounds: 7, clients: 16, warmUpMs: 4_000, burstMs: 1_000 };
const SHORT: Schedule = { rounds: 3, clients: 16, warmUpMs: 2_000, burstMs: 500 };

/** The servers that all others are compared with: the usual one, and one that has the same duties as ours. */
export const BASELINES = ['apollo-fastify', 'mercurius-duties'] as const;

type Baseline = (typeof BASELINES)[number];

/** CPU time of ours as a multiple of a baseline's, at most. */
const TARGETS: readonly { workload: string; server: string; of: Baseline; atMost: number }[] = [
  { workload: 'W1', server: 'caseway', of: 'apollo-fastify', atMost: 0.52 },
  { workload: 'W1', server: 'caseway-generic', of: 'apollo-fastify', atMost: 0.68 },
  { workload: 'W1-equal', server: 'caseway', of: 'apollo-fastify', atMost: 0.06 },
  { workload: 'W2', server: 'caseway', of: 'apollo-fastify', atMost: 0.9 },
  { workload: 'W3', server: 'caseway', of: 'apollo-fastify', atMost: 0.78 },
  { workload: 'W4', server: 'caseway', of: 'apollo-fastify', atMost: 0.75 },
  { workload: 'W4', server: 'caseway-generic', of: 'apollo-fastify', atMost: 0.75 },
  { workload: 'W1', server: 'caseway', of: 'mercurius-duties', atMost: 1 },
  { workload: 'W2', server: 'caseway', of: 'mercurius-duties', atMost: 1.3 },
  { workload: 'W3', server: 'caseway', of: 'mercurius-duties', atMost: 1.4 },
  { workload: 'W4', server: 'caseway', of: 'mercurius-duties', atMost: 1 },
];
const MAX_RSS_MB = 270;

const ARGUMENTS_OF_A_COUNT = 1_000;
/** Arguments that each burst has for itself; no burst gives more responses than that. */
const ARGUMENTS_OF_A_BURST = 40_000;

/** Processor time beside other servers that answer the same. */
export const speed: Benchmark = {
  name: 'speed',
  about:
    'CPU time, promises and memory beside Apollo Server, Yoga, Mercurius, Tailcall, REST by hand and a minimal gateway',
  isSeparate: true,
  run: ({ isShort, workloads, servers }) =>
    withTestBed(async (bed) => {
      const chosen = WORKLOADS.filter(({ name }) => workloads.length === 0 || workloads.includes(name));
      if (chosen.length === 0) throw new Error(`Unknown workload: ${workloads.join(', ')}`);
      const schedule = isShort ? SHORT : LONG;
      bed.platform.behave({ delayMs: 0 });
      const promises = await withServers(
        bed,
        servers,
        (started) => countAll(cellsOf(started, chosen), bed.folder),
        await countingEnvironment(bed.folder),
      );
      const heaps = await withServers(
        bed,
        servers,
        (started) => measureHeaps(cellsOf(started, chosen), bed.folder, schedule),
        await countingEnvironment(bed.folder, 'heap'),
      );
      const measure = async (started: readonly Server[]) => {
        const cells = cellsOf(started, chosen);
        await checkAgreement(cells);
        const samples = await playRounds(cells, bed.platform, schedule);
        const failed = [...samples.values()].flat().reduce((sum, sample) => sum + sample.failed, 0);
        return {
          figures: [
            ...judge(samples),
            ...judgeMemory(heaps),
            ...promises.filter(({ isOurs }) => isOurs).map(({ workload, count }) => judgePromises(workload, count)),
            counted('responses that failed', failed, '', { atMost: 0 }),
          ],
          text: formatSpeed({ samples, schedule, promises, heaps }),
        };
      };
      return withServers(bed, servers, measure, await productionEnvironment());
    }),
};

/** How many promises a server makes for one response. */
export interface PromiseCount {
  readonly server: string;
  readonly workload: string;
  readonly count: number;
  /** Whether bounds hold for it. */
  readonly isOurs: boolean;
}

/** Counts the promises of all cells; only processes of Node have any. */
async function countAll(cells: readonly Cell[], folder: string): Promise<readonly PromiseCount[]> {
  const counts: PromiseCount[] = [];
  for (const [index, { server, workload, request }] of cells.entries()) {
    if (server.kind === 'tailcall') continue;
    const count = await countPromises({ ...server, folder }, request, index * ARGUMENTS_OF_A_COUNT);
    counts.push({ server: server.title, workload: workload.name, count, isOurs: server.name === 'caseway' });
  }
  return counts;
}

/** Each server at each workload; a process that would get equal requests under two names gets them once. */
function cellsOf(servers: readonly Server[], workloads: readonly Workload[]): Cell[] {
  return workloads.flatMap((workload) => {
    const cells = servers.map((server) => ({ server, workload, request: workload.requests[server.kind] }));
    return cells.filter(
      ({ server, request }, at) =>
        !cells.slice(0, at).some((other) => other.server.port === server.port && other.request === request),
    );
  });
}

/**
 * Compares the data of all servers for the same request. A number may be a string of digits: Tailcall passes on what the platform wrote,
 * and the typed graph gives integers of 64 bits as strings.
 *
 * @throws {Error} naming a server that answers something else: then no measurement would mean anything.
 */
async function checkAgreement(cells: readonly Cell[]): Promise<void> {
  const first = new Map<Workload, unknown>();
  for (const { server, workload, request } of cells) {
    const body = withoutForm(await answerOf(server.port, request));
    const { data } = JSON.parse(body, (_key, value) => (typeof value === 'number' ? String(value) : value));
    if (!first.has(workload)) first.set(workload, data);
    if (data === undefined || !isDeepStrictEqual(data, first.get(workload))) {
      throw new Error(`${server.title} answers ${workload.name} otherwise than the first: ${body.slice(0, 300)}`);
    }
  }
}

/** The typed graph is queried for another form than the others, with the same instances. */
const withoutForm = (body: string): string => body.replaceAll('"Form thing-7"', '"Form thing"');

async function answerOf(port: number, request: RequestTemplate): Promise<string> {
  const { text } = createRequestWriter(request, 'agreement', 7)();
  const [head = '', body = ''] = text.split('\r\n\r\n');
  const path = head.split(' ')[1] ?? '/';
  const { method, headers } = request;
  const response = await fetch(`http://127.0.0.1:${port}${path}`, { method, headers, ...(body !== '' && { body }) });
  const answer = await response.text();
  if (response.status !== 200) throw new Error(`${path} was answered by ${response.status} ${answer}`);
  return answer;
}

/**
 * Measures all cells, round by round, so that whatever else the machine does meets all of them alike. Each round begins with
 * another cell.
 */
async function playRounds(cells: readonly Cell[], platform: Platform, schedule: Schedule): Promise<Samples> {
  const generator = startLoadGenerator();
  const samples = new Map<Cell, Sample[]>(cells.map((cell) => [cell, []]));
  let bursts = 0;
  const play = (cell: Cell, durationMs: number) =>
    measureBurst(cell, { generator, platform, durationMs, clients: schedule.clients, burst: bursts++ });
  try {
    for (const cell of cells) await play(cell, schedule.warmUpMs);
    for (let round = 0; round < schedule.rounds; round++) {
      const start = Math.floor((round * cells.length) / schedule.rounds);
      for (const cell of [...cells.slice(start), ...cells.slice(0, start)]) {
        samples.get(cell)?.push(await play(cell, schedule.burstMs));
      }
    }
  } finally {
    generator.close();
  }
  return samples;
}

interface Burst {
  readonly generator: LoadGenerator;
  readonly platform: Platform;
  readonly durationMs: number;
  readonly clients: number;
  readonly burst: number;
}

async function measureBurst({ server, workload, request }: Cell, burst: Burst): Promise<Sample> {
  const { port, pid } = server;
  const { generator, platform, durationMs, clients } = burst;
  await platform.count();
  const beforeMs = processorTimeOf(pid);
  const { streams, busy } = await generator.run({
    port,
    durationMs,
    streams: [closedLoop(clients, request)],
    from: burst.burst * ARGUMENTS_OF_A_BURST,
    isEqual: workload.isEqual,
    deadlineMs: 10_000,
  });
  const cpuMs = processorTimeOf(pid) - beforeMs;
  const { calls } = await platform.count();
  const [report] = streams;
  if (report === undefined) throw new Error('The load gave no report.');
  const { counts, requests, tookMs, p50Ms, p99Ms } = report;
  return {
    cpuMs: (cpuMs / counts.good) * 1_000,
    rps: (counts.good / tookMs) * 1_000,
    p50Ms,
    p99Ms,
    rssMb: usageOf(pid).rssMb,
    calls: calls / counts.good,
    failed: requests - counts.good,
    clientBusy: busy,
  };
}

/** The median, over the rounds, of a cell's CPU time as a multiple of a baseline's; `undefined` without that baseline. */
export function ratioOf(samples: Samples, workload: string, server: string, baseline: Baseline): number | undefined {
  const of = (name: string) =>
    [...samples].find(([cell]) => cell.workload.name === workload && cell.server.name === name)?.[1];
  const [ours, theirs] = [of(server), of(baseline)];
  if (ours === undefined || theirs === undefined) return undefined;
  return median(ours.map(({ cpuMs }, round) => cpuMs / (theirs[round]?.cpuMs ?? Number.NaN)));
}

/** Each target with what was measured; those whose servers or workloads took no part are left out. */
export function judge(samples: Samples): Figure[] {
  return TARGETS.flatMap(({ workload, server, of, atMost }) => {
    const ratio = ratioOf(samples, workload, server, of);
    return ratio === undefined ? [] : [timed(`${workload}: ${server} / ${of}`, ratio, '×', { atMost })];
  });
}

const judgeMemory = ({ memory }: HeapReport): Figure[] =>
  memory
    .filter(({ isOurs }) => isOurs)
    .map(({ rssMb }) => timed('RSS after all workloads', rssMb, 'MB', { atMost: MAX_RSS_MB }));
