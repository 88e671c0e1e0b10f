import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';

import { startRedis } from '../../../support/redis.ts';
import { scriptPlatform } from '../../../support/scripted-platform.ts';
import { type Replica, startReplica } from '../../replicas/replicas.ts';
import { storeKey } from '../../replicas/support.ts';
import { CREATE_INSTANCES, type Item } from '../support.ts';

/** How often a gateway is killed in the middle of a call; `BULK_KILLS=500` for the whole proof. */
const KILLS = Number(process.env['BULK_KILLS'] ?? 3);
const ITEMS = 100;
const AT_A_TIME = 4;
/** The maximum number of attempts: an item that was in progress waits until its lease ends. */
const TRIES = 20;

/** The possible results of an item and how often the platform made it. */
const SOUND = ['DONE 1', 'UNKNOWN 1', 'UNKNOWN 0'];

it('makes each change once at most where a gateway is killed and the call is sent again to another replica', {
  timeout: 3_600_000,
}, async () => {
  const redis = await startRedis({ isDurable: true });
  const made = new Map<string, number>();
  let kill: { readonly at: number; readonly victim: Replica } | undefined;
  let sent = 0;
  const platform = await scriptPlatform(async ({ body }) => {
    const { row } = JSON.parse(body).values;
    made.set(row, (made.get(row) ?? 0) + 1);
    if (++sent === kill?.at) kill.victim.stop('SIGKILL');
    // Some answers take long enough for the gateway to be killed before they arrive.
    await sleep(3 * Math.random());
    return { status: 201, body: { idInstance: made.size, values: { row } } };
  });
  const env = {
    ...platform.env,
    REDIS_URL: redis.url,
    SESSION_KEYS: storeKey(),
    UPSTREAM_TIMEOUT_MS: '3000',
    LOG_LEVEL: 'silent',
  };
  const start = () => startReplica(env);
  const send = ({ execute }: Replica, call: number) => {
    const rows = Array.from({ length: ITEMS }, (_, item) => `${call}.${item}`);
    const items = rows.map((row) => ({ values: { row } }));
    const input = { formId: 'f', items, idempotencyKey: `call ${call}` };
    return execute(CREATE_INSTANCES, { input }).catch(() => undefined);
  };
  /** Sends the call until nothing of it is left. */
  const resume = async (replica: Replica, call: number): Promise<readonly Item[]> => {
    for (let tries = 0; tries < TRIES; tries++) {
      const answer = await send(replica, call);
      const { results = [], notSent } = answer?.data?.createInstances ?? {};
      if (notSent === 0) return results;
      await sleep(400);
    }
    throw new Error(`call ${call} is not done after ${TRIES} tries`);
  };

  const problems: string[] = [];
  let [victim, survivor] = await Promise.all([start(), start()]);
  for (let call = 0; call < KILLS; call++) {
    sent = 0;
    kill = { at: 1 + Math.floor(Math.random() * ITEMS), victim };
    await send(victim, call);
    kill = undefined;
    const [results, next] = await Promise.all([resume(survivor, call), start()]);
    [victim, survivor] = [survivor, next];

    const outcomes = results.map(
      ({ status }, item) => `${status} ${made.get(`${call}.${item}`) ?? 0}`,
    );
    problems.push(
      ...outcomes
        .filter((outcome) => !SOUND.includes(outcome))
        .map((outcome) => `${call}: ${outcome}`),
    );
    const unknown = results.filter(({ status }) => status === 'UNKNOWN').length;
    if (unknown > AT_A_TIME) problems.push(`${call}: ${unknown} items are unknown`);
  }

  expect(problems).toEqual([]);
});
