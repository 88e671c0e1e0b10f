import { describe, expect, it } from 'vitest';

import { eventually } from '../replicas/support.ts';
import { startRedis } from '../support/redis.ts';
import { openReplica } from './support.ts';

/** Takes so many calls at once, and gives how many were allowed and how long the others are to wait. */
async function take(budget: ReturnType<Awaited<ReturnType<typeof openReplica>>['callBudget']>, count: number) {
  const taken = await Promise.all(Array.from({ length: count }, () => budget.take(false)));
  const waits = taken.flatMap((one) => ('retryAfterMs' in one ? [one.retryAfterMs] : []));
  return { allowed: count - waits.length, waits };
}

describe('the budget of calls that replicas share', () => {
  it('is one for all: in a window of ten seconds a sixth of what a minute has, less what is reserved', async () => {
    const redis = await startRedis();
    const [a, b] = [await openReplica(redis.url), await openReplica(redis.url)];

    const taken = await Promise.all([take(a.callBudget(600), 200), take(b.callBudget(600), 200)]);

    expect(taken[0].allowed + taken[1].allowed).toBe(90);
    for (const { waits } of taken) {
      for (const wait of waits) expect(wait).toBeLessThanOrEqual(10_000);
    }
  });

  it('stays used up for who asks again and again', async () => {
    const redis = await startRedis();
    const { callBudget } = await openReplica(redis.url);
    const budget = callBudget(60);
    let allowed = 0;

    for (let count = 0; count < 50; count++) allowed += (await take(budget, 1)).allowed;

    expect(allowed).toBe(9);
  });

  it('lets the calls through that come first when the others have used up theirs', async () => {
    const redis = await startRedis();
    const [a, b] = [await openReplica(redis.url), await openReplica(redis.url)];
    await take(a.callBudget(600), 100);

    const first = await b.callBudget(600).take(true);

    expect(first).not.toHaveProperty('retryAfterMs');
  });

  it('begins anew with the next window, so that a minute has at most seven: 7/6 of the limit', async () => {
    const redis = await startRedis();
    const [a, b] = [await openReplica(redis.url), await openReplica(redis.url)];
    const before = await take(a.callBudget(60), 20);
    const [key = ''] = await redis.client.keys('*:calls:*');
    const restMs = await redis.client.pttl(key);
    await redis.client.del(key);

    const after = await take(b.callBudget(60), 20);

    expect([before.allowed, after.allowed]).toEqual([9, 9]);
    expect(restMs).toBeGreaterThan(5_000);
  });

  it('is whole for each replica while Redis is unavailable, and shared again afterwards', async () => {
    const redis = await startRedis();
    const [a, b] = [await openReplica(redis.url), await openReplica(redis.url)];
    const [ofA, ofB] = [a.callBudget(600), b.callBudget(600)];
    await redis.kill();
    await eventually(() => expect([a.isSharing(), b.isSharing()]).toEqual([false, false]));

    const alone = [(await take(ofA, 100)).allowed, (await take(ofB, 100)).allowed];
    await redis.restart();
    await eventually(() => expect([a.isSharing(), b.isSharing()]).toEqual([true, true]));
    const together = await Promise.all([take(ofA, 100), take(ofB, 100)]);

    expect(alone).toEqual([90, 90]);
    expect(together[0].allowed + together[1].allowed).toBe(90);
  });
});
