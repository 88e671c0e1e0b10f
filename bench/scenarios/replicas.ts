import { createHash, randomBytes } from 'node:crypto';
import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

import { type Benchmark, counted, type Figure, timed } from '../benchmark.ts';
import { closedLoop, runLoad } from '../load/index.ts';
import {
  type Environment,
  freePort,
  type Gateway,
  type TestBed,
  withTestBed,
} from '../test-bed.ts';
import { startNginx, startProgram } from './programs.ts';

const CLIENTS = 40;
/** A call budget that the clients would exceed many times over. */
const CALLS_PER_MINUTE = 1_200;
/** The time in which a sixth of the budget is refilled. Another sixth is available at once. */
const SIXTH_MS = 10_000;

/** The callers of the comparison of calls, each with a key of its own. */
const CALLERS = Array.from({ length: 12 }, (_, index) => `caller-${index}`);
/** How often each caller sends each document. */
const ROUNDS = 3;
const DOCUMENTS = [
  '{ forms(first: 20) { nodes { name } } }',
  '{ form(formId: "form-1") { name fields { name } } }',
  '{ instances(formId: "form-1", first: 20) { nodes { instanceId } } }',
];
/** The most calls of three replicas, as a multiple of the calls of one. */
const MAX_CALLS_RATIO = 1.15;

/** Runs gateways with one Redis, behind nginx with the configuration in `deploy/nginx`. */
export const replicas: Benchmark = {
  name: 'replicas',
  about: 'gateways with Redis behind nginx: one call budget, rolling restarts, and calls',
  run: ({ isShort }) =>
    withTestBed(async (bed) => {
      await using programs = new AsyncDisposableStack();
      const shared = {
        REDIS_URL: await startRedis(bed.folder, programs),
        SESSION_KEYS: randomBytes(32).toString('base64'),
      };
      const budget = { UPSTREAM_CALLS_PER_MINUTE: String(CALLS_PER_MINUTE) };
      return [
        ...(await measureBudget(bed, { ...shared, ...budget }, isShort)),
        ...(await measureRestarts(bed, shared, isShort)),
        ...(await compareCalls(bed, shared, '0')),
        ...(await compareCalls(bed, shared, '60000')),
      ];
    }),
};

/** Measures the calls within a budget while one of two replicas is replaced. */
async function measureBudget(bed: TestBed, env: Environment, isShort: boolean): Promise<Figure[]> {
  await using proxied = await startProxied(bed, env);
  const durationMs = isShort ? 12_000 : 40_000;
  await bed.platform.count();
  const startMs = performance.now();
  const load = runLoad(closedLoop(CLIENTS), { port: proxied.port, durationMs, graceMs: 30_000 });
  await pause(1_000);
  await proxied.restart(0);
  const { requests, counts, codes } = await load;
  const { calls } = await bed.platform.count();
  const sixths = Math.ceil((performance.now() - startMs) / SIXTH_MS) + 1;
  const limited = codes['RATE_LIMITED'] ?? 0;
  const overloaded = codes['OVERLOADED'] ?? 0;
  const otherFailures = requests - counts.good - counts.late - limited - overloaded;

  return [
    counted('budget: requests', requests, '', {
      atLeast: 2 * CALLS_PER_MINUTE * (durationMs / 60_000),
    }),
    // If Redis does not answer in time on a busy machine, each replica counts alone for five
    // seconds.
    timed('budget: calls to the platform', calls, '', { atMost: sixths * (CALLS_PER_MINUTE / 6) }),
    counted('budget: rejected by the budget', limited, '', { atLeast: 1 }),
    counted('budget: other failures', otherFailures, '', { atMost: 0 }),
  ];
}

/** Counts requests that fail while gateways are replaced one after the other. */
async function measureRestarts(
  bed: TestBed,
  env: Environment,
  isShort: boolean,
): Promise<Figure[]> {
  await using proxied = await startProxied(bed, env);
  const restarts = isShort ? 2 : 4;
  const durationMs = isShort ? 15_000 : 40_000;
  const load = runLoad(closedLoop(CLIENTS), { port: proxied.port, durationMs, graceMs: 30_000 });
  await pause(500);
  const codes: (number | null)[] = [];
  for (let at = 0; at < restarts; at++) codes.push(await proxied.restart(at % 2));
  const { requests, counts, codes: errors, p99Ms } = await load;
  // All clients use one key, so when the gateway's limit shrinks they reach the key's half of it
  // first.
  const overloaded = (errors['OVERLOADED'] ?? 0) + (errors['RATE_LIMITED'] ?? 0);

  return [
    counted('restarts', restarts, ''),
    counted('restarts: requests', requests, ''),
    counted('restarts: failed requests', requests - counts.good - counts.late - overloaded, '', {
      atMost: 0,
    }),
    counted(
      'of these resets and lost connections',
      counts.reset + counts.unreachable + counts.unanswered,
      '',
    ),
    counted('of these with an error', counts.errored + counts.refused - overloaded, ''),
    counted('exit codes that are not 0', codes.filter((code) => code !== 0).length, '', {
      atMost: 0,
    }),
    timed('restarts: refused by overload', overloaded, '', { atMost: 0 }),
    timed('restarts: later than a second', counts.late, ''),
    timed('restarts: p99', p99Ms, 'ms'),
  ];
}

/** Compares the calls of one replica and of three for the same requests of several callers. */
async function compareCalls(bed: TestBed, env: Environment, lifetime: string): Promise<Figure[]> {
  const keys = CALLERS.map((name) => `${name}:${createHash('sha256').update(name).digest('hex')}`);
  const settings = {
    ...env,
    CALLER_KEYS: keys.join(),
    CACHE_INSTANCES_MS: lifetime,
    CACHE_DEFINITIONS_MS: '60000',
  };
  const one = await countCalls(bed, settings, 1);
  const three = await countCalls(bed, settings, 3);
  const title = `CACHE_INSTANCES_MS=${lifetime}`;
  return [
    counted(`${title}: calls of one replica`, one, '', { atLeast: 1 }),
    counted(`${title}: calls of three`, three, ''),
    counted(`${title}: three to one`, three / one, '', { atMost: MAX_CALLS_RATIO }),
  ];
}

/** Returns the calls of some replicas for requests that are sent one after the other. */
async function countCalls(bed: TestBed, env: Environment, replicas: number): Promise<number> {
  await using programs = new AsyncDisposableStack();
  const gateways: Gateway[] = [];
  programs.defer(async () => {
    await Promise.all(gateways.map((gateway) => gateway.stop('SIGKILL')));
  });
  for (let count = 0; count < replicas; count++) gateways.push(await bed.startGateway(env));
  const port = await startNginx(bed.folder, gateways, programs, withoutLimits);
  await bed.platform.count();
  for (let round = 0; round < ROUNDS; round++) {
    for (const name of CALLERS) {
      for (const query of DOCUMENTS) await post(port, name, query);
    }
  }
  return (await bed.platform.count()).calls;
}

async function post(port: number, key: string, query: string): Promise<void> {
  const response = await fetch(`http://127.0.0.1:${port}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': key },
    body: JSON.stringify({ query }),
  });
  const answer = await response.text();
  if (response.status !== 200 || answer.includes('"errors"')) throw new Error(answer);
}

/** Removes the limits by address, since all clients have the same address. */
const withoutLimits = (config: string) => config.replaceAll(/^ *limit_\w+ .*$/gm, '');

interface Proxied extends AsyncDisposable {
  readonly port: number;
  /** Replaces a gateway by a new one at the same address. Returns the exit code of the old one. */
  restart(at: number): Promise<number | null>;
}

async function startProxied(bed: TestBed, env: Environment): Promise<Proxied> {
  const gateways: Gateway[] = [await bed.startGateway(env), await bed.startGateway(env)];
  const programs = new AsyncDisposableStack();
  // All clients have the same key, and both gateways must be busy.
  const port = await startNginx(bed.folder, gateways, programs, (config) =>
    withoutLimits(config).replace(/^ *hash .*$/m, 'least_conn;'),
  );
  return {
    port,
    async restart(at) {
      const old = gateways[at];
      if (old === undefined) throw new Error(`There is no gateway ${at}.`);
      const { code } = await old.stop();
      gateways[at] = await bed.startGateway(env, { port: old.port });
      // nginx does not use a replica for a second after it refused a connection. The other replica
      // must run until then.
      await pause(1_500);
      return code;
    },
    async [Symbol.asyncDispose]() {
      await programs.disposeAsync();
      await Promise.all(gateways.map((gateway) => gateway.stop('SIGKILL')));
    },
  };
}

async function startRedis(folder: string, programs: AsyncDisposableStack): Promise<string> {
  const port = await freePort();
  const storage = ['--save', '', '--appendonly', 'no', '--dir', folder];
  startProgram(
    'redis-server',
    ['--port', String(port), '--bind', '127.0.0.1', ...storage],
    programs,
  );
  while (!(await isListening(port))) await pause(20);
  return `redis://127.0.0.1:${port}`;
}

function isListening(port: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const socket = connect(port, '127.0.0.1', () => resolve(true)).once('error', () =>
    resolve(false),
  );
  return promise.finally(() => socket.destroy());
}
