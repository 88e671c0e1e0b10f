import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { existsSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

import { CALLER_KEYS, type Environment, freePort, NODE_OPTIONS, type TestBed } from '../test-bed.ts';
import type { GraphKind } from './workloads.ts';

/** A server that takes part, in a process of its own. */
export interface Server {
  readonly name: string;
  readonly title: string;
  readonly kind: GraphKind;
  readonly port: number;
  readonly pid: number;
}

interface Entry {
  readonly name: string;
  readonly title: string;
  readonly kind: GraphKind;
}

const GATEWAY: readonly Entry[] = [
  { name: 'caseway', title: 'Caseway, typed graph', kind: 'typed' },
  { name: 'caseway-generic', title: 'Caseway, generic graph', kind: 'generic' },
];

/** Each is a file of `bench/peers/servers/`, but for Tailcall. */
const PEERS: readonly Entry[] = [
  { name: 'minimal', title: 'minimal gateway, generic graph', kind: 'generic' },
  { name: 'apollo-fastify', title: 'Apollo Server on Fastify', kind: 'peer' },
  { name: 'apollo', title: 'Apollo Server, standalone', kind: 'peer' },
  { name: 'yoga', title: 'GraphQL Yoga', kind: 'peer' },
  { name: 'mercurius', title: 'Mercurius, jit', kind: 'peer' },
  { name: 'mercurius-duties', title: 'Mercurius, jit, the same duties', kind: 'peer' },
  { name: 'tailcall', title: 'Tailcall, dedupe (Rust)', kind: 'tailcall' },
  { name: 'rest', title: 'REST by hand, node:http', kind: 'rest' },
];

const FOLDER = join(import.meta.dirname, '../peers');
const INSTALL = join(import.meta.dirname, '../../tools/install.mjs');
const TAILCALL = join(FOLDER, 'node_modules/.bin/tailcall');

/** Starts every server, or those that are named, and runs `use` with them. */
export async function withServers<T>(
  bed: TestBed,
  names: readonly string[],
  use: (servers: readonly Server[]) => Promise<T>,
  env: Environment = {},
): Promise<T> {
  const unknown = names.filter((name) => ![...GATEWAY, ...PEERS].some((entry) => entry.name === name));
  if (unknown.length > 0) throw new Error(`Unknown server: ${unknown.join(', ')}`);
  const isChosen = ({ name }: Entry) => names.length === 0 || names.includes(name);
  const children: ChildProcess[] = [];
  const servers: Server[] = [];
  try {
    if (GATEWAY.some(isChosen)) {
      const { port, pid } = await bed.startGateway(env);
      servers.push(...GATEWAY.filter(isChosen).map((entry) => ({ ...entry, port, pid })));
    }
    const peers = PEERS.filter(isChosen);
    if (peers.length > 0) execFileSync(process.execPath, [INSTALL, 'bench/peers'], { stdio: 'inherit' });
    for (const entry of peers) {
      const port = await freePort();
      const child = entry.name === 'tailcall' ? startTailcall(bed, port) : startPeer(entry.name, bed, { port, env });
      if (child === undefined) continue;
      children.push(child);
      await untilListening(entry.name, child, port);
      servers.push({ ...entry, port, pid: child.pid ?? 0 });
    }
    return await use(servers);
  } finally {
    for (const child of children) child.kill('SIGKILL');
  }
}

/** Starts a peer in the environment that the gateway has: nothing of the caller's shell, such as another allocator, reaches either. */
function startPeer(
  name: string,
  { folder, platform }: TestBed,
  { port, env }: { readonly port: number; readonly env: Environment },
): ChildProcess {
  const log = openSync(join(folder, `${name}.log`), 'a');
  const settings = { PORT: String(port), UPSTREAM_URL: platform.url, CALLER_KEYS };
  return spawn(process.execPath, [join(FOLDER, 'servers', `${name}.ts`)], {
    env: { NODE_ENV: 'production', NODE_OPTIONS, ...settings, ...env },
    stdio: ['ignore', log, 'inherit'],
  });
}

/** Starts Tailcall; `undefined` where there is no binary of it that runs on this machine. */
function startTailcall({ folder, platform }: TestBed, port: number): ChildProcess | undefined {
  if (!existsSync(TAILCALL) || spawnSync(TAILCALL, ['--version']).status !== 0) return undefined;
  const file = join(folder, 'tailcall.graphql');
  const settings = readFileSync(join(FOLDER, 'tailcall.graphql'), 'utf8');
  writeFileSync(file, settings.replaceAll('UPSTREAM', platform.url).replace('PORT', String(port)));
  const env = { TAILCALL_LOG_LEVEL: 'error', TAILCALL_TRACKER: 'false' };
  return spawn(TAILCALL, ['start', file], { env, stdio: ['ignore', 'ignore', 'inherit'] });
}

async function untilListening(name: string, child: ChildProcess, port: number): Promise<void> {
  while (!(await isListening(port))) {
    if (child.exitCode !== null) throw new Error(`${name} ended with ${child.exitCode} before it listened.`);
    await pause(20);
  }
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
