import { describe, expect, it } from 'vitest';

import { startCountedGateway } from '../../support/gateway.ts';
import { startRedis, type TestRedis } from '../../support/redis.ts';
import { eventually, readiness, storeKey } from './support.ts';

const FORM = '{ form(formId: "expense") { name } }';

const limitMemory =
  (bytes: string) =>
  ({ client }: TestRedis) =>
    client.config('SET', 'maxmemory', bytes);

describe('a gateway that shares Redis', () => {
  it('starts, responds and is ready without Redis', async () => {
    const { url, execute } = await startCountedGateway({ REDIS_URL: 'redis://127.0.0.1:1', SESSION_KEYS: storeKey() });

    await eventually(async () => expect(await readiness(url)).toEqual({ status: 200, redis: 'unavailable' }));
    expect((await execute(FORM)).data.form.name).toBe('Expense');
  });

  it.each<[string, (redis: TestRedis) => unknown, (redis: TestRedis) => unknown]>([
    ['is down', ({ kill }) => kill(), ({ restart }) => restart()],
    ['hangs', ({ pause }) => pause(), ({ resume }) => resume()],
    ['is full', limitMemory('1'), limitMemory('0')],
  ])('continues while Redis %s, reports it, and recovers', async (_what, end, begin) => {
    const redis = await startRedis();
    const env = { REDIS_URL: redis.url, SESSION_KEYS: storeKey(), METRICS_PORT: '0' };
    const { url, metricsUrl = '', execute } = await startCountedGateway(env);
    const metrics = async () => (await fetch(metricsUrl)).text();

    await end(redis);
    await eventually(async () => expect(await readiness(url)).toEqual({ status: 200, redis: 'unavailable' }));
    expect((await execute(FORM)).data.form.name).toBe('Expense');
    expect(await metrics()).toContain('caseway_redis_up 0');
    await begin(redis);

    await eventually(async () => expect(await readiness(url)).toEqual({ status: 200, redis: 'ok' }));
  });

  it('does not mention Redis when it has none', async () => {
    const { url } = await startCountedGateway();

    expect(await readiness(url)).toEqual({ status: 200, redis: undefined });
  });
});
