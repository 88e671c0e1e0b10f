import { describe, expect, it } from 'vitest';

import { eventually } from '../replicas/support.ts';
import { startRedis } from '../support/redis.ts';
import { openReplica } from './support.ts';

/** One replica, and the pauses that it hears of. */
async function openPause(url: string, key?: Uint8Array) {
  const heard: number[] = [];
  const { pauseNews } = await openReplica(url, {
    ...(key && { key }),
    prepare: (replica) => replica.pauseNews.subscribe((restMs) => void heard.push(restMs)),
  });
  return { heard, tell: pauseNews.publish };
}

describe('the pause that replicas share', () => {
  it('comes to the others, not back to the one who met the limit', async () => {
    const redis = await startRedis();
    const [a, b] = [await openPause(redis.url), await openPause(redis.url)];

    a.tell(5_000);
    await eventually(() => expect(b.heard).toEqual([5_000]));
    b.tell(7_000);

    await eventually(() => expect(a.heard).toEqual([7_000]));
  });

  it('comes to those who join while it lasts', async () => {
    const redis = await startRedis();
    const a = await openPause(redis.url);
    a.tell(600_000);
    await eventually(async () => expect(await redis.client.keys('*:pause')).toHaveLength(1));

    const late = await openPause(redis.url);

    await eventually(() => expect(late.heard).toEqual([expect.closeTo(600_000, -6)]));
  });

  it('is not believed to anybody who lacks the key', async () => {
    const redis = await startRedis();
    const [a, b] = [await openPause(redis.url), await openPause(redis.url)];
    const stranger = await openPause(redis.url, Buffer.alloc(32, 8));

    stranger.tell(600_000);
    await eventually(async () => expect(await redis.client.keys('*:pause')).toHaveLength(1));
    a.tell(5_000);

    await eventually(() => expect(b.heard).toEqual([5_000]));
  });

  it('does not disturb the one who meets the limit where Redis is away', async () => {
    const redis = await startRedis();
    const a = await openPause(redis.url);
    await redis.kill();

    expect(() => a.tell(5_000)).not.toThrow();
  });
});
