import { hash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { type Benchmark, counted, type Figure, median, timed } from '../benchmark.ts';
import { closedLoop, type LoadGenerator, runLoad, startLoadGenerator } from '../load/index.ts';
import type { RequestTemplate } from '../load/requests.ts';
import { processorTimeOf } from '../process-usage.ts';
import { WORKLOADS } from '../speed/workloads.ts';
import { CALLER_KEYS, type Environment, freePort, type Gateway, type TestBed, withTestBed } from '../test-bed.ts';
import { untilTyped } from './typed.ts';

const FORMS = 300;
const CALLERS = 10_000;
const CLIENTS = 16;
/** CPU time of an operation in the large, as a multiple of that in the small. */
const AT_MOST = 1.1;
/** Room for a few pages of instances. */
const SMALL_CACHE = { CACHE_MAX_BYTES: '1048576' };
/** More than a burst gives responses; the platform has pages for a hundred such bursts. */
const ARGUMENTS_OF_A_BURST = 100_000;
const AGED_FROM = 9_000_000;
const LONG = { ageMs: 60_000, rounds: 9, warmUpMs: 4_000, burstMs: 1_000 };
const SHORT: typeof LONG = { ageMs: 2_000, rounds: 3, warmUpMs: 500, burstMs: 200 };

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

/** The cost of an operation where there is more of everything. */
export const scale: Benchmark = {
  name: 'scale',
  about: `CPU time of an operation after a minute of load, for ${CALLERS} callers, ${FORMS} forms and a full cache`,
  run: ({ isShort }) =>
    withTestBed((few) => withTestBed((many) => compareAll(few, many, isShort ? SHORT : LONG), { records: FORMS }), {
      records: 1,
    }),
};

/** A gateway and what it is asked. */
interface Subject {
  readonly gateway: Gateway;
  readonly request: RequestTemplate;
}

interface Comparison {
  readonly name: string;
  readonly large: Subject;
  readonly small: Subject;
}

async function compareAll(few: TestBed, many: TestBed, schedule: typeof LONG): Promise<Figure[]> {
  for (const { platform } of [few, many]) platform.behave({ delayMs: 0 });
  const env = { CALLER_KEYS: '', CALLER_KEYS_FILE: writeCallerKeys(few.folder) };
  const metricsPort = await freePort();
  const start = async (bed: TestBed, more: Environment = {}) => {
    const gateway = await bed.startGateway({ ...env, METRICS_PORT: String(await freePort()), ...more });
    await untilTyped(gateway);
    return gateway;
  };
  const young = await start(few);
  const aged = await start(few, { METRICS_PORT: String(metricsPort) });
  const ofManyCallers = await start(few);
  const ofManyForms = await start(many);
  const ofSmallCache = await start(few, SMALL_CACHE);
  const gateways = [young, aged, ofManyCallers, ofManyForms, ofSmallCache];

  const { counts } = await runLoad(closedLoop(CLIENTS, ROWS), {
    port: aged.port,
    durationMs: schedule.ageMs,
    from: AGED_FROM,
    deadlineMs: 10_000,
  });
  const cacheBytes = await cacheBytesOf(metricsPort);
  const comparisons: Comparison[] = [
    {
      name: 'after a minute of load',
      large: { gateway: aged, request: ONE_FORM },
      small: { gateway: young, request: ONE_FORM },
    },
    {
      name: `${CALLERS} callers`,
      large: { gateway: ofManyCallers, request: BY_MANY_CALLERS },
      small: { gateway: young, request: ONE_FORM },
    },
    {
      name: `${FORMS} forms`,
      large: { gateway: ofManyForms, request: ROWS },
      small: { gateway: young, request: ROWS },
    },
    {
      name: 'a full cache',
      large: { gateway: aged, request: ROWS },
      small: { gateway: ofSmallCache, request: ROWS },
    },
  ];
  const { ratios, failed } = await playRounds(gateways, comparisons, schedule);
  return [
    ...comparisons.map(({ name }, at) =>
      timed(`CPU time of an operation: ${name}`, median(ratios[at] ?? []), '×', { atMost: AT_MOST }),
    ),
    counted('operations of that load', counts.good, '', { atLeast: 1 }),
    timed('full cache', cacheBytes / 2 ** 20, 'MB'),
    timed('responses that failed', failed, '', { atMost: 0 }),
    counted('gateways that ended', gateways.filter((gateway) => !gateway.isRunning()).length, '', { atMost: 0 }),
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

/** The ratios of each comparison, by round. Large and small take turns, so that whatever else the machine does meets both. */
async function playRounds(
  gateways: readonly Gateway[],
  comparisons: readonly Comparison[],
  { rounds, warmUpMs, burstMs }: typeof LONG,
) {
  const generator = startLoadGenerator();
  const ratios = comparisons.map((): number[] => []);
  let bursts = 0;
  let failed = 0;
  const play = async (subject: Subject, durationMs: number) => {
    const burst = await playBurst(generator, subject, { durationMs, from: bursts++ * ARGUMENTS_OF_A_BURST });
    failed += burst.failed;
    return burst.cpuMs;
  };
  try {
    // All alike, since a process in which V8 has compiled less is slower.
    for (const gateway of gateways) {
      for (const request of [ONE_FORM, ROWS]) await play({ gateway, request }, warmUpMs);
    }
    for (let round = 0; round < rounds; round++) {
      for (const [at, { large, small }] of comparisons.entries()) {
        const largeMs = await play(large, burstMs);
        ratios[at]?.push(largeMs / (await play(small, burstMs)));
      }
    }
  } finally {
    generator.close();
  }
  return { ratios, failed };
}

async function playBurst(
  generator: LoadGenerator,
  { gateway: { port, pid }, request }: Subject,
  { durationMs, from }: { readonly durationMs: number; readonly from: number },
) {
  const beforeMs = processorTimeOf(pid);
  const streams = [closedLoop(CLIENTS, request)];
  const { streams: reports } = await generator.run({ port, durationMs, streams, from, deadlineMs: 10_000 });
  const { requests = 0, counts } = reports[0] ?? {};
  const good = counts?.good ?? 0;
  return { cpuMs: (processorTimeOf(pid) - beforeMs) / good, failed: requests - good };
}
