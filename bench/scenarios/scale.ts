import { hash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { type Benchmark, counted, type Figure, median, timed } from '../benchmark.ts';
import { closedLoop, type LoadGenerator, runLoad, startLoadGenerator } from '../load/index.ts';
import type { RequestTemplate } from '../load/requests.ts';
import { processorTimeOf } from '../process-usage.ts';
import { WORKLOADS } from '../speed/workloads.ts';
import {
  CALLER,
  CALLER_KEYS,
  type Environment,
  freePort,
  type Gateway,
  NODE_OPTIONS,
  type TestBed,
  withTestBed,
} from '../test-bed.ts';
import { untilTyped } from './typed.ts';

const FORMS = 300;
const CALLERS = 10_000;
const CLIENTS = 16;
/** Of each kind of gateway: equal processes differ by up to a third for as long as they live, so the fastest of them counts. */
const PROCESSES = 3;
/** CPU time of an operation in the large, as a multiple of that in the small. */
const AT_MOST = 1.1;
/** Room for a few pages of instances: the cache has a share of Node's heap. */
const SMALL_CACHE = { NODE_OPTIONS: NODE_OPTIONS.replace(/(?<=old-space-size=)\d+/, '128') };
const FORWARDING = { IDENTITY: 'forward', CALLER_AUTH: 'none', CALLER_KEYS: '' };
/** More than a burst gives responses; the platform has pages for a hundred such bursts. */
const ARGUMENTS_OF_A_BURST = 100_000;
const AGED_FROM = 9_000_000;
const LONG = { ageMs: 60_000, processes: PROCESSES, rounds: 5, warmUpMs: 3_000, burstMs: 1_000 };
const SHORT: typeof LONG = { ageMs: 2_000, processes: 1, rounds: 3, warmUpMs: 500, burstMs: 200 };

const requestOf = (name: string): RequestTemplate => {
  const request = WORKLOADS.find((workload) => workload.name === name)?.requests.typed;
  if (request === undefined) throw new Error(`No workload ${name}.`);
  return request;
};
const [ONE_FORM, ROWS] = [requestOf('W2'), requestOf('W4')];
const BY_MANY_CALLERS: RequestTemplate = {
  ...ONE_FORM,
  headers: { ...ONE_FORM.headers, 'x-api-key': 'key-<n%10000>' },
};
const byToken = (token: string): RequestTemplate => ({
  ...ONE_FORM,
  headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
});
const BY_ONE_TOKEN = byToken('a-token');
/** Each with a scope of their own: copies, calls in flight, kept answers. */
const BY_MANY_TOKENS = byToken('token-<n%10000>');

/** The cost of an operation where there is more of everything. */
export const scale: Benchmark = {
  name: 'scale',
  about: `CPU time of an operation after a minute of load, for ${CALLERS} callers, ${FORMS} forms and a full cache`,
  run: ({ isShort }) =>
    withTestBed((few) => withTestBed((many) => compareAll(few, many, isShort ? SHORT : LONG), { records: FORMS }), {
      records: 1,
    }),
};

/** Equal gateways, and what they are asked. */
interface Subject {
  readonly gateways: readonly Gateway[];
  readonly request: RequestTemplate;
}

interface Comparison {
  readonly name: string;
  readonly large: Subject;
  readonly small: Subject;
}

async function compareAll(few: TestBed, many: TestBed, schedule: typeof LONG): Promise<Figure[]> {
  for (const { platform } of [few, many]) platform.behave({ delayMs: 0 });
  const withKeys = { CALLER_KEYS: '', CALLER_KEYS_FILE: writeCallerKeys(few.folder) };
  const metricsPorts: number[] = [];
  const start = async (bed: TestBed, env: Environment) => {
    const gateways: Gateway[] = [];
    for (let count = 0; count < schedule.processes; count++) {
      const metricsPort = await freePort();
      const gateway = await bed.startGateway({ ...env, METRICS_PORT: String(metricsPort) });
      await untilTyped(gateway, { ...CALLER, authorization: 'Bearer a-token' });
      gateways.push(gateway);
      metricsPorts.push(metricsPort);
    }
    return gateways;
  };
  const aged = await start(few, withKeys);
  const young = await start(few, withKeys);
  const ofManyCallers = await start(few, withKeys);
  const ofManyForms = await start(many, withKeys);
  const ofSmallCache = await start(few, { ...withKeys, ...SMALL_CACHE });
  const ofOneToken = await start(few, FORWARDING);
  const ofManyTokens = await start(few, FORWARDING);
  const gateways = [aged, young, ofManyCallers, ofManyForms, ofSmallCache].flat();

  const loads = aged.map(({ port }) =>
    runLoad(closedLoop(CLIENTS, ROWS), { port, durationMs: schedule.ageMs, from: AGED_FROM, deadlineMs: 10_000 }),
  );
  const goodOfLoad = (await Promise.all(loads)).map(({ counts }) => counts.good);
  const cacheBytes = await cacheBytesOf(metricsPorts[0] ?? 0);
  const comparisons: Comparison[] = [
    {
      name: 'after a minute of load',
      large: { gateways: aged, request: ONE_FORM },
      small: { gateways: young, request: ONE_FORM },
    },
    {
      name: `${CALLERS} callers`,
      large: { gateways: ofManyCallers, request: BY_MANY_CALLERS },
      small: { gateways: young, request: ONE_FORM },
    },
    {
      name: `${CALLERS} forwarded tokens`,
      large: { gateways: ofManyTokens, request: BY_MANY_TOKENS },
      small: { gateways: ofOneToken, request: BY_ONE_TOKEN },
    },
    {
      name: `${FORMS} forms`,
      large: { gateways: ofManyForms, request: ROWS },
      small: { gateways: young, request: ROWS },
    },
    {
      name: 'a full cache',
      large: { gateways: aged, request: ROWS },
      small: { gateways: ofSmallCache, request: ROWS },
    },
  ];
  const { ratios, failed } = await playRounds(
    [
      ...gateways.flatMap((gateway) => [ONE_FORM, ROWS].map((request) => ({ gateways: [gateway], request }))),
      { gateways: ofOneToken, request: BY_ONE_TOKEN },
      { gateways: ofManyTokens, request: BY_MANY_TOKENS },
    ],
    comparisons,
    schedule,
  );
  const ended = [...gateways, ...ofOneToken, ...ofManyTokens].filter((gateway) => !gateway.isRunning());
  return [
    ...comparisons.map(({ name }, at) =>
      timed(`CPU time of an operation: ${name}`, ratios[at] ?? 0, '×', { atMost: AT_MOST }),
    ),
    counted('operations of that load', Math.min(...goodOfLoad), '', { atLeast: 1 }),
    timed('full cache', cacheBytes / 2 ** 20, 'MB'),
    timed('responses that failed', failed, '', { atMost: 0 }),
    counted('gateways that ended', ended.length, '', { atMost: 0 }),
  ];
}

/** Writes the keys that `BY_MANY_CALLERS` sends, and that of all benchmarks. */
function writeCallerKeys(folder: string): string {
  const file = join(folder, 'caller-keys');
  const keys = Array.from({ length: CALLERS }, (_, n) => `caller-${n}:${hash('sha256', `key-${n}`, 'hex')}`);
  writeFileSync(file, [CALLER_KEYS, ...keys].join());
  return file;
}

async function cacheBytesOf(metricsPort: number): Promise<number> {
  const metrics = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
  return Number(/^caseway_cache_bytes (\S+)/m.exec(metrics)?.[1] ?? 0);
}

/**
 * The ratio of each comparison: of its fastest processes, in the median of the rounds. Large and small take turns, so that
 * whatever else the machine does meets both.
 *
 * @param warmUp all alike, since a process in which V8 has compiled less is slower.
 */
async function playRounds(
  warmUp: readonly Subject[],
  comparisons: readonly Comparison[],
  { rounds, warmUpMs, burstMs }: typeof LONG,
) {
  const generator = startLoadGenerator();
  let bursts = 0;
  let failed = 0;
  const play = async (gateway: Gateway, request: RequestTemplate, durationMs: number) => {
    const from = bursts++ * ARGUMENTS_OF_A_BURST;
    const burst = await playBurst(generator, gateway, request, { durationMs, from });
    failed += burst.failed;
    return burst.cpuMs;
  };
  const playEach = async ({ gateways, request }: Subject, durationMs: number) => {
    const cpuMs: number[] = [];
    for (const gateway of gateways) cpuMs.push(await play(gateway, request, durationMs));
    return cpuMs;
  };
  try {
    for (const subject of warmUp) await playEach(subject, warmUpMs);
    const ratios: number[] = [];
    for (const { large, small } of comparisons) {
      const [largeMs, smallMs]: [number[][], number[][]] = [[], []];
      for (let round = 0; round < rounds; round++) {
        largeMs.push(await playEach(large, burstMs));
        smallMs.push(await playEach(small, burstMs));
      }
      ratios.push(fastestOf(largeMs) / fastestOf(smallMs));
    }
    return { ratios, failed };
  } finally {
    generator.close();
  }
}

/** @param byRound what each process took in each round. */
const fastestOf = ([first = [], ...others]: readonly (readonly number[])[]): number =>
  Math.min(...first.map((cpuMs, process) => median([cpuMs, ...others.map((round) => round[process] ?? cpuMs)])));

async function playBurst(
  generator: LoadGenerator,
  { port, pid }: Gateway,
  request: RequestTemplate,
  { durationMs, from }: { readonly durationMs: number; readonly from: number },
) {
  const beforeMs = processorTimeOf(pid);
  const streams = [closedLoop(CLIENTS, request)];
  const { streams: reports } = await generator.run({ port, durationMs, streams, from, deadlineMs: 10_000 });
  const { requests = 0, counts } = reports[0] ?? {};
  const good = counts?.good ?? 0;
  return { cpuMs: (processorTimeOf(pid) - beforeMs) / good, failed: requests - good };
}
