import { describe, expect, it } from 'vitest';

import { executeAs, signInAs } from '../../../identity/support.ts';
import { startRedis } from '../../../support/redis.ts';
import { type Replica, startPair, startPlatform, startReplica } from '../../replicas/replicas.ts';
import { storeKey } from '../../replicas/support.ts';
import { listOf, subscribe } from '../support.ts';

const SUPPLIERS = listOf('supplier');
const CREATE =
  'mutation { createInstance(input: { formId: "supplier", values: { name: "New", country: "PT", active: true } }) { instance { id } } }';
/** How often a replica is killed while others write; `LIVE_ROUNDS=105` for the whole proof. */
const ROUNDS = Number(process.env['LIVE_ROUNDS'] ?? 2);
const SIGN_OUT = 'mutation { signOut { viewer { name } } }';
/** Polls are an hour apart: every change on the stream came from the other replica. */
const RARELY = { LIVE_INTERVAL_MS: '3600000' };

describe('streams of two replicas', () => {
  it('show a change through the other replica at once', async () => {
    const { a, b } = await startPair(RARELY);
    const stream = await subscribe(b.url, SUPPLIERS);
    const before = (await stream.next()).data.instances.totalCount;

    await a.execute(CREATE);

    expect((await stream.next()).data.instances.totalCount).toBe(before + 1);
  });

  it('end at once when their user signs out at the other replica', async () => {
    const { a, b } = await startPair({ ...RARELY, IDENTITY: 'user' });
    const headers = await signInAs(a.url, 'demo');
    const stream = await subscribe(b.url, SUPPLIERS, { headers });
    await stream.next();
    const began = Date.now();

    await executeAs(a.url, SIGN_OUT, headers);

    expect(await stream.ended).not.toContain('event: complete');
    // Its own look at the session is every 12 seconds.
    expect(Date.now() - began).toBeLessThan(10_000);
  });

  it('end with the result of a query and never go back to an older one, however often replicas are killed', {
    timeout: 3_600_000,
  }, async () => {
    const [platform, redis] = await Promise.all([startPlatform(), startRedis()]);
    const shared = { UPSTREAM_URL: platform.url, REDIS_URL: redis.url, SESSION_KEYS: storeKey() };
    const start = () => startReplica({ ...shared, LIVE_INTERVAL_MS: '1000' });
    let [victim, survivor] = await Promise.all([start(), start()]);

    for (let round = 0; round < ROUNDS; round++) {
      const streams = [await watch(victim), await watch(survivor)];
      const writes = [victim, survivor, victim, survivor].map(write);
      if (round % 2 === 0) await Promise.race(writes);
      victim.stop('SIGKILL');
      const [next] = await Promise.all([start(), ...writes]);
      // A client whose stream is lost opens it again elsewhere.
      streams.push(await watch(next));

      const { data } = await survivor.execute(STATE);
      const [, ...left] = streams;
      for (const { shown } of left)
        await expect.poll(() => shown().at(-1), { message: `round ${round}` }).toEqual(data);
      for (const { shown, close } of streams) {
        const totals = shown().map(({ instances }) => instances.totalCount);
        expect(totals).toEqual(totals.toSorted((one, other) => one - other));
        close();
      }
      [victim, survivor] = [survivor, next];
    }
  });
});

const STATE = '{ instances(formId: "supplier", first: 5) { totalCount nodes { values } } }';

/** Creates or renames a supplier. The response does not matter: the streams show the effect. */
const write = async ({ execute }: Replica): Promise<void> => {
  const values = `values: { name: "Name ${Math.random()}" }`;
  const rename = `mutation { updateInstance(input: { formId: "supplier", instanceId: "1", ${values} }) { instance { id } } }`;
  await execute(Math.random() < 0.5 ? CREATE : rename).catch(() => undefined);
};

/** Opens a stream of the state and returns a function that lists its results. */
async function watch({ url }: Replica) {
  const { text, close } = await subscribe(url, `subscription ${STATE}`);
  const shown = (): readonly { readonly instances: { readonly totalCount: number } }[] =>
    [...text().matchAll(/event: next\ndata: (.*)\n\n/g)].map(
      ([, json = '']) => JSON.parse(json).data,
    );
  return { shown, close };
}
