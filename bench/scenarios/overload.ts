import { setTimeout as pause } from 'node:timers/promises';

import { type Benchmark, counted, type Figure, timed } from '../benchmark.ts';
import { measureCapacity, type OneReport, openLoop, runFlood, runLoad } from '../load/index.ts';
import { PAGE } from '../load/requests.ts';
import { freePort, type Gateway, isReady, type TestBed, withTestBed } from '../test-bed.ts';
import { startNginx } from './programs.ts';

/** An orchestrator counts a slower health probe as failed. */
const HEALTH_MS = 1_000;
/**
 * Local addresses. Each honest one stays below the proxy's limit, each flooding one is far above
 * it.
 */
const HONEST = Array.from({ length: 64 }, (_, at) => `127.0.1.${at + 1}`);
const FLOOD = Array.from({ length: 4 }, (_, at) => `127.0.2.${at + 1}`);

/** The pause between two loads, in which the connections of the first one close. */
const PAUSE_MS = 2_000;
/** The number of a balancer's connections. */
const FIXED_CONNECTIONS = 256;

/**
 * Measures goodput and latency under far more requests than the capacity, and goodput afterwards.
 */
export const overload: Benchmark = {
  name: 'overload',
  about: 'goodput, latency and health at 2x and 10x of the capacity, and the recovery',
  run: ({ isShort }) =>
    withTestBed(async (bed) => {
      const healthPort = await freePort();
      const gateway = {
        ...(await bed.startGateway({ METRICS_PORT: String(healthPort) })),
        healthPort,
      };
      const { port } = gateway;
      const durationMs = isShort ? 4_000 : 20_000;
      const capacity = await measureCapacity(port, isShort);
      const calm = await runLoad(openLoop(capacity / 4), { port, durationMs });
      const atMost = calm.p99Ms * 3;
      const before = await runLoad(openLoop(capacity * 0.7), { port, durationMs: durationMs / 2 });
      const over = (times: number, clients: Clients) =>
        overloadBy({ times, clients, gateway, capacity, durationMs });
      const twice = await over(2, 'leaving');
      const twiceFixed = await over(2, 'fixed');
      const tenfold = await over(10, 'leaving');
      const tenfoldFixed = await over(10, 'fixed');
      await pause(PAUSE_MS);
      const after = await runLoad(openLoop(capacity * 0.7), { port, durationMs: durationMs / 2 });

      return [
        timed('capacity, 64 closed-loop clients', capacity, 'requests/s'),
        timed('at a quarter of capacity: p50', calm.p50Ms, 'ms'),
        timed('at a quarter of capacity: p99', calm.p99Ms, 'ms'),
        ...describeOverload('2x, clients that leave', twice, { goodput: 90, p99Ms: atMost }),
        ...describeOverload('2x, fixed connections', twiceFixed, { goodput: 90, p99Ms: atMost }),
        ...describeOverload('10x, clients that leave', tenfold, { goodput: 40 }),
        ...describeOverload('10x, fixed connections', tenfoldFixed, { goodput: 40 }),
        timed('at 0.7x before: p99', before.p99Ms, 'ms'),
        timed('at 0.7x, two seconds after: p99', after.p99Ms, 'ms', { atMost: before.p99Ms * 1.2 }),
        timed('at 0.7x, two seconds after: refused', after.counts.refused, '', { atMost: 0 }),
        ...(await floodBehindNginx(bed, gateway, capacity, durationMs)),
        timed('peak RSS', gateway.usage().peakRssMb, 'MB'),
        counted('gateways that ended', gateway.isRunning() ? 0 : 1, '', { atMost: 0 }),
      ];
    }),
};

type Clients = 'leaving' | 'fixed';

interface OverloadJob {
  /** The offered load as a multiple of the capacity. */
  readonly times: number;
  readonly clients: Clients;
  readonly gateway: ProbedGateway;
  readonly capacity: number;
  readonly durationMs: number;
}

/** Sends a multiple of the capacity directly to a gateway. */
async function overloadBy(job: OverloadJob): Promise<Overloaded> {
  const { times, clients, gateway, capacity, durationMs } = job;
  const { port } = gateway;
  await pause(PAUSE_MS);
  const maxConnections = clients === 'fixed' ? { maxConnections: FIXED_CONNECTIONS } : {};
  const [load, health] = await Promise.all([
    runLoad(openLoop(capacity * times), { port, durationMs, clients, ...maxConnections }),
    probeHealth(gateway, durationMs),
  ]);
  const goodput = (load.counts.good / durationMs / capacity) * 100_000;
  let emptySeconds = 0;
  for (let second = 0; second < Math.floor(durationMs / 1_000); second++) {
    if ((load.goodBySecond[second] ?? 0) === 0) emptySeconds++;
  }
  return { load, health, goodput, emptySeconds };
}

interface Overloaded {
  readonly load: OneReport;
  readonly health: Health;
  /** Good responses in percent of the capacity. */
  readonly goodput: number;
  /** The number of seconds without a good response to a request that was due in them. */
  readonly emptySeconds: number;
}

function describeOverload(
  name: string,
  { load, health, goodput, emptySeconds }: Overloaded,
  least: { readonly goodput: number; readonly p99Ms?: number },
): Figure[] {
  const { requests, counts, connections } = load;
  const figure = (what: string, value: number, unit = '', bound = {}) =>
    timed(`${name}: ${what}`, value, unit, bound);
  const isTwice = least.p99Ms !== undefined;
  return [
    figure('goodput', goodput, '% of capacity', { atLeast: least.goodput }),
    figure('seconds without a good response', emptySeconds, '', { atMost: 0 }),
    figure('p99 of the admitted', load.p99Ms, 'ms', isTwice ? { atMost: least.p99Ms } : {}),
    figure('late', counts.late, ''),
    ...describeHealth(name, health),
    figure('offered', requests, 'requests'),
    figure('refused with Retry-After', counts.refused),
    figure('p99 of the refusals', load.refusalP99Ms, 'ms'),
    figure('errors', counts.errored),
    figure('resets by the gateway', counts.reset),
    figure('without a connection', counts.unreachable),
    figure('unsent: no connection was free or made in time', counts.unsent),
    figure('unanswered: sent, and given up by the client', counts.unanswered),
    figure('connections made', connections.opened),
    figure('of these given up by the client', connections.abandoned),
    figure('p99 delay of the load generator', load.lagP99Ms, 'ms'),
    figure('CPU time of the load generator', load.busy * 100, '% of a core'),
  ];
}

/**
 * Sends a flood of ten times the capacity from some addresses and an honest load of half the
 * capacity from others, both through nginx.
 */
async function floodBehindNginx(
  bed: TestBed,
  gateway: ProbedGateway,
  capacity: number,
  durationMs: number,
) {
  await using programs = new AsyncDisposableStack();
  const port = await startNginx(bed.folder, [gateway], programs);
  const honest = { ...openLoop(capacity / 2, PAGE, 'honest'), addresses: HONEST };
  // Without the flood first: this shows whether the machine has enough cores for all processes.
  const alone = await runLoad(honest, { port, durationMs });
  const [{ requests, counts, p99Ms }, flood, health] = await Promise.all([
    runLoad(honest, { port, durationMs }),
    runFlood({ port, durationMs, rate: capacity * 10, addresses: FLOOD }),
    probeHealth(gateway, durationMs),
  ]);
  const name = (what: string) => `behind nginx, flood of 10x: ${what}`;
  return [
    timed(
      'behind nginx, no flood: goodput',
      (alone.counts.good / alone.requests) * 100,
      '% of the honest',
    ),
    timed('behind nginx, no flood: p99 of the honest', alone.p99Ms, 'ms'),
    timed(name('honest requests'), requests, ''),
    timed(name('goodput'), (counts.good / requests) * 100, '% of the honest', { atLeast: 97 }),
    timed(name('p99 of the honest'), p99Ms, 'ms'),
    timed(name('honest refused'), counts.refused, ''),
    ...describeHealth('behind nginx, flood of 10x', health),
    timed(name('sent by the flood'), (flood.sent / durationMs) * 1_000, 'requests/s'),
    timed(name('of these answered'), (flood.answered / flood.sent) * 100, '%'),
    timed(name('of these admitted'), (flood.admitted / durationMs) * 1_000, 'requests/s'),
  ];
}

/** A gateway with a second port for health probes. */
type ProbedGateway = Gateway & { readonly healthPort: number };

interface Health {
  /**
   * The slowest probe on the metrics port, which orchestrators use, in milliseconds. Infinite if a
   * probe did not get a 200.
   */
  readonly slowestMs: number;
  /**
   * The number of failed probes on the clients' port. There a new connection waits until all
   * earlier ones are accepted.
   */
  readonly failedBesideClients: number;
}

/**
 * Probes the gateway's readiness up to five times a second, each time over a new connection, as an
 * orchestrator does.
 */
async function probeHealth(
  { port, healthPort }: ProbedGateway,
  durationMs: number,
): Promise<Health> {
  const endMs = performance.now() + durationMs;
  const probe = async (at: number) => {
    let slowestMs = 0;
    let failed = 0;
    while (performance.now() < endMs) {
      const startMs = performance.now();
      if (await isReady(at)) slowestMs = Math.max(slowestMs, performance.now() - startMs);
      else failed++;
      await pause(200);
    }
    return { slowestMs: failed > 0 ? Infinity : slowestMs, failed };
  };
  const [{ slowestMs }, { failed }] = await Promise.all([probe(healthPort), probe(port)]);
  return { slowestMs, failedBesideClients: failed };
}

const describeHealth = (name: string, { slowestMs, failedBesideClients }: Health): Figure[] => [
  timed(`${name}: slowest health probe`, slowestMs, 'ms', { atMost: HEALTH_MS }),
  timed(`${name}: failed health probes on the port of clients`, failedBesideClients, ''),
];
