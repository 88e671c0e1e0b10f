import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { type CallBudget, createCallBudget } from '../../../../src/upstream/rate-limit.ts';
import { startRedis } from '../../../support/redis.ts';
import { eventually } from '../support.ts';
import { openReplica } from './support.ts';

/** Takes so many calls at once, and gives how many were allowed and how long the others are to wait. */
async function take(budget: CallBudget, count: number) {
  const taken = await Promise.all(Array.from({ length: count }, () => budget.take('read', undefined)));
  const waits = taken.filter((waitMs) => waitMs > 0);
  return { allowed: count - waits.length, waits };
}

describe('the shared call budget', () => {
  it('is one for all replicas: a sixth of the limit per ten seconds, 80 % of it for reads', async () => {
    const redis = await startRedis();
    const [a, b] = [await openReplica(redis.url), await openReplica(redis.url)];

    const taken = await Promise.all([
      take(createCallBudget(600, [], a.callCounters), 200),
      take(createCallBudget(600, [], b.callCounters), 200),
    ]);

    expect(taken[0].allowed + taken[1].allowed).toBe(80);
    for (const { waits } of taken) {
      for (const wait of waits) expect(wait).toBeLessThanOrEqual(10_000);
    }
  });

  it('stays used up for repeated requests', async () => {
    const redis = await startRedis();
    const { callCounters } = await openReplica(redis.url);
    const budget = createCallBudget(60, [], callCounters);
    let allowed = 0;

    for (let count = 0; count < 50; count++) allowed += (await take(budget, 1)).allowed;

    expect(allowed).toBe(8);
  });

  it('is full again within ten seconds when the wall clock is set back meanwhile', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    onTestFinished(() => void vi.useRealTimers());
    const redis = await startRedis();
    const { callCounters } = await openReplica(redis.url);
    const budget = createCallBudget(60, [], callCounters);
    await take(budget, 50);

    vi.setSystemTime(Date.now() - 3_600_000);
    const { allowed, waits } = await take(budget, 1);

    expect(allowed).toBe(0);
    expect(waits[0]).toBeLessThanOrEqual(10_000);
  });

  it('has calls for writes when reads are used up', async () => {
    const redis = await startRedis();
    const [a, b] = [await openReplica(redis.url), await openReplica(redis.url)];
    await take(createCallBudget(600, [], a.callCounters), 100);

    const change = await createCallBudget(600, [], b.callCounters).take('write', undefined);

    expect(change).toBe(0);
  });

  it('grants one caller at most half, across all replicas', async () => {
    const redis = await startRedis();
    const [a, b] = [await openReplica(redis.url), await openReplica(redis.url)];
    const takeAs = (budget: CallBudget) => Promise.all(Array.from({ length: 60 }, () => budget.take('read', 'ann')));

    const waits = (
      await Promise.all([
        takeAs(createCallBudget(600, [], a.callCounters)),
        takeAs(createCallBudget(600, [], b.callCounters)),
      ])
    ).flat();

    expect(waits.filter((waitMs) => waitMs === 0)).toHaveLength(40);
  });

  it('is full again in the next window, so that a minute has at most seven windows: 7/6 of the limit', async () => {
    const redis = await startRedis();
    const [a, b] = [await openReplica(redis.url), await openReplica(redis.url)];
    const before = await take(createCallBudget(60, [], a.callCounters), 20);
    const [key = ''] = await redis.client.keys('*:calls:*');
    const restMs = await redis.client.pttl(key);
    await redis.client.del(key);

    const after = await take(createCallBudget(60, [], b.callCounters), 20);

    expect([before.allowed, after.allowed]).toEqual([8, 8]);
    expect(restMs).toBeGreaterThan(5_000);
  });

  it('is the whole limit for each replica while Redis is unavailable, and shared again afterwards', async () => {
    const redis = await startRedis();
    const [a, b] = [await openReplica(redis.url), await openReplica(redis.url)];
    const [ofA, ofB] = [createCallBudget(600, [], a.callCounters), createCallBudget(600, [], b.callCounters)];
    await redis.kill();
    await eventually(() => expect([a.isSharing(), b.isSharing()]).toEqual([false, false]));

    const alone = [(await take(ofA, 100)).allowed, (await take(ofB, 100)).allowed];
    await redis.restart();
    await eventually(() => expect([a.isSharing(), b.isSharing()]).toEqual([true, true]));
    const together = await Promise.all([take(ofA, 100), take(ofB, 100)]);

    expect(alone).toEqual([80, 80]);
    expect(together[0].allowed + together[1].allowed).toBe(80);
  });
});
