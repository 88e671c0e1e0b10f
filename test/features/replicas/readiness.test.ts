import { describe, expect, it } from 'vitest';

import { startCountedGateway } from '../../support/gateway.ts';
import { startRedis, type TestRedis } from '../../support/redis.ts';
import { readiness, storeKey } from './support.ts';

const FORM = '{ form(formId: "expense") { name } }';

const call =
  (command: string, ...args: readonly string[]) =>
  ({ client }: TestRedis) =>
    client.call(command, ...args);

describe('a gateway that shares Redis', () => {
  it('starts, responds and is ready without Redis', async () => {
    const { url, execute } = await startCountedGateway({
      REDIS_URL: 'redis://127.0.0.1:1',
      SESSION_KEYS: storeKey(),
    });

    await expect.poll(() => readiness(url)).toEqual({ status: 200, redis: 'unavailable' });
    expect((await execute(FORM)).data.form.name).toBe('Expense');
  });

  it.each<[string, string, (redis: TestRedis) => unknown, (redis: TestRedis) => unknown]>([
    ['is down', 'closed|ECONN', ({ kill }) => kill(), ({ restart }) => restart()],
    ['hangs', 'TIMEOUT', ({ pause }) => pause(), ({ resume }) => resume()],
    [
      'is full',
      'OOM',
      call('CONFIG', 'SET', 'maxmemory', '1'),
      call('CONFIG', 'SET', 'maxmemory', '0'),
    ],
    [
      'is read-only',
      'READONLY',
      call('REPLICAOF', '127.0.0.1', '1'),
      call('REPLICAOF', 'NO', 'ONE'),
    ],
  ])('continues while Redis %s, reports it, and recovers', async (_what, reason, end, begin) => {
    const redis = await startRedis();
    const env = {
      REDIS_URL: redis.url,
      SESSION_KEYS: storeKey(),
      METRICS_PORT: '0',
      LOG_LEVEL: 'info',
    };
    const { url, metrics, logged, execute } = await startCountedGateway(env);

    await end(redis);
    await expect.poll(() => readiness(url)).toEqual({ status: 200, redis: 'unavailable' });
    expect((await execute(FORM)).data.form.name).toBe('Expense');
    expect(await metrics()).toContain('caseway_redis_up 0');
    await begin(redis);

    await expect.poll(() => readiness(url)).toEqual({ status: 200, redis: 'ok' });
    expect(logged().filter(({ msg }) => msg.startsWith('Redis '))).toMatchObject([
      {
        msg: 'Redis unavailable; running standalone',
        reason: expect.stringMatching(`^(${reason})$`),
      },
      { msg: 'Redis available again; state is shared' },
    ]);
  });

  it('does not mention Redis when it has none', async () => {
    const { url } = await startCountedGateway();

    expect(await readiness(url)).toEqual({ status: 200, redis: undefined });
  });
});
