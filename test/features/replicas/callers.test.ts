import { expect, it } from 'vitest';

import { executeAs, signIn } from '../../identity/support.ts';
import { startRedis } from '../../support/redis.ts';
import { startPlatform, startSharers } from './replicas.ts';
import { eventually, storeKey } from './support.ts';

const LOOK = '{ instance(formId: "supplier", instanceId: 1) { value(field: "name") } }';
const RENAME =
  'mutation { updateInstance(input: { formId: "supplier", instanceId: 1, values: { name: "New name" } }) { __typename } }';
const FOR_AN_HOUR = { CACHE_INSTANCES_MS: '3600000' };

/**
 * Two replicas where callers sign in; `as` gives a caller's way to ask one of them, by a session
 * that both know.
 */
async function startForUsers() {
  const [platform, redis] = await Promise.all([startPlatform(), startRedis()]);
  const env = {
    UPSTREAM_URL: platform.url,
    REDIS_URL: redis.url,
    IDENTITY: 'user',
    SESSION_KEYS: storeKey(),
  };
  const [a, b = a] = await startSharers(2, { ...env, ...FOR_AN_HOUR });
  const as = async (name: string) => {
    const { data } = await executeAs(a.url, signIn(name));
    const { sessionToken } = data.signIn;
    const asking = (url: string) => (query: string) =>
      executeAs(url, query, { authorization: `Bearer ${sessionToken}` }).then(
        (answer) => answer.data,
      );
    return { sessionToken: String(sessionToken), atA: asking(a.url), atB: asking(b.url) };
  };
  return { platform, redis, as };
}

it('callers of two replicas leave nothing in Redis that reveals them, their tokens or their data', async () => {
  const { redis, as } = await startForUsers();
  const heard = await redis.listenToAll();
  const { sessionToken, atA, atB } = await as('demo');
  const { instance } = await atA(LOOK);

  await atB(RENAME);
  await atA(LOOK);
  await eventually(() => expect(heard.length).toBeGreaterThan(0));

  const all = [...heard, ...(await redis.dump())].join('\n');
  for (const secret of [
    instance.value,
    'New name',
    'supplier',
    'demo',
    sessionToken,
    'idInstance',
    'getForm',
  ]) {
    expect(all).not.toContain(secret);
  }
});
