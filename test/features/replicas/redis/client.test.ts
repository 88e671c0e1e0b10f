import { describe, expect, it } from 'vitest';
import { startRedis } from '../../../support/redis.ts';
import { eventually } from '../support.ts';
import { openReplica } from './support.ts';

const AGAIN = 'Redis available again; state is shared';
const unavailable = (reason: string) => `Redis unavailable; running standalone (${reason})`;

describe('a replica', () => {
  it('shares once it is connected, and logs nothing about it', async () => {
    const redis = await startRedis();

    const { isSharing, logged } = await openReplica(redis.url);

    expect([isSharing(), logged]).toEqual([true, []]);
  });

  it('runs standalone without Redis, and logs that once', async () => {
    const { isSharing, logged } = await openReplica('redis://127.0.0.1:1');

    expect([isSharing(), logged]).toEqual([false, [unavailable('ECONNREFUSED')]]);
  });

  it('runs standalone with a wrong Redis password, and logs that without the password', async () => {
    const redis = await startRedis({ password: 'right' });

    const { isSharing, logged } = await openReplica(redis.url.replace('right', 'canary'));

    expect([isSharing(), logged]).toEqual([false, [unavailable('WRONGPASS')]]);
  });

  it('runs standalone while Redis is down, and shares again afterwards', async () => {
    const redis = await startRedis();
    const { isSharing, logged } = await openReplica(redis.url);

    await redis.kill();
    await eventually(() => expect(isSharing()).toBe(false));
    await redis.restart();

    await eventually(() => expect(isSharing()).toBe(true));
    expect(logged).toEqual([expect.stringMatching(/^Redis unavailable; running standalone \(\w+\)$/), AGAIN]);
  });
});
