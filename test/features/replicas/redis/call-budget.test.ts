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
      take(createCallBudget({ UPSTREAM_CALLS_PER_MINUTE: 600 }, [], a), 200),
      take(createCallBudget({ UPSTREAM_CALLS_PER_MINUTE: 600 }, [], b), 200),
    ]);

    expect(taken[0].allowed + taken[1].allowed).toBe(80);
    for (const { waits } of taken) {
      for (const wait of waits) expect(wait).toBeLessThanOrEqual(10_000);
    }
  });

  it('stays used up for repeated requests', async () => {
    const redis = await startRedis();
    const replica = await openReplica(redis.url);
    const budget = createCallBudget({ UPSTREAM_CALLS_PER_MINUTE: 60 }, [], replica);
    let allowed = 0;

    for (let count = 0; count < 50; count++) allowed += (await take(budget, 1)).allowed;

    expect(allowed).toBe(8);
  });

  it('is full again within ten seconds when the wall clock is set back meanwhile', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    onTestFinished(() => void vi.useRealTimers());
    const redis = await startRedis();
    const replica = await openReplica(redis.url);
    const budget = createCallBudget({ UPSTREAM_CALLS_PER_MINUTE: 60 }, [], replica);
    await take(budget, 50);

    vi.setSystemTime(Date.now() - 3_600_000);
    const { allowed, waits } = await take(budget, 1);

    expect(allowed).toBe(0);
    expect(waits[0]).toBeLessThanOrEqual(10_000);
  });

  it('has calls for writes when reads are used up', async () => {
    const redis = await startRedis();
    const [a, b] = [await openReplica(redis.url), await openReplica(redis.url)];
    await take(createCallBudget({ UPSTREAM_CALLS_PER_MINUTE: 600 }, [], a), 100);

    const change = await createCallBudget({ UPSTREAM_CALLS_PER_MINUTE: 600 }, [], b).take('write', undefined);

    expect(change).toBe(0);
  });

  it('grants one caller at most half, across all replicas', async () => {
    const redis = await startRedis();
    const [a, b] = [await openReplica(redis.url), await openReplica(redis.url)];
    const takeAs = (budget: CallBudget) => Promise.all(Array.from({ length: 60 }, () => budget.take('read', 'ann')));

    const waits = (
      await Promise.all([
        takeAs(createCallBudget({ UPSTREAM_CALLS_PER_MINUTE: 600 }, [], a)),
        takeAs(createCallBudget({ UPSTREAM_CALLS_PER_MINUTE: 600 }, [], b)),
      ])
    ).flat();

    expect(waits.filter((waitMs) => waitMs === 0)).toHaveLength(40);
  });

  it('is full again in the next window, so that a minute has at most seven windows: 7/6 of the limit', async () => {
    const redis = await startRedis();
    const [a, b] = [await openReplica(redis.url), await openReplica(redis.url)];
    const before = await take(createCallBudget({ UPSTREAM_CALLS_PER_MINUTE: 60 }, [], a), 20);
    const [key = ''] = await redis.client.keys('*:calls:*');
    const restMs = await redis.client.pttl(key);
    await redis.client.del(key);

    const after = await take(createCallBudget({ UPSTREAM_CALLS_PER_MINUTE: 60 }, [], b), 20);

    expect([before.allowed, after.allowed]).toEqual([8, 8]);
    expect(restMs).toBeGreaterThan(5_000);
  });

  it('is the whole limit for each replica while Redis is unavailable, and shared again afterwards', async () => {
    const redis = await startRedis();
    const [a, b] = [await openReplica(redis.url), await openReplica(redis.url)];
    const [ofA, ofB] = [
      createCallBudget({ UPSTREAM_CALLS_PER_MINUTE: 600 }, [], a),
      createCallBudget({ UPSTREAM_CALLS_PER_MINUTE: 600 }, [], b),
    ];
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

describe('the shared budget of an hour', () => {
  const HOURLY = { UPSTREAM_CALLS_PER_HOUR: 600 };

  it('is one for all replicas, each of which counts along and goes on by itself while Redis is unavailable', async () => {
    const redis = await startRedis({ isDurable: true });
    const [a, b] = [await openReplica(redis.url), await openReplica(redis.url)];
    const [ofA, ofB] = [createCallBudget(HOURLY, [], a), createCallBudget(HOURLY, [], b)];

    const together = [(await take(ofA, 6)).allowed, (await take(ofB, 20)).allowed];
    const renewal = await ofB.take('renewal', undefined);
    await redis.kill();
    await eventually(() => expect([a.isSharing(), b.isSharing()]).toEqual([false, false]));
    const alone = [(await take(ofA, 20)).allowed, (await take(ofB, 20)).allowed];
    await redis.restart();
    await eventually(() => expect([a.isSharing(), b.isSharing()]).toEqual([true, true]));

    expect([together, renewal]).toEqual([[6, 2], 0]);
    // A process begins with eight reads, of which one has made six, and the other two.
    expect(alone).toEqual([2, 6]);
    expect((await take(ofA, 20)).allowed + (await take(ofB, 20)).allowed).toBeLessThanOrEqual(2);
  });

  it('takes from the share of a caller and from that of all together, or from none', async () => {
    const redis = await startRedis();
    const [a, b] = [await openReplica(redis.url), await openReplica(redis.url)];
    const budget = createCallBudget(HOURLY, [], a);
    const ofAnn = await Promise.all(Array.from({ length: 10 }, () => budget.take('read', 'ann')));
    await take(createCallBudget(HOURLY, [], b), 20);

    const { allowed, waits } = await take(budget, 1);

    expect(ofAnn.filter((waitMs) => waitMs === 0)).toHaveLength(4);
    expect(allowed).toBe(0);
    expect(waits[0]).toBeLessThanOrEqual(7_500);
    expect(await budget.left()).toMatchObject({ 'hourly read': 0, 'hourly write': 1 });
  });
});
