import { expect, it } from 'vitest';

import { hashApiKey } from '../../../src/http/auth/callers.ts';
import { executeAs } from '../../identity/support.ts';
import { startRedis } from '../../support/redis.ts';
import { startPlatform, startSharers, whileShared } from './replicas.ts';

const LIMIT = 4;

async function startLimited() {
  const [platform, redis] = await Promise.all([startPlatform(), startRedis()]);
  const [a, b = a] = await startSharers(2, {
    ...{ UPSTREAM_URL: platform.url, REDIS_URL: redis.url, CALLER_AUTH: 'key' },
    CALLER_KEYS: ['web', 'mobile'].map((name) => `${name}:${hashApiKey(name)}`).join(),
    CALLER_REQUESTS_PER_MINUTE: String(LIMIT),
  });
  const statusAt = async ({ url }: { readonly url: string }, key = 'web') =>
    (await executeAs(url, '{ __typename }', { 'x-api-key': key })).status;
  return { redis, a, b, statusAt };
}

it('CALLER_REQUESTS_PER_MINUTE counts the requests of a caller to all replicas', async () => {
  const { statuses, beyond, other } = await whileShared(async () => {
    const { a, b, statusAt } = await startLimited();
    const statuses = [];
    for (let count = 0; count < LIMIT; count++)
      statuses.push(await statusAt(count % 2 === 0 ? a : b));
    const beyond = [await statusAt(a), await statusAt(b)];
    return { replicas: [a, b], statuses, beyond, other: await statusAt(b, 'mobile') };
  });

  expect(statuses).toEqual(Array(LIMIT).fill(200));
  expect(beyond).toEqual([429, 429]);
  expect(other).toBe(200);
});
