import { describe, expect, it } from 'vitest';

import { type CallBudget, createCallBudget } from '../../../../src/upstream/call-budget.ts';
import { startRedis, type TestRedis } from '../../../support/redis.ts';
import { openReplica } from './support.ts';

const PER_MINUTE = { UPSTREAM_CALLS_PER_MINUTE: 600 };

/** Opens a replica with a call budget. */
async function openBudget(redis: TestRedis, limits: Parameters<typeof createCallBudget>[0]) {
  const replica = await openReplica(redis.url);
  return { ...replica, budget: createCallBudget(limits, [], replica.callBuckets) };
}

/**
 * Takes this number of reads at once. Returns the number of allowed reads, and the waits of the
 * others in milliseconds.
 */
async function take(budget: CallBudget, count: number, caller?: string, role?: string) {
  const taken = await Promise.all(
    Array.from({ length: count }, () => budget.take('read', caller, role)),
  );
  const waits = taken.flatMap((shortage) => shortage?.waitMs ?? []);
  return { allowed: count - waits.length, waits };
}

/** Expects a number of allowed reads, and up to `more` reads more. */
function expectBetween(allowed: number, least: number, more: number) {
  expect(allowed).toBeGreaterThanOrEqual(least);
  expect(allowed).toBeLessThanOrEqual(least + more);
}

/**
 * Returns a function that counts the reads that the budget has refilled since, at most. A slow
 * machine gives it more time.
 */
function countRefill(callsPerMinute: number): () => number {
  const beganMs = performance.now();
  return () => Math.ceil((performance.now() - beganMs) * ((0.8 * callsPerMinute) / 60_000));
}

describe('the shared call budget', () => {
  it('comes back evenly when the clock of Redis is set back meanwhile, and no sooner when it is set forward', async () => {
    const redis = await startRedis();
    const { budget } = await openBudget(redis, PER_MINUTE);
    /** Shifts the times that Redis stored against its clock. */
    const moveTimes = async (byMs: number) => {
      for (const key of await redis.client.keys('*:bucket:*'))
        await redis.client.hincrby(key, 'at', byMs);
    };
    await take(budget, 100);
    const refilled = countRefill(600);

    await moveTimes(3_600_000);
    const { waits } = await take(budget, 20);
    await expect.poll(async () => (await take(budget, 1)).allowed).toBe(1);
    await moveTimes(-3_600_000);
    const { allowed } = await take(budget, 100);

    expect(Math.max(...waits)).toBeLessThanOrEqual(125);
    // Of Redis, whose clock may run ahead, a second more is believed.
    expect(allowed).toBeLessThanOrEqual(8 + refilled());
  });

  it('grants one caller at most half, across all replicas', async () => {
    const redis = await startRedis();
    const replicas = [await openBudget(redis, PER_MINUTE), await openBudget(redis, PER_MINUTE)];
    const refilled = countRefill(600);

    const taken = await Promise.all(
      replicas.map(async ({ budget }) => {
        await take(budget, 1, 'bob');
        return (await take(budget, 60, 'ann')).allowed;
      }),
    );

    const allowed = taken.reduce((sum, count) => sum + count, 0);
    expectBetween(allowed, 40, refilled());
  });

  it('is not there twice for a replica that has used it while Redis was unavailable', async () => {
    const redis = await startRedis({ isDurable: true });
    const { budget, isSharing } = await openBudget(redis, { UPSTREAM_CALLS_PER_MINUTE: 120 });
    await take(budget, 1);
    await redis.kill();
    await expect.poll(isSharing).toBe(false);

    const refilled = countRefill(120);
    const alone = await take(budget, 20);
    await redis.restart();
    await expect.poll(isSharing).toBe(true);
    const { allowed } = await take(budget, 20);

    expect(alone.allowed).toBeGreaterThan(10);
    expect(allowed).toBeLessThanOrEqual(2 + refilled());
  });

  it('is divided by the replicas while Redis is unavailable, and all their calls count afterwards', async () => {
    const redis = await startRedis({ isDurable: true });
    const limits = { UPSTREAM_CALLS_PER_HOUR: 3_600 };
    const first = await openBudget(redis, limits);
    const replicas = [first, await openBudget(redis, limits), await openBudget(redis, limits)];
    const takeFromEach = (count: number) =>
      Promise.all(replicas.map(async ({ budget }) => (await take(budget, count)).allowed));
    const untilSharing = async (isShared: boolean) => {
      for (const { isSharing } of replicas) await expect.poll(isSharing).toBe(isShared);
    };
    await takeFromEach(10);

    await redis.kill();
    await untilSharing(false);
    const refilled = countRefill(60);
    const alone = await takeFromEach(600);
    await redis.restart();
    await untilSharing(true);
    await takeFromEach(1);
    const left = await first.budget.left();

    // Of 480 reads at once 450 are left, of which each replica has a third.
    for (const allowed of alone) expectBetween(allowed, 150, 8 + refilled());
    expect(left['hourly read']).toBeLessThanOrEqual(20 + refilled());
  });

  it('takes from the caller’s share and the global one together, or from neither', async () => {
    const redis = await startRedis();
    const hourly = { UPSTREAM_CALLS_PER_HOUR: 600 };
    const [a, b] = [await openBudget(redis, hourly), await openBudget(redis, hourly)];
    await take(a.budget, 1, 'bob');
    const ofAnn = await take(a.budget, 50, 'ann');
    await take(b.budget, 100);

    const { allowed, waits } = await take(a.budget, 1);

    expect(ofAnn.allowed).toBe(40);
    expect(allowed).toBe(0);
    expect(waits[0]).toBeLessThanOrEqual(7_500);
    expect(await a.budget.left()).toMatchObject({ 'hourly read': 0, 'hourly write': 10 });
    expect(await a.budget.take('renewal', undefined)).toBeUndefined();
  });
});

describe('the shared reserve of a role', () => {
  const openReserve = async (redis: TestRedis) => {
    const limits = { UPSTREAM_CALLS_PER_MINUTE: 600, UPSTREAM_CALLS_PER_HOUR: 36_000 };
    const replica = await openBudget(redis, limits);
    replica.budget.reserve(new Map([['portal', 120]]));
    return replica;
  };
  const takeAsPortal = async (budget: CallBudget, count: number) =>
    (await take(budget, count, 'web', 'portal')).allowed;

  it('is kept from callers of all replicas, and is there once', async () => {
    const redis = await startRedis();
    const [a, b] = [await openReserve(redis), await openReserve(redis)];
    const refilled = countRefill(600);

    const others = await take(a.budget, 100);

    expectBetween(others.allowed, 60, refilled());
    expect(await takeAsPortal(b.budget, 15)).toBe(15);
    expectBetween(await takeAsPortal(a.budget, 15), 5, refilled());
  });

  it('stays when the reserve of another role is in debt', async () => {
    const redis = await startRedis();
    const { budget } = await openBudget(redis, PER_MINUTE);
    const reserves = { shop: 60, portal: 120 };
    budget.reserve(new Map(Object.entries(reserves)));
    await budget.take('read', 'kiosk', 'shop');
    const [shop = ''] = await redis.client.keys('*:reserve:shop');
    await redis.client.hset(shop, 'calls', -20);
    const refilled = countRefill(600);

    const { allowed: others } = await take(budget, 100);

    // Of eighty reads at once one is made, and twenty are kept for the portal.
    expect(others).toBeLessThanOrEqual(59 + refilled());
  });

  it('is divided by the replicas while Redis is unavailable', async () => {
    const redis = await startRedis();
    const [{ budget, isSharing }] = [await openReserve(redis), await openReserve(redis)];
    await takeAsPortal(budget, 1);
    await redis.kill();
    await expect.poll(isSharing).toBe(false);
    const refilled = countRefill(300);

    const others = await take(budget, 100);
    const portal = await takeAsPortal(budget, 20);

    expectBetween(others.allowed, 29, 1 + refilled());
    expectBetween(portal, 9, 1 + refilled());
  });
});

it('a bucket of one caller is not divided while Redis is unavailable', async () => {
  const redis = await startRedis();
  const [a] = [await openReplica(redis.url), await openReplica(redis.url)];
  const limit = { of: 'caller', per: 'minute' } as const;
  const bucket = { name: 'requests:ann', limit, max: 10, least: 0, callsPerMs: 1e-9 };
  await a.callBuckets.take([{ ...bucket, name: 'other' }]);
  await redis.kill();
  await expect.poll(a.isSharing).toBe(false);

  const shortages = await Promise.all(
    Array.from({ length: 12 }, () => a.callBuckets.take([bucket])),
  );

  expect(shortages.filter((shortage) => shortage === undefined)).toHaveLength(10);
});
