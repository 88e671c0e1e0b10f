import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

import { isReady } from './ready.ts';
import { type Usage, usageOf } from './usage.ts';

/** A gateway as it runs in production: a process of its own, with its settings from the environment. */
export interface Gateway {
  readonly port: number;
  readonly pid: number;
  /** From the start of the process to its first readiness, in milliseconds. */
  readonly readyAfterMs: number;
  /** Whether it still runs. */
  isRunning(): boolean;
  usage(): Usage;
  /** How many warnings of Node itself, such as of listeners that pile up, it has said. */
  warnings(): number;
  /** Sends SIGTERM, or what is given; resolves to how it ended and after how many milliseconds. */
  stop(signal?: NodeJS.Signals): Promise<{ readonly code: number | null; readonly tookMs: number }>;
}

export interface GatewayOptions {
  readonly port: number;
  readonly upstreamUrl: string;
  /** Its working folder, for its log. */
  readonly folder: string;
  readonly env?: Readonly<Record<string, string>>;
}

const API_KEY = 'the-key-of-the-load';
const MAIN = join(import.meta.dirname, '../../src/main.ts');

/** What a caller of the gateway sends to be known. */
export const CALLER: Readonly<Record<string, string>> = { 'x-api-key': API_KEY };

const PRODUCTION = {
  NODE_ENV: 'production',
  CALLER_AUTH: 'key',
  CALLER_KEYS: `load:${createHash('sha256').update(API_KEY).digest('hex')}`,
  UPSTREAM_USERNAME: 'gateway',
  UPSTREAM_PASSWORD: 'secret',
};

/** Starts a gateway, and waits until it is ready. */
export async function startGateway({ port, upstreamUrl, folder, env = {} }: GatewayOptions): Promise<Gateway> {
  const logFile = join(folder, `gateway-${port}.log`);
  const log = openSync(logFile, 'a');
  const startedMs = performance.now();
  const child = spawn(process.execPath, ['--v8-pool-size=0', '--max-old-space-size=256', MAIN], {
    cwd: folder,
    env: { ...PRODUCTION, PORT: String(port), UPSTREAM_URL: upstreamUrl, ...env },
    stdio: ['ignore', log, log],
  });
  const ended = once(child, 'exit');
  await untilReady(child, port);
  const pid = child.pid ?? 0;
  return {
    port,
    pid,
    readyAfterMs: performance.now() - startedMs,
    isRunning: () => isRunning(child),
    usage: () => usageOf(pid),
    warnings: () => readFileSync(logFile, 'utf8').match(/Warning: /g)?.length ?? 0,
    async stop(signal = 'SIGTERM') {
      const toldMs = performance.now();
      child.kill(signal);
      const [code] = (await ended) as [number | null];
      return { code, tookMs: performance.now() - toldMs };
    },
  };
}

const isRunning = ({ exitCode, signalCode }: ChildProcess) => exitCode === null && signalCode === null;

async function untilReady(child: ChildProcess, port: number): Promise<void> {
  while (!(await isReady(port))) {
    if (!isRunning(child)) throw new Error(`The gateway ended with ${child.exitCode} before it was ready.`);
    await pause(5);
  }
}
