import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';

import { startRedis } from '../../../support/redis.ts';
import { startLedger } from '../support.ts';

it('a bulk write publishes one change to other replicas', async () => {
  const redis = await startRedis();
  const messages = await redis.listenToAll();
  const shared = { REDIS_URL: redis.url, SESSION_KEYS: randomBytes(32).toString('base64url') };
  const { create } = await startLedger(shared);

  const { counts } = await create(100);
  await create(1);

  expect(counts).toMatchObject({ done: 100 });
  const changes = () => messages.filter((message) => message.includes(':changes'));
  await expect.poll(() => changes().length).toBeGreaterThanOrEqual(2);
  expect(changes()).toHaveLength(2);
});
