import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { readAddresses } from '../support/addresses.ts';
import { COMPILED, MAIN } from '../support/run.ts';
import { startSlowPlatform } from './platform.ts';
import { type Attack, operation, type Places, send } from './request.ts';

/** A gateway with production settings, in a process of its own. */
export interface Target extends Places {
  readonly pid: number;
  isAlive(): boolean;
  /** Returns the memory of the process, in bytes. */
  memory(): number;
  /** Returns everything that the process has printed. */
  output(): string;
  stop(): Promise<void>;
}

const ROOT = join(import.meta.dirname, '../..');
/** The image's limits of Node's memory. */
export const NODE_OPTIONS =
  /NODE_OPTIONS="(.*?)"/.exec(readFileSync(join(ROOT, 'Dockerfile'), 'utf8'))?.[1] ?? '';
const ENV = {
  NODE_ENV: 'production',
  NODE_OPTIONS,
  CALLER_AUTH: 'none',
  PORT: '0',
  METRICS_PORT: '0',
  TYPED_FORMS: 'none',
};
const WITH_SANDBOX = { SANDBOX_FILE: ':memory:' };
const WARM_UP =
  '{ forms { nodes { name fields { name } instances(first: 5) { nodes { values form { name } } } } } }';

type TargetOptions = Pick<Attack, 'isSlow' | 'env' | 'startPlatform'>;

/** Starts a target and sends it some ordinary queries, so that it is warm. */
export async function startTarget({
  isSlow = false,
  ...options
}: TargetOptions = {}): Promise<Target> {
  const platform = await (isSlow ? startSlowPlatform : options.startPlatform)?.();
  const upstream = platform && {
    UPSTREAM_URL: platform.url,
    UPSTREAM_USERNAME: 'demo',
    UPSTREAM_PASSWORD: 'demo',
  };
  const env = { ...COMPILED, ...ENV, ...(upstream ?? WITH_SANDBOX), ...options.env?.() };
  const child = spawn(process.execPath, [MAIN], { env, cwd: tmpdir() });
  const closed = once(child, 'close');
  let output = '';
  const keep = (chunk: unknown) => {
    output += chunk;
  };
  child.stderr.on('data', keep);
  child.stdout.on('data', keep);
  let addresses = readAddresses(output);
  while (addresses === undefined) {
    await Promise.race([
      once(child.stdout, 'data'),
      closed.then(() => Promise.reject(new Error(output))),
    ]);
    addresses = readAddresses(output);
  }
  const { url, metrics, sandbox } = addresses;
  for (let n = 0; n < (platform ? 2 : 60); n++) await send(url, operation(`${WARM_UP} # ${n % 7}`));

  return {
    url,
    metricsUrl: metrics.replace('/metrics', ''),
    sandboxUrl: platform?.url ?? sandbox,
    pid: child.pid ?? 0,
    isAlive: () => child.exitCode === null && child.signalCode === null,
    memory: () =>
      Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1]) * 1024,
    output: () => output,
    async stop() {
      child.kill('SIGKILL');
      await closed;
      platform?.stop();
    },
  };
}
