import { onTestFinished } from 'vitest';

import { createSandbox, type SandboxOptions } from '../../../sandbox/index.ts';
import { type Env, type GraphqlAnswer, postGraphql, startGateway } from '../../support/gateway.ts';
import { startRedis } from '../../support/redis.ts';
import { runMain } from '../../support/run.ts';
import { SAMPLES } from '../../support/samples.ts';
import { storeKey } from './support.ts';

/** A gateway in a process of its own. */
export interface Replica {
  readonly url: string;
  execute(query: string, variables?: object): Promise<GraphqlAnswer>;
  stop(signal?: NodeJS.Signals): void;
}

const SETTINGS = {
  UPSTREAM_USERNAME: 'demo',
  UPSTREAM_PASSWORD: 'demo',
  TYPED_FORMS: 'none',
  LOG_LEVEL: 'warn',
  PORT: '0',
};

/** Starts a sandbox. `calls` lists the operations of its calls, with the status from 400 on. */
export async function startPlatform(options: Omit<SandboxOptions, 'file' | 'onAnswer'> = {}) {
  const calls: string[] = [];
  const sandbox = createSandbox({
    file: ':memory:',
    definitions: SAMPLES,
    ...options,
    onAnswer: ({ operation, status }) =>
      calls.push(status < 400 ? operation : `${operation} ${status}`),
  });
  onTestFinished(sandbox.close);
  return { calls, url: await sandbox.listen({ port: 0, host: '127.0.0.1' }) };
}

/** Starts a gateway as a process, which ends with the test. */
export async function startReplica(env: Env): Promise<Replica> {
  const { printed, stop } = runMain([], { ...SETTINGS, ...env });
  const url = await printed(/at (http:\S+)\/graphql/);
  return { url, stop, execute: (query, variables) => postGraphql(url, { query, variables }) };
}

/** Starts a gateway in this process, for tests that do not kill it. */
export async function startSharer(env: Env) {
  let isAlone = false;
  const gateway = await startGateway({ ...SETTINGS, ...env }, (line) => {
    isAlone ||= line.includes('running standalone');
  });
  /** Returns whether it has ever run without Redis. */
  return { ...gateway, wasAlone: () => isAlone };
}

export type Sharer = Awaited<ReturnType<typeof startSharer>>;

/** Starts a Redis and two gateways in this process that share it, with a sandbox by default. */
export async function startPair(env: Env = {}) {
  const [platform, redis] = await Promise.all([startPlatform(), startRedis()]);
  const shared = {
    UPSTREAM_URL: platform.url,
    REDIS_URL: redis.url,
    SESSION_KEYS: storeKey(),
    ...env,
  };
  const [a, b] = await Promise.all([startSharer(shared), startSharer(shared)]);
  return { platform, redis, env: shared, a, b };
}

/**
 * Repeats a run until no gateway lost Redis in it, and returns the result. On a busy machine a
 * gateway may lose Redis and then counts and renews alone, so such a run proves nothing.
 */
export async function whileShared<T extends { readonly a: Sharer; readonly b: Sharer }>(
  run: () => Promise<T>,
): Promise<T> {
  for (;;) {
    const result = await run();
    if (!result.a.wasAlone() && !result.b.wasAlone()) return result;
  }
}
