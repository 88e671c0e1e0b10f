import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

import { freePort } from '../stage/index.ts';

const PEERS = join(import.meta.dirname, '../peers');
const TAILCALL = join(PEERS, 'node_modules/.bin/tailcall');

/** A server beside ours, in a process of its own. */
export interface Peer {
  readonly port: number;
  readonly pid: number;
  stop(): void;
}

/** Installs what the peers need, by their own lockfile, unless it is there. */
export function installPeers(): void {
  const lockfile = join(PEERS, 'package-lock.json');
  const installed = join(PEERS, 'node_modules/.package-lock.json');
  if (existsSync(installed) && statSync(installed).mtimeMs >= statSync(lockfile).mtimeMs) return;
  const npm = spawnSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: PEERS, stdio: 'inherit' });
  if (npm.status !== 0) throw new Error('The peers could not be installed.');
}

/** Starts one of `bench/peers/servers/`, with as many helpers of Node's as a gateway has, and waits until it listens. */
export async function startPeer(server: string, upstreamUrl: string, args: readonly string[] = []): Promise<Peer> {
  const port = await freePort();
  const env = { ...process.env, NODE_ENV: 'production', PORT: String(port), UPSTREAM_URL: upstreamUrl };
  return untilOpen(
    spawn(process.execPath, ['--v8-pool-size=0', join(PEERS, 'servers', `${server}.ts`), ...args], {
      env,
      stdio: ['ignore', 'ignore', 'inherit'],
    }),
    port,
  );
}

/**
 * Starts Tailcall, which answers equal calls to the platform that are under way once if it is told to; `undefined` where
 * there is no binary of it that runs on this machine.
 */
export async function startTailcall(
  upstreamUrl: string,
  folder: string,
  { isDeduping }: { readonly isDeduping: boolean },
): Promise<Peer | undefined> {
  if (!existsSync(TAILCALL) || spawnSync(TAILCALL, ['--version']).status !== 0) return undefined;
  const port = await freePort();
  const template = readFileSync(join(PEERS, 'tailcall.graphql'), 'utf8');
  const settings = isDeduping ? template : template.replaceAll('dedupe: true', 'dedupe: false');
  const file = join(folder, `tailcall-${port}.graphql`);
  writeFileSync(file, settings.replaceAll('UPSTREAM', upstreamUrl).replace('PORT', String(port)));
  const env = { ...process.env, TAILCALL_LOG_LEVEL: 'error', TAILCALL_TRACKER: 'false' };
  return untilOpen(spawn(TAILCALL, ['start', file], { env, stdio: ['ignore', 'ignore', 'inherit'] }), port);
}

async function untilOpen(child: ReturnType<typeof spawn>, port: number): Promise<Peer> {
  while (!(await isOpen(port))) {
    if (child.exitCode !== null) throw new Error(`A peer ended with ${child.exitCode} before it listened.`);
    await pause(20);
  }
  return { port, pid: child.pid ?? 0, stop: () => child.kill('SIGKILL') };
}

function isOpen(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1' });
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}
