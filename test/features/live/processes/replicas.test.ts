import { describe, expect, it } from 'vitest';

import { executeAs, signIn } from '../../../identity/support.ts';
import { startRedis } from '../../../support/redis.ts';
import { startPlatform, startReplicas } from '../../replicas/replicas.ts';
import { listOf, subscribe } from '../support.ts';

const SUPPLIERS = listOf('supplier');
const CREATE =
  'mutation { createInstance(input: { formId: "supplier", values: { name: "New", country: "PT", active: true } }) { instance { id } } }';
const SIGN_OUT = 'mutation { signOut { viewer { name } } }';
/** No poll comes by itself: what is shown was told by the other replica. */
const RARELY = { LIVE_INTERVAL_MS: '3600000' };

async function startPair(env: Readonly<Record<string, string>> = RARELY) {
  const [platform, redis] = await Promise.all([startPlatform(), startRedis()]);
  const [a, b = a] = await startReplicas(2, { UPSTREAM_URL: platform.url, REDIS_URL: redis.url, ...env });
  return { a, b };
}

describe('streams of two replicas', () => {
  it('show a change through the other replica at once', async () => {
    const { a, b } = await startPair();
    const stream = await subscribe(b.url, SUPPLIERS);
    const before = (await stream.next()).data.instances.totalCount;

    await a.execute(CREATE);

    expect((await stream.next()).data.instances.totalCount).toBe(before + 1);
  });

  it('end at once when their user signs out at the other replica', async () => {
    const { a, b } = await startPair({ ...RARELY, IDENTITY: 'user' });
    const { data } = await executeAs(a.url, signIn('demo'));
    const headers = { authorization: `Bearer ${data.signIn.sessionToken}` };
    const stream = await subscribe(b.url, SUPPLIERS, { headers });
    await stream.next();
    const began = Date.now();

    await executeAs(a.url, SIGN_OUT, headers);

    expect(await stream.ended).not.toContain('event: complete');
    // Its own look at the session is every 12 seconds.
    expect(Date.now() - began).toBeLessThan(10_000);
  });

  it('miss nothing when a replica is killed: the first result at the other is the state', async () => {
    const { a, b } = await startPair();
    const lost = await subscribe(a.url, SUPPLIERS);
    const before = (await lost.next()).data.instances.totalCount;

    a.stop('SIGKILL');
    await expect(lost.ended).rejects.toThrow();
    await b.execute(CREATE);
    const again = await subscribe(b.url, SUPPLIERS);

    expect((await again.next()).data.instances.totalCount).toBe(before + 1);
    await b.execute(CREATE);
    expect((await again.next()).data.instances.totalCount).toBe(before + 2);
  });
});
