import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';

import type { GraphqlAnswer } from '../../support/gateway.ts';
import { startRedis } from '../../support/redis.ts';
import { scriptPlatform } from '../../support/scripted-platform.ts';
import { startReplica } from './replicas.ts';
import { storeKey } from './support.ts';

/** How many keyed writes are sent to both replicas; `KEYED_WRITES=2000` for the whole proof. */
const WRITES = Number(process.env['KEYED_WRITES'] ?? 60);
/** The number of writes at a time, and of writes per kill of a gateway. */
const AT_A_TIME = 8;
const WRITES_FOR_A_KILL = 20;
/** How long a write is repeated until it has an outcome, in milliseconds. */
const PATIENCE_MS = 60_000;

const CREATE = `mutation ($key: ID!) {
  createInstance(input: { formId: "f", values: { key: $key }, idempotencyKey: $key }) { instance { instanceId } }
}`;
/** Outcomes after which a client repeats the write: a lost connection, or nothing was sent. */
const REPEATED = [
  'lost',
  'UPSTREAM_TIMEOUT',
  'UPSTREAM_UNAVAILABLE',
  'IDEMPOTENCY_UNAVAILABLE',
  'SHUTTING_DOWN',
  'RATE_LIMITED',
];

it('the same keyed write sent to two replicas has one effect at most, while gateways are killed', {
  timeout: 3_600_000,
}, async () => {
  const redis = await startRedis({ isDurable: true });
  const effects = new Map<string, string[]>();
  let instances = 0;
  const platform = await scriptPlatform(async ({ body }) => {
    const { key } = JSON.parse(body).values;
    const idInstance = String(++instances);
    effects.set(key, [...(effects.get(key) ?? []), idInstance]);
    // Some answers take long enough for a gateway to be killed before they arrive.
    await sleep(30 * Math.random());
    return { status: 201, body: { idInstance, values: { key } } };
  });
  const env = {
    ...platform.env,
    REDIS_URL: redis.url,
    SESSION_KEYS: storeKey(),
    UPSTREAM_TIMEOUT_MS: '2000',
  };
  const start = () => startReplica(env);
  const replicas = await Promise.all([start(), start()]);
  const kill = async (at: number) => {
    replicas[at]?.stop('SIGKILL');
    replicas[at] = await start();
  };

  const problems: string[] = [];
  /** Sends a write to one of the two replicas until it has an outcome, and returns that. */
  const settle = async (at: number, key: string): Promise<string> => {
    const untilMs = performance.now() + PATIENCE_MS;
    while (performance.now() < untilMs) {
      const answer = await replicas[at]?.execute(CREATE, { key }).catch(() => undefined);
      const outcome = outcomeOf(answer);
      if (!REPEATED.includes(outcome)) return outcome;
      await sleep(50);
    }
    return 'nothing';
  };
  const write = async (index: number): Promise<void> => {
    const key = `k${index}`;
    const [first, second] = index % 3 === 0 ? [1, 0] : [0, 1];
    // Every other one at the same time.
    const one = settle(first, key);
    if (index % 2 === 0) await one;
    const outcomes = [await settle(second, key), await one];
    const made = effects.get(key) ?? [];
    if (made.length > 1) problems.push(`${key} was made ${made.length} times`);
    const wrong = outcomes.filter((text) => text !== 'OUTCOME_UNKNOWN' && text !== made[0]);
    if (wrong.length > 0) problems.push(`${key}: answered ${wrong}, made ${made}`);
  };

  let next = 0;
  let killing = Promise.resolve();
  const work = async () => {
    while (next < WRITES) {
      const index = next++;
      if (index % WRITES_FOR_A_KILL === 0)
        killing = killing.then(() => kill(Math.random() < 0.5 ? 0 : 1));
      await write(index);
    }
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, work));
  await killing;

  expect(problems).toEqual([]);
  expect(effects.size).toBeGreaterThan(0);
});

/** Returns the id of the created instance or the code of the error; `lost` without a response. */
function outcomeOf(answer: GraphqlAnswer | undefined): string {
  if (answer === undefined) return 'lost';
  const [error] = answer.errors ?? [];
  return error ? error.extensions['code'] : answer.data.createInstance.instance.instanceId;
}
