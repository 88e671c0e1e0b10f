import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

import { type Platform, type PlatformOptions, startPlatform } from './platform/index.ts';
import { type ProcessUsage, usageOf } from './process-usage.ts';

/** A platform on loopback, and gateways in front of it. */
export interface TestBed {
  /** A temporary folder for logs and settings files. */
  readonly folder: string;
  readonly platform: Platform;
  /** Starts a gateway and waits until it is ready. It ends with the test bed. */
  startGateway(env?: Environment, options?: GatewayOptions): Promise<Gateway>;
}

export interface GatewayOptions {
  /** The port to listen on. Default: a free one. */
  readonly port?: number;
  /** The folder of the checkout to run. Default: this checkout. */
  readonly checkout?: string;
  /** The path that answers 200 when the gateway has started. Default: `/readyz`. */
  readonly readyPath?: string;
}

/** A gateway as in production: its own process, with settings from the environment. */
export interface Gateway {
  readonly port: number;
  readonly pid: number;
  /** The time from the start of the process to its first readiness, in milliseconds. */
  readonly readyAfterMs: number;
  isRunning(): boolean;
  usage(): ProcessUsage;
  /** Returns the number of warnings from Node, such as a possible leak of listeners. */
  warnings(): number;
  /** Sends a signal. Resolves when the process has ended. */
  stop(signal?: NodeJS.Signals): Promise<{ readonly code: number | null; readonly tookMs: number }>;
}

export type Environment = Readonly<Record<string, string>>;

/** The folder of this checkout. */
export const ROOT = join(import.meta.dirname, '..');
const API_KEY = 'the-key-of-the-benchmarks';

const dockerfile = readFileSync(join(ROOT, 'Dockerfile'), 'utf8');
/** Node's options in the image, memory limits included. Every compared server runs with them. */
export const NODE_OPTIONS = /NODE_OPTIONS="(.*?)"/.exec(dockerfile)?.[1] ?? '';

/** The value of `CALLER_KEYS`: one caller, by the hash of its key. */
export const CALLER_KEYS = `bench:${createHash('sha256').update(API_KEY).digest('hex')}`;

/** The headers of an authenticated caller. */
export const CALLER: Readonly<Record<string, string>> = { 'x-api-key': API_KEY };

/** The environment of every compared process: glibc with one heap, as in deploy/systemd. */
export const RUNTIME: Environment = {
  NODE_ENV: 'production',
  NODE_OPTIONS,
  MALLOC_ARENA_MAX: '1',
};

const PRODUCTION = {
  ...RUNTIME,
  CALLER_AUTH: 'key',
  CALLER_KEYS,
  UPSTREAM_USERNAME: 'gateway',
  UPSTREAM_PASSWORD: 'secret',
};

/** Creates a test bed, runs `use` with it and removes it, also after a failure. */
export async function withTestBed<T>(
  use: (bed: TestBed) => Promise<T>,
  options: PlatformOptions = {},
): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'caseway-bench-'));
  const platform = await startPlatform(join(folder, 'ledger'), options);
  const gateways: Gateway[] = [];
  const running = () => gateways.filter((gateway) => gateway.isRunning());
  try {
    return await use({
      folder,
      platform,
      async startGateway(env = {}, options = {}) {
        const gateway = await startGateway(folder, { UPSTREAM_URL: platform.url, ...env }, options);
        gateways.push(gateway);
        return gateway;
      },
    });
  } finally {
    await Promise.all(running().map((gateway) => gateway.stop('SIGKILL')));
    await platform.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function startGateway(
  folder: string,
  env: Environment,
  options: GatewayOptions,
): Promise<Gateway> {
  const { port = await freePort(), checkout = ROOT, readyPath } = options;
  const logFile = join(folder, `gateway-${port}.log`);
  const log = openSync(logFile, 'a');
  const startedMs = performance.now();
  const child = spawn(process.execPath, [join(checkout, 'caseway.mjs')], {
    cwd: folder,
    env: { ...PRODUCTION, PORT: String(port), ...env },
    stdio: ['ignore', log, log],
  });
  const ended = once(child, 'exit');
  await untilReady(child, port, logFile, readyPath);
  const pid = child.pid ?? 0;
  return {
    port,
    pid,
    readyAfterMs: performance.now() - startedMs,
    isRunning: () => isRunning(child),
    usage: () => usageOf(pid),
    warnings: () => readFileSync(logFile, 'utf8').match(/Warning: /g)?.length ?? 0,
    async stop(signal = 'SIGTERM') {
      const signalledMs = performance.now();
      child.kill(signal);
      const [code] = (await ended) as [number | null];
      return { code, tookMs: performance.now() - signalledMs };
    },
  };
}

const isRunning = ({ exitCode, signalCode }: ChildProcess) =>
  exitCode === null && signalCode === null;

async function untilReady(
  child: ChildProcess,
  port: number,
  logFile: string,
  path?: string,
): Promise<void> {
  while (!(await isReady(port, path))) {
    if (!isRunning(child))
      throw new Error(`The gateway did not start:\n${readFileSync(logFile, 'utf8')}`);
    await pause(5);
  }
}

/** Returns whether the gateway at a port reports readiness. */
export function isReady(port: number, path = '/readyz'): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = request({ port, path, agent: false, timeout: 1_000 }, (response) => {
      response.resume();
      response.once('close', () => resolve(response.statusCode === 200));
    });
    probe.once('timeout', () => probe.destroy());
    probe.once('error', () => resolve(false));
    probe.end();
  });
}

/** Returns a free port of the loopback address. */
export function freePort(): Promise<number> {
  const server = createServer();
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      const port = address !== null && typeof address === 'object' ? address.port : 0;
      server.close(() => resolve(port));
    });
  });
}
