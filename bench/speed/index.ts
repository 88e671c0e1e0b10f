import { type Benchmark, counted, type Figure, median, timed } from '../benchmark.ts';
import { closedLoop, type LoadGenerator, startLoadGenerator } from '../load/index.ts';
import { machineTimeMs, processorTimeOf, treeTimeMs, usageOf } from '../process-usage.ts';
import { type TestBed, withTestBed } from '../test-bed.ts';
import { type Agreement, createAgreement } from './agreement.ts';
import { type CallCounts, countCalls } from './calls.ts';
import { formatSample, formatSpeed } from './report.ts';
import {
  chooseServers,
  installPeers,
  type RunningServer,
  type Server,
  startServer,
} from './servers.ts';
import { type Warmed, type WarmUp, warm } from './warm-up.ts';
import { chooseWorkloads, type Workload } from './workloads.ts';

/** The length and the repetitions of a measurement. */
export interface Schedule {
  /** The number of processes of each server. */
  readonly processes: number;
  readonly warmUp: WarmUp;
  readonly rounds: number;
  /** The length of one burst of one workload. */
  readonly burstMs: number;
}

/** The measurements of one process of a server. */
export interface Sample {
  readonly server: Pick<Server, 'name' | 'title'>;
  /** The CPU time for 1,000 responses in the cheapest round, in milliseconds, by workload. */
  readonly cpuMs: Readonly<Record<string, number>>;
  /** The calls to the platform for one request. */
  readonly calls: CallCounts;
  /** The warm-up, by workload. */
  readonly warmed: Readonly<Record<string, Warmed>>;
  /** The memory after all workloads. */
  readonly rssMb: number;
  readonly failed: number;
  /** The part of one core that programs other than the benchmark used in the measured rounds. */
  readonly otherLoad: number;
}

const LONG: Schedule = {
  processes: 5,
  warmUp: { minRequests: { W2: 20_000 }, equalRounds: 3, atMost: 0.03, maxRounds: 15 },
  rounds: 4,
  burstMs: 2_000,
};
const SHORT: Schedule = {
  processes: 2,
  warmUp: { minRequests: {}, equalRounds: 2, atMost: 0.03, maxRounds: 2 },
  rounds: 2,
  burstMs: 500,
};
const CLIENTS = 16;
/** Long enough for a server that makes 200 calls per request. */
const DEADLINE_MS = 60_000;
/** The number of arguments reserved for each burst. A burst sends fewer requests than this. */
const ARGUMENTS_OF_A_BURST = 100_000;

/** The server with the same work per request as Caseway. */
export const FAIR_ROW = 'mercurius-duties';

/** The highest allowed ratio of Caseway's CPU time to another server's. */
const MUSTS = [
  { workload: 'W1', of: FAIR_ROW, atMost: 0.68 },
  { workload: 'W2', of: FAIR_ROW, atMost: 1.55 },
  { workload: 'W3', of: FAIR_ROW, atMost: 1.3 },
  { workload: 'W4', of: FAIR_ROW, atMost: 1.25 },
  { workload: 'W1-equal', of: 'apollo-fastify', atMost: 0.05 },
] as const;
const MAX_RSS_MB = 200;
/**
 * The highest load of other programs, as a part of one core. Above it a run has no verdict, because
 * they share caches and clock rate with the measured process.
 */
export const MAX_OTHER_LOAD = 0.1;

/** Compares CPU time with other servers that give the same answers. */
export const speed: Benchmark = {
  name: 'speed',
  about: 'CPU time and memory compared with Mercurius, Apollo Server and another checkout',
  isSeparate: true,
  run: ({ isShort, workloads, servers, against, processes }) =>
    withTestBed(async (bed) => {
      const usual = isShort ? SHORT : LONG;
      const schedule = { ...usual, processes: processes ?? usual.processes };
      if (!(schedule.processes >= 1)) throw new Error('--processes is a number from 1 on.');
      const chosen = chooseWorkloads(workloads);
      const subjects = chooseServers(servers, against)
        .map((server) => ({
          server,
          workloads: chosen.filter(({ name }) => server.workloads.includes(name)),
        }))
        .filter((subject) => subject.workloads.length > 0);
      installPeers(subjects.map(({ server }) => server));
      bed.platform.behave({ delayMs: 0 });
      const samples = await playProcesses(bed, subjects, schedule);
      const failed = samples.reduce((sum, sample) => sum + sample.failed, 0);
      return {
        figures: [...judge(samples), counted('responses that failed', failed, '', { atMost: 0 })],
        text: formatSpeed(samples, schedule, isShort),
      };
    }),
};

/** A server and its workloads. */
interface Subject {
  readonly server: Server;
  readonly workloads: readonly Workload[];
}

/**
 * Measures one process after the other. The servers take turns, so that changes of the machine's
 * load affect all alike.
 */
async function playProcesses(
  bed: TestBed,
  subjects: readonly Subject[],
  schedule: Schedule,
): Promise<readonly Sample[]> {
  const generator = startLoadGenerator();
  const agreement = createAgreement();
  const samples: Sample[] = [];
  try {
    for (let turn = 0; turn < schedule.processes; turn++) {
      for (const subject of turn % 2 === 0 ? subjects : subjects.toReversed()) {
        const { server } = subject;
        const running = await startServer(server, bed);
        try {
          const sample = await playProcess(running, subject, {
            bed,
            generator,
            agreement,
            schedule,
          });
          samples.push(sample);
          const total = schedule.processes * subjects.length;
          process.stderr.write(`process ${samples.length} of ${total}: ${formatSample(sample)}\n`);
        } finally {
          await running.stop();
        }
      }
    }
  } finally {
    generator.close();
  }
  return samples;
}

interface Play {
  readonly bed: TestBed;
  readonly generator: LoadGenerator;
  readonly agreement: Agreement;
  readonly schedule: Schedule;
}

/**
 * Warms a process up with all workloads, so that its heap is full, and then sends them in rounds.
 */
async function playProcess(
  { port, pid }: RunningServer,
  { server, workloads }: Subject,
  { bed, generator, agreement, schedule }: Play,
): Promise<Sample> {
  const { rounds, warmUp, burstMs } = schedule;
  const cpuMs: Record<string, number> = {};
  const warmed: Record<string, Warmed> = {};
  let failed = 0;
  let bursts = 0;
  const play = async ({ name, isEqual, requests }: Workload, minRequests = 0) => {
    const beforeMs = processorTimeOf(pid);
    const streams = [closedLoop(CLIENTS, requests[server.kind])];
    const from = ++bursts * ARGUMENTS_OF_A_BURST;
    const report = await generator.run({
      port,
      durationMs: burstMs,
      minRequests,
      streams,
      from,
      isEqual,
      deadlineMs: DEADLINE_MS,
    });
    const { requests: sent = 0, counts } = report.streams[0] ?? {};
    const good = counts?.good ?? 0;
    if (good === 0) throw new Error(`${server.title} gave no response at ${name}.`);
    failed += sent - good;
    return { requests: sent, cpuMs: ((processorTimeOf(pid) - beforeMs) / good) * 1_000 };
  };
  for (const workload of workloads) {
    await agreement.check(server, workload, port);
    warmed[workload.name] = await warm(workload.name, warmUp, (min) => play(workload, min));
  }
  const startedMs = performance.now();
  const othersBeforeMs = otherProgramsMs();
  for (let round = 0; round < rounds; round++) {
    for (const workload of workloads) {
      const took = await play(workload);
      cpuMs[workload.name] = Math.min(took.cpuMs, cpuMs[workload.name] ?? Infinity);
    }
  }
  const otherLoad = (otherProgramsMs() - othersBeforeMs) / (performance.now() - startedMs);
  const { rssMb } = usageOf(pid);
  const calls = await countCalls(server, workloads, port, bed.platform);
  return { server, cpuMs, calls, warmed, rssMb, failed, otherLoad };
}

/** Returns the CPU time of all programs except the benchmark and its processes. */
const otherProgramsMs = (): number => machineTimeMs() - treeTimeMs(process.pid);

/**
 * Returns the CPU time of each process of a server for a workload. Empty if the workload was not
 * sent.
 */
export const cpuMsOf = (samples: readonly Sample[], server: string, workload: string): number[] =>
  samples
    .filter(({ server: { name } }) => name === server)
    .flatMap(({ cpuMs }) => cpuMs[workload] ?? []);

/**
 * Returns the ratio of a server's CPU time to another server's, by their medians, or `undefined` if
 * one of them did not run the workload.
 */
export function ratioOf(
  samples: readonly Sample[],
  server: string,
  of: string,
  workload: string,
): number | undefined {
  const cpuMs = cpuMsOf(samples, server, workload);
  const otherCpuMs = cpuMsOf(samples, of, workload);
  return cpuMs.length === 0 || otherCpuMs.length === 0
    ? undefined
    : median(cpuMs) / median(otherCpuMs);
}

/** Returns the median load of other programs, as a part of one core. */
export const otherLoadOf = (samples: readonly Sample[]): number =>
  median(samples.map(({ otherLoad }) => otherLoad));

/**
 * Creates the figures: each required ratio whose servers took part, and Caseway's ratio to the
 * other checkout. They have no bounds if other programs kept the machine busy.
 */
export function judge(samples: readonly Sample[]): Figure[] {
  if (otherLoadOf(samples) <= MAX_OTHER_LOAD) return figuresOf(samples);
  return figuresOf(samples).map(({ name, value, unit }) => timed(name, value, unit));
}

function figuresOf(samples: readonly Sample[]): Figure[] {
  const compare = (workload: string, of: string, bound: Parameters<typeof timed>[3] = {}) => {
    const ratio = ratioOf(samples, 'caseway', of, workload);
    return ratio === undefined ? [] : [timed(`${workload}: caseway / ${of}`, ratio, '×', bound)];
  };
  const ours = samples.filter(({ server }) => server.name === 'caseway');
  const isWhole = MUSTS.every(({ workload }) => ours.some(({ cpuMs }) => workload in cpuMs));
  const figures = [
    ...MUSTS.flatMap(({ workload, of, atMost }) => compare(workload, of, { atMost })),
    ...MUSTS.flatMap(({ workload }) => compare(workload, 'before')),
  ];
  // Memory after fewer workloads would be lower.
  if (isWhole) {
    const rssMb = rssMbOf(ours);
    figures.push(timed('RSS after all workloads', rssMb, 'MB', { atMost: MAX_RSS_MB }));
  }
  return figures;
}

/** Returns the median memory of some processes. */
export const rssMbOf = (samples: readonly Sample[]): number =>
  median(samples.map(({ rssMb }) => rssMb));
