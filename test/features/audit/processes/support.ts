import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';

import { type Env, type GraphqlAnswer, postGraphql } from '../../../support/gateway.ts';
import { type Run, runMain } from '../../../support/run.ts';
import { scriptPlatform } from '../../../support/scripted-platform.ts';
import { type Line, sha256 } from '../support.ts';

/**
 * Starts a platform whose journal lists the key of each change it made.
 *
 * @param isRefused whether the platform refuses the change with this key.
 */
export async function startJournal(isRefused = (_key: string) => false) {
  const journal: string[] = [];
  const { env } = await scriptPlatform(async ({ method, body }) => {
    if (method === 'GET') return { body: [] };
    const { key } = JSON.parse(body).values;
    if (isRefused(key)) return { status: 403 };
    journal.push(key);
    // Some answers take long enough for a gateway to be killed before they arrive.
    await sleep(20 * Math.random());
    return { status: 201, body: { idInstance: String(journal.length), values: { key } } };
  });
  const settings = { ...env, TYPED_FORMS: 'none', PORT: '0', LOG_LEVEL: 'silent' };
  return { journal, env: settings };
}

export interface Gateway extends Omit<Run, 'printed'> {
  /**
   * Creates an instance whose value is its idempotency key; `undefined` where the connection is
   * lost.
   */
  create(key: string): Promise<GraphqlAnswer | undefined>;
  list(): Promise<GraphqlAnswer>;
}

const CREATE = `mutation ($key: ID!) {
  createInstance(input: { formId: "f", values: { key: $key }, idempotencyKey: $key }) { instance { instanceId } }
}`;

export async function startAuditing(env: Env): Promise<Gateway> {
  const run = runMain([], env);
  const url = await run.printed(/at (http:\S+)\/graphql/);
  return {
    ...run,
    create: (key) => postGraphql(url, { query: CREATE, variables: { key } }).catch(() => undefined),
    list: () => postGraphql(url, { query: '{ instances(formId: "f") { nodes { instanceId } } }' }),
  };
}

const AT_A_TIME = 8;

/** Calls a function for each number from `first` up to `end`, eight at a time. */
export async function inParallel(
  first: number,
  end: number,
  run: (index: number) => Promise<unknown>,
): Promise<void> {
  let next = first;
  const work = async () => {
    while (next < end) await run(next++);
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, work));
}

/** Expects a line before each effect in the journal, and an effect for each change that is done. */
export function expectAudited(journal: readonly string[], lines: readonly Line[]): void {
  const sent = lines.filter(({ event }) => event === 'sent');
  const keyOf = new Map(sent.map(({ id, keySha256 }) => [id, keySha256]));
  const audited = new Set(sent.map(({ keySha256 }) => keySha256));
  const effects = new Set(journal.map(sha256));
  const done = lines.filter(({ event }) => event === 'done');
  expect([...effects].filter((hash) => !audited.has(hash))).toEqual([]);
  expect(done.filter(({ id }) => !effects.has(keyOf.get(id)))).toEqual([]);
}
