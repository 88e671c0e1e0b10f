import { describe, expect, it } from 'vitest';

import { startCountedGateway } from '../../support/gateway.ts';
import { startRedis } from '../../support/redis.ts';
import { eventually, storeKey } from './support.ts';

/** A gateway with a Redis of its own, and what its port for metrics says of both. */
async function startMonitored() {
  const redis = await startRedis();
  const env = {
    METRICS_PORT: '0',
    REDIS_URL: redis.url,
    SESSION_KEYS: storeKey(),
  };
  const { metricsUrl } = await startCountedGateway(env);
  return {
    redis,
    async isRedisUp() {
      const text = await (await fetch(String(metricsUrl))).text();
      return Number(/^caseway_redis_up (\d)$/m.exec(text)?.[1]);
    },
  };
}

describe('a gateway with Redis', () => {
  it('reports in its metrics whether Redis is available', async () => {
    const { redis, isRedisUp } = await startMonitored();

    await eventually(async () => expect(await isRedisUp()).toBe(1));
    await redis.kill();
    await eventually(async () => expect(await isRedisUp()).toBe(0));
    await redis.restart();
    await eventually(async () => expect(await isRedisUp()).toBe(1));
  });
});
