import { describe, expect, it } from 'vitest';

import { startCountedGateway } from '../support/gateway.ts';
import { startRedis } from '../support/redis.ts';
import { eventually, readiness, storeKey } from './support.ts';

const FORM = '{ form(formId: "expense") { name } }';

describe('a gateway that shares Redis with others', () => {
  it('says so where its readiness is told', async () => {
    const redis = await startRedis();
    const { url } = await startCountedGateway({ REDIS_URL: redis.url, STORE_KEYS: storeKey() });

    expect(await readiness(url)).toEqual({ status: 200, redis: 'ok' });
  });

  it('starts, answers and is ready where Redis is not there', async () => {
    const { url, ask } = await startCountedGateway({ REDIS_URL: 'redis://127.0.0.1:1', STORE_KEYS: storeKey() });

    expect(await readiness(url)).toEqual({ status: 200, redis: 'unavailable' });
    expect((await ask(FORM)).data.form.name).toBe('Expense');
  });

  it('goes on while Redis is away, says so, and heals', async () => {
    const redis = await startRedis();
    const { url, ask } = await startCountedGateway({ REDIS_URL: redis.url, STORE_KEYS: storeKey() });

    await redis.kill();
    await eventually(async () => expect(await readiness(url)).toEqual({ status: 200, redis: 'unavailable' }));
    expect((await ask(FORM)).data.form.name).toBe('Expense');
    await redis.restart();

    await eventually(async () => expect(await readiness(url)).toEqual({ status: 200, redis: 'ok' }));
  });

  it('says nothing of Redis where it is alone', async () => {
    const { url } = await startCountedGateway();

    expect(await readiness(url)).toEqual({ status: 200, redis: undefined });
  });
});
