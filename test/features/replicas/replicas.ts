import { onTestFinished } from 'vitest';

import { createSandbox, type SandboxOptions } from '../../../sandbox/index.ts';
import { type GraphqlAnswer, postGraphql } from '../../support/gateway.ts';
import { runMain } from '../../support/run.ts';
import { storeKey } from './support.ts';

/** A gateway in a process of its own. */
export interface Replica {
  readonly url: string;
  execute(query: string, variables?: Readonly<Record<string, unknown>>): Promise<GraphqlAnswer>;
  stop(signal?: NodeJS.Signals): void;
  /** Whether it has ever run without Redis. */
  wasAlone(): boolean;
}

/** Starts a platform whose calls are counted: `calls` grows by the operation of each, with its status where it was refused. */
export async function startPlatform(options: Omit<SandboxOptions, 'file' | 'onAnswer'> = {}) {
  const calls: string[] = [];
  const sandbox = createSandbox({
    file: ':memory:',
    ...options,
    onAnswer: ({ operation, status }) => calls.push(status < 400 ? operation : `${operation} ${status}`),
  });
  onTestFinished(sandbox.close);
  return { calls, url: await sandbox.listen({ port: 0, host: '127.0.0.1' }) };
}

/** Starts gateways as processes in front of one platform, with one Redis; they end with the test. */
export async function startReplicas(
  count: number,
  env: Readonly<Record<string, string>> & { readonly UPSTREAM_URL: string; readonly REDIS_URL: string },
): Promise<readonly [Replica, ...Replica[]]> {
  const own = {
    UPSTREAM_USERNAME: 'demo',
    UPSTREAM_PASSWORD: 'demo',
    SESSION_KEYS: storeKey(),
    TYPED_FORMS: 'none',
  };
  const start = () => startReplica({ ...own, PORT: '0', LOG_LEVEL: 'warn', ...env });
  const [first, ...others] = [start(), ...Array.from({ length: count - 1 }, start)];
  return [await first, ...(await Promise.all(others))];
}

async function startReplica(env: Readonly<Record<string, string>>): Promise<Replica> {
  const { printed, stop } = runMain([], env);
  let wasAlone = false;
  printed(/running standalone/).then(
    () => {
      wasAlone = true;
    },
    () => undefined,
  );
  const url = await printed(/at (http:\S+)\/graphql/);
  const execute: Replica['execute'] = (query, variables) => postGraphql(url, JSON.stringify({ query, variables }));
  return { url, stop, wasAlone: () => wasAlone, execute };
}

/**
 * Gives what came of a run in which no replica was ever without Redis. Where a busy machine keeps that from an answer for longer
 * than a replica waits, each counts and renews by itself: such a run shows nothing, and there is another.
 */
export async function whileShared<T extends { readonly replicas: readonly Replica[] }>(
  run: () => Promise<T>,
): Promise<T> {
  for (;;) {
    const ran = await run();
    if (!ran.replicas.some(({ wasAlone }) => wasAlone())) return ran;
  }
}
