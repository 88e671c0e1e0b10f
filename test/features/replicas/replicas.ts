import { onTestFinished } from 'vitest';

import { createSandbox, type SandboxOptions } from '../../../sandbox/index.ts';
import { type Env, type GraphqlAnswer, postGraphql, startGateway } from '../../support/gateway.ts';
import { runMain } from '../../support/run.ts';
import { SAMPLES } from '../../support/samples.ts';
import { storeKey } from './support.ts';

/** A gateway that shares Redis with others. */
interface SharingGateway {
  readonly url: string;
  execute(query: string, variables?: Readonly<Record<string, unknown>>): Promise<GraphqlAnswer>;
}

/** One in a process of its own. */
export interface Replica extends SharingGateway {
  stop(signal?: NodeJS.Signals): void;
}

/** One in this process. */
export interface Sharer extends SharingGateway {
  /** Whether it has ever run without Redis. */
  wasAlone(): boolean;
}

type SharedSettings = Readonly<Record<string, string>> & {
  readonly UPSTREAM_URL: string;
  readonly REDIS_URL: string;
};

const OWN = {
  UPSTREAM_USERNAME: 'demo',
  UPSTREAM_PASSWORD: 'demo',
  TYPED_FORMS: 'none',
  LOG_LEVEL: 'warn',
  PORT: '0',
};

/**
 * Starts a platform whose calls are counted: `calls` grows by the operation of each, with its
 * status where it was refused.
 */
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

/**
 * Starts gateways as processes in front of one platform, with one Redis; they end with the test.
 */
export async function startReplicas(
  count: number,
  env: SharedSettings,
): Promise<readonly [Replica, ...Replica[]]> {
  const SESSION_KEYS = storeKey();
  return several(count, () => startReplica({ ...OWN, SESSION_KEYS, ...env }));
}

async function startReplica(env: Env): Promise<Replica> {
  const { printed, stop } = runMain([], env);
  const url = await printed(/at (http:\S+)\/graphql/);
  return { url, stop, execute: (query, variables) => postGraphql(url, { query, variables }) };
}

/**
 * Starts gateways as `startReplicas` does, in this process: no module keeps a state that they would
 * share, and no test kills one.
 */
export async function startSharers(
  count: number,
  env: SharedSettings,
): Promise<readonly [Sharer, ...Sharer[]]> {
  const SESSION_KEYS = storeKey();
  return several(count, async () => {
    let isAlone = false;
    const { url, execute } = await startGateway({ ...OWN, SESSION_KEYS, ...env }, (line) => {
      isAlone ||= line.includes('running standalone');
    });
    return { url, execute, wasAlone: () => isAlone };
  });
}

async function several<T>(count: number, start: () => Promise<T>): Promise<readonly [T, ...T[]]> {
  const [first, ...others] = [start(), ...Array.from({ length: count - 1 }, start)];
  return [await first, ...(await Promise.all(others))];
}

/**
 * Repeats a run until no gateway lost Redis in it, and returns the result. On a busy machine a
 * gateway may lose Redis and then counts and renews alone, so such a run proves nothing.
 */
export async function whileShared<T extends { readonly replicas: readonly Sharer[] }>(
  run: () => Promise<T>,
): Promise<T> {
  for (;;) {
    const ran = await run();
    if (!ran.replicas.some(({ wasAlone }) => wasAlone())) return ran;
  }
}
