import { expect, it } from 'vitest';

import { executeAs, signIn, VIEWER } from '../../identity/support.ts';
import { startRedis } from '../../support/redis.ts';
import { startPlatform, startSharers, whileShared } from './replicas.ts';
import { eventually, storeKey } from './support.ts';

const SIGN_OUT = 'mutation { signOut { viewer { name } } }';

/** Starts two gateways where users sign in, and signs a user in at the first. */
async function startSignedIn() {
  const [platform, redis] = await Promise.all([startPlatform(), startRedis()]);
  const env = {
    UPSTREAM_URL: platform.url,
    REDIS_URL: redis.url,
    SESSION_KEYS: storeKey(),
    IDENTITY: 'user',
  };
  const [a, b = a] = await startSharers(2, env);
  const { data } = await executeAs(a.url, signIn('demo'));
  const headers = { authorization: `Bearer ${data.signIn.sessionToken}` };
  const viewerAt = async ({ url }: { readonly url: string }) =>
    (await executeAs(url, VIEWER, headers)).data.viewer?.name ?? 'nobody';
  return { redis, env, a, b, headers, viewerAt };
}

it('signing out at one replica ends the session at the other, which has served it', async () => {
  const { a, b, headers, viewerAt } = await startSignedIn();
  const before = [await viewerAt(a), await viewerAt(b)];

  await executeAs(a.url, SIGN_OUT, headers);

  expect(before).toEqual(['demo', 'demo']);
  await eventually(async () => expect(await viewerAt(b)).toBe('nobody'));
});

it('a session that was signed out of has ended for a replica that starts later', async () => {
  const { viewer } = await whileShared(async () => {
    const { env, a, headers, viewerAt } = await startSignedIn();
    await executeAs(a.url, SIGN_OUT, headers);
    const [late] = await startSharers(1, env);
    return { replicas: [a, late], viewer: await viewerAt(late) };
  });

  expect(viewer).toBe('nobody');
});

it('signing out while Redis is away is known to the others when it is back, and here at once', async () => {
  const { redis, a, b, headers, viewerAt } = await startSignedIn();
  await viewerAt(b);
  await redis.kill();

  await executeAs(a.url, SIGN_OUT, headers);

  expect([await viewerAt(a), await viewerAt(b)]).toEqual(['nobody', 'demo']);
  await redis.restart();
  await eventually(async () => expect(await viewerAt(b)).toBe('nobody'));
});

it('a replica that missed a sign-out knows of it when it is connected again', async () => {
  const { redis, a, b, headers, viewerAt } = await startSignedIn();
  await viewerAt(b);
  // Both lose their connections, so the first one that is back publishes without a listener.
  await redis.client.call('CLIENT', 'KILL', 'TYPE', 'pubsub');

  await executeAs(a.url, SIGN_OUT, headers);

  await eventually(async () => expect(await viewerAt(b)).toBe('nobody'));
});
