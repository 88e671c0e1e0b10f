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
    UPSTREAM_CALLS_PER_MINUTE: '600',
    LIVE_MAX_STREAMS: '0',
  };
  const { execute, metricsUrl } = await startCountedGateway(env);
  return {
    redis,
    execute,
    async isRedisUp() {
      const text = await (await fetch(String(metricsUrl))).text();
      return Number(/^caseway_redis_up (\d)$/m.exec(text)?.[1]);
    },
    async status() {
      const response = await fetch(new URL('/status', metricsUrl), { headers: { accept: 'application/json' } });
      const { sections } = (await response.json()) as { readonly sections: readonly { readonly facts: Fact[] }[] };
      return sections.flatMap(({ facts }) => facts);
    },
  };
}

interface Fact {
  readonly name: string;
  readonly value: string;
  readonly isWarning?: boolean;
}

describe('a gateway with Redis', () => {
  it('reports in its metrics whether Redis is available', async () => {
    const { redis, isRedisUp } = await startMonitored();

    expect(await isRedisUp()).toBe(1);
    await redis.kill();
    await eventually(async () => expect(await isRedisUp()).toBe(0));
    await redis.restart();
    await eventually(async () => expect(await isRedisUp()).toBe(1));
  });

  it('shows on the status page whether replicas share, and their use of the call budget', async () => {
    const { redis, execute, status } = await startMonitored();

    await execute('{ form(formId: "supplier") { name } }');
    const shared = Object.fromEntries((await status()).map(({ name, value }) => [name, value]));
    await redis.kill();

    expect(shared).toMatchObject({
      Replicas: 'share state through Redis',
      'Reads in these ten seconds': '79 of 80 left',
    });
    await eventually(async () =>
      expect(await status()).toContainEqual(expect.objectContaining({ name: 'Replicas', isWarning: true })),
    );
  });
});
