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
      const { gauges, readiness } = (await response.json()) as Status;
      return { readiness, gauges: Object.fromEntries(gauges.map(({ name, value }) => [name, value])) };
    },
  };
}

interface Status {
  readonly gauges: readonly { readonly name: string; readonly value: unknown }[];
  readonly readiness: unknown;
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

  it('shows on the status page whether replicas share, and their use of the call budget', async () => {
    const { redis, execute, status } = await startMonitored();

    await execute('{ form(formId: "supplier") { name } }');
    await eventually(async () =>
      expect(await status()).toMatchObject({
        readiness: { redis: 'ok' },
        gauges: { caseway_redis_up: 1, caseway_call_budget_left: { read: expect.toBeOneOf([79, 80]) } },
      }),
    );
    await redis.kill();

    await eventually(async () =>
      expect(await status()).toMatchObject({ readiness: { redis: 'unavailable' }, gauges: { caseway_redis_up: 0 } }),
    );
  });
});
