import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync } from 'node:fs';
import { connect } from 'node:net';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

import { CALLER_KEYS, freePort, ROOT, RUNTIME, type TestBed } from '../test-bed.ts';
import type { GraphKind } from './workloads.ts';

/** A server in the comparison. */
export interface Server {
  readonly name: string;
  readonly title: string;
  readonly kind: GraphKind;
  /** The names of its workloads. */
  readonly workloads: readonly string[];
  /** The folder of its checkout. Absent for a peer. */
  readonly checkout?: string;
  /** A peer's file in `bench/peers`. Default: `servers/NAME.ts`. */
  readonly file?: string;
  /** The folder with a peer's packages. Default: `bench/peers`. */
  readonly packages?: string;
}

/** A process of a server. */
export interface RunningServer {
  readonly port: number;
  readonly pid: number;
  stop(): Promise<unknown>;
}

const NEW_ARGUMENTS = ['W1', 'W2', 'W3', 'W4'];

const CASEWAY: Server = {
  name: 'caseway',
  title: 'Caseway, typed graph',
  kind: 'typed',
  workloads: [...NEW_ARGUMENTS, 'W1-equal'],
  checkout: ROOT,
};

const SERVERS: readonly Server[] = [
  CASEWAY,
  {
    name: 'mercurius-duties',
    title: 'Mercurius, jit, the same duties',
    kind: 'peer',
    workloads: NEW_ARGUMENTS,
  },
  {
    name: 'apollo-fastify',
    title: 'Apollo Server on Fastify',
    kind: 'peer',
    workloads: ['W1-equal'],
  },
];

/** Servers that take part only if they are named, or with `all`. */
const MORE: readonly Server[] = [
  {
    name: 'caseway-generic',
    title: 'Caseway, generic graph',
    kind: 'generic',
    workloads: NEW_ARGUMENTS,
    checkout: ROOT,
  },
  {
    name: 'apollo-dataloader',
    title: 'Apollo Server and DataLoader on Fastify',
    kind: 'peer',
    workloads: NEW_ARGUMENTS,
    file: 'servers/apollo-fastify.ts',
  },
  {
    name: 'yoga',
    title: 'GraphQL Yoga and DataLoader',
    kind: 'peer',
    workloads: [...NEW_ARGUMENTS, 'W1-equal'],
  },
  {
    name: 'hive',
    title: 'Hive Gateway and Mesh',
    kind: 'mesh',
    workloads: [...NEW_ARGUMENTS, 'W1-equal'],
    file: 'hive/server.mjs',
    packages: 'bench/peers/hive',
  },
  {
    name: 'floor',
    title: 'Node and undici, one call, no GraphQL',
    kind: 'peer',
    workloads: ['W2', 'W3', 'W4'],
  },
];

/**
 * Returns the servers with these names, or the default ones. The name `all` stands for all servers.
 *
 * @param against the folder of another checkout of Caseway, which takes part as `before`.
 */
export function chooseServers(names: readonly string[], against: string): readonly Server[] {
  const before: Server = {
    ...CASEWAY,
    name: 'before',
    title: 'Caseway, before',
    checkout: resolve(against),
  };
  const usual = against === '' ? SERVERS : [...SERVERS, before];
  const known = [...usual, ...MORE];
  if (names.includes('all')) return known;
  const unknown = names.filter((name) => !known.some((server) => server.name === name));
  if (unknown.length > 0) throw new Error(`Unknown server: ${unknown.join(', ')}`);
  return names.length === 0 ? usual : known.filter(({ name }) => names.includes(name));
}

const PEERS = 'bench/peers';

/** Installs the packages of the peers that take part. */
export function installPeers(servers: readonly Server[]): void {
  const peers = servers.filter(({ checkout }) => checkout === undefined);
  const folders = new Set(peers.map(({ packages = PEERS }) => packages));
  if (folders.size === 0) return;
  execFileSync(process.execPath, [join(ROOT, 'tools/install.mjs'), ...folders], {
    stdio: 'inherit',
  });
}

/** Starts a process of a server and waits until it is ready. */
export async function startServer(
  { name, checkout, file = `servers/${name}.ts` }: Server,
  bed: TestBed,
): Promise<RunningServer> {
  if (checkout === undefined) return startPeer(name, join(ROOT, PEERS, file), bed);
  // Metrics are on in production.
  const env = { METRICS_PORT: String(await freePort()) };
  return bed.startGateway(env, { checkout });
}

/**
 * Starts a peer with the gateway's environment only. Nothing from the user's shell, such as another
 * allocator, reaches either.
 */
async function startPeer(
  name: string,
  file: string,
  { folder, platform }: TestBed,
): Promise<RunningServer> {
  const port = await freePort();
  const log = openSync(join(folder, `${name}.log`), 'a');
  const settings = { PORT: String(port), UPSTREAM_URL: platform.url, CALLER_KEYS };
  const child = spawn(process.execPath, [file], {
    env: { ...RUNTIME, ...settings },
    stdio: ['ignore', log, 'inherit'],
  });
  const ended = once(child, 'exit');
  while (!(await isListening(port))) {
    if (child.exitCode !== null)
      throw new Error(`${name} ended with ${child.exitCode} before it listened.`);
    await pause(20);
  }
  return {
    port,
    pid: child.pid ?? 0,
    stop() {
      child.kill('SIGKILL');
      return ended;
    },
  };
}

function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1' });
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}
