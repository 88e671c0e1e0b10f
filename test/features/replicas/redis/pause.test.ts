import { describe, expect, it } from 'vitest';
import { startRedis } from '../../../support/redis.ts';
import { eventually } from '../support.ts';
import { openReplica } from './support.ts';

/** One replica, and the pauses that it hears of. */
async function openPause(url: string, options: { key?: Uint8Array; timeoutMs?: number; pauseMs?: number } = {}) {
  const heard: number[] = [];
  const { sharedPause, isSharing } = await openReplica(url, {
    ...options,
    prepare: (replica) => replica.sharedPause.subscribe((restMs) => void heard.push(restMs)),
  });
  return { heard, tell: sharedPause.publish, isSharing };
}

/** A pause as it is heard, however long the way took. */
const about = (restMs: number) => expect.closeTo(restMs, -5);

describe('the shared rate-limit pause', () => {
  it('reaches the other replicas, and does not come back to the first', async () => {
    const redis = await startRedis();
    const [a, b] = [await openPause(redis.url), await openPause(redis.url)];

    a.tell(300_000);
    await eventually(() => expect(b.heard).toEqual([about(300_000)]));
    b.tell(600_000);

    await eventually(() => expect(a.heard).toEqual([about(600_000)]));
  });

  it('reaches replicas that join while it lasts', async () => {
    const redis = await startRedis();
    const a = await openPause(redis.url);
    a.tell(600_000);
    await eventually(async () => expect(await redis.client.keys('*:pause')).toHaveLength(1));

    const late = await openPause(redis.url);

    await eventually(() => expect(late.heard).toEqual([about(600_000)]));
  });

  it('is ended for all, also for those who join later', async () => {
    const redis = await startRedis();
    const [a, b] = [await openPause(redis.url), await openPause(redis.url)];
    a.tell(600_000);
    await eventually(async () => expect(await redis.client.keys('*:pause')).toHaveLength(1));

    b.tell(0);
    await eventually(async () => expect(await redis.client.keys('*:pause')).toHaveLength(0));
    const late = await openPause(redis.url);
    a.tell(300_000);

    await eventually(() => expect(late.heard).toEqual([about(300_000)]));
    expect(a.heard).toEqual([0]);
  });

  it('stays ended where Redis was unavailable when it ended', async () => {
    const redis = await startRedis({ isDurable: true });
    const a = await openPause(redis.url);
    a.tell(600_000);
    await eventually(async () => expect(await redis.client.keys('*:pause')).toHaveLength(1));
    await redis.kill();
    await eventually(() => expect(a.isSharing()).toBe(false));
    a.tell(0);

    await redis.restart();

    await eventually(async () => expect(await redis.client.keys('*:pause')).toHaveLength(0));
    expect(a.heard).toEqual([]);
  });

  it('is not accepted without the key', async () => {
    const redis = await startRedis();
    const [a, b] = [await openPause(redis.url), await openPause(redis.url)];
    const stranger = await openPause(redis.url, { key: Buffer.alloc(32, 8) });

    stranger.tell(600_000);
    await eventually(async () => expect(await redis.client.keys('*:pause')).toHaveLength(1));
    a.tell(300_000);

    await eventually(() => expect(b.heard).toEqual([about(300_000)]));
  });

  it('reaches the others although this one considers Redis unavailable after a late reply', async () => {
    const redis = await startRedis();
    const a = await openPause(redis.url, { timeoutMs: 100, pauseMs: 600_000 });
    const b = await openPause(redis.url);
    redis.pause();
    await eventually(() => expect(a.isSharing()).toBe(false));
    redis.resume();

    a.tell(300_000);

    await eventually(() => expect(b.heard).toContainEqual(about(300_000)));
  });

  it('reaches the others when Redis is back, for its remaining time', async () => {
    const redis = await startRedis();
    const [a, b] = [await openPause(redis.url), await openPause(redis.url)];
    await redis.kill();
    a.tell(600_000);

    await redis.restart();

    await eventually(() => expect(b.heard).toContainEqual(about(600_000)));
  });

  it('does not affect the sender where Redis is unavailable', async () => {
    const redis = await startRedis();
    const a = await openPause(redis.url);
    await redis.kill();

    expect(() => a.tell(5_000)).not.toThrow();
  });
});
