import { describe, expect, it } from 'vitest';
import { CacheStore, type Change, TAGS } from '../../../../src/cache/store.ts';
import { startRedis, type TestRedis } from '../../../support/redis.ts';
import { eventually } from '../support.ts';
import { openReplica } from './support.ts';

const KEY = { formId: 'secret-form', instanceId: '1' };

/** One replica, and whether what it holds of the instance since `generation` is stale. */
async function openStore({ url }: Pick<TestRedis, 'url'>) {
  const store = new CacheStore();
  const { isSharing } = await openReplica(url, { prepare: ({ shareInvalidations }) => shareInvalidations(store) });
  let { generation } = store;
  return {
    isSharing,
    invalidate: (change: Change) => store.invalidate(change),
    read() {
      ({ generation } = store);
    },
    isStale: (tags = TAGS.instance(KEY.formId, KEY.instanceId)) => store.isStale(tags, generation),
  };
}

describe('a write through one replica', () => {
  it('invalidates the affected entries of the other, and nothing else', async () => {
    const redis = await startRedis();
    const [a, b] = [await openStore(redis), await openStore(redis)];

    a.invalidate(KEY);

    await eventually(() => expect(b.isStale()).toBe(true));
    expect(b.isStale(TAGS.instance(KEY.formId, '2'))).toBe(false);
  });

  it('does not come back to it', async () => {
    const redis = await startRedis();
    const [a, b] = [await openStore(redis), await openStore(redis)];
    a.invalidate(KEY);
    a.read();
    await eventually(() => expect(b.isStale()).toBe(true));

    b.invalidate({ formId: 'another' });
    await eventually(() => expect(a.isStale(TAGS.lists('another'))).toBe(true));

    expect(a.isStale()).toBe(false);
  });

  it('cannot be read in Redis', async () => {
    const redis = await startRedis();
    const [a, b, heard] = [await openStore(redis), await openStore(redis), await redis.listenToAll()];

    a.invalidate(KEY);
    await eventually(() => expect(b.isStale()).toBe(true));

    expect(heard).toHaveLength(1);
    expect(heard.join()).not.toContain('secret-form');
  });

  it('is visible to the other, whatever it was, once Redis is back', async () => {
    const redis = await startRedis();
    const [a, b] = [await openStore(redis), await openStore(redis)];
    await redis.kill();
    await eventually(async () => expect([await a.isSharing(), await b.isSharing()]).toEqual([false, false]));
    b.read();
    a.invalidate(KEY);

    await redis.restart();

    await eventually(() => expect(b.isStale()).toBe(true));
  });

  it('is visible to the other, whatever it was, once a hung Redis recovers', async () => {
    const redis = await startRedis();
    const [a, b] = [await openStore(redis), await openStore(redis)];
    redis.pause();
    a.invalidate(KEY);

    redis.resume();

    await eventually(() => expect(b.isStale()).toBe(true));
  });
});
