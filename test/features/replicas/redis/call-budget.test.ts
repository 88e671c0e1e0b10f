import { describe, expect, it } from 'vitest';
import { type CallBudget, createCallBudget } from '../../../../src/upstream/call-budget.ts';
import { startRedis, type TestRedis } from '../../../support/redis.ts';
import { eventually } from '../support.ts';
import { openReplica } from './support.ts';

/**
 * Takes this number of calls at once. Returns how many were allowed, and the waits of the others in
 * milliseconds.
 */
async function take(budget: CallBudget, count: number) {
  const taken = await Promise.all(
    Array.from({ length: count }, () => budget.take('read', undefined)),
  );
  const waits = taken.flatMap((shortage) => shortage?.waitMs ?? []);
  return { allowed: count - waits.length, waits };
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
    const { callBuckets } = await openReplica(redis.url);
    const budget = createCallBudget({ UPSTREAM_CALLS_PER_MINUTE: 600 }, [], callBuckets);
    /** Shifts the times that Redis stored against its clock. */
    const moveTimes = async (byMs: number) => {
      for (const key of await redis.client.keys('*:bucket:*'))
        await redis.client.hincrby(key, 'at', byMs);
    };
    await take(budget, 100);
    const refilled = countRefill(600);

    await moveTimes(3_600_000);
    const { waits } = await take(budget, 20);
    await eventually(async () => expect((await take(budget, 1)).allowed).toBe(1));
    await moveTimes(-3_600_000);
    const { allowed } = await take(budget, 100);

    expect(Math.max(...waits)).toBeLessThanOrEqual(125);
    // Of Redis, whose clock may run ahead, a second more is believed.
    expect(allowed).toBeLessThanOrEqual(8 + refilled());
  });

  it('grants one caller at most half, across all replicas', async () => {
    const redis = await startRedis();
    const [a, b] = [await openReplica(redis.url), await openReplica(redis.url)];
    const takeAs = async (budget: CallBudget) => {
      await budget.take('read', 'bob');
      return Promise.all(Array.from({ length: 60 }, () => budget.take('read', 'ann')));
    };
    const refilled = countRefill(600);

    const waits = (
      await Promise.all([
        takeAs(createCallBudget({ UPSTREAM_CALLS_PER_MINUTE: 600 }, [], a.callBuckets)),
        takeAs(createCallBudget({ UPSTREAM_CALLS_PER_MINUTE: 600 }, [], b.callBuckets)),
      ])
    ).flat();

    const allowed = waits.filter((shortage) => shortage === undefined).length;
    expect(allowed).toBeGreaterThanOrEqual(40);
    expect(allowed).toBeLessThanOrEqual(40 + refilled());
  });

  it('is not there twice for a replica that has used it while Redis was unavailable', async () => {
    const redis = await startRedis({ isDurable: true });
    const { callBuckets, isSharing } = await openReplica(redis.url);
    const budget = createCallBudget({ UPSTREAM_CALLS_PER_MINUTE: 120 }, [], callBuckets);
    await take(budget, 1);
    await redis.kill();
    await eventually(async () => expect(await isSharing()).toBe(false));

    const refilled = countRefill(120);
    const alone = await take(budget, 20);
    await redis.restart();
    await eventually(async () => expect(await isSharing()).toBe(true));
    const { allowed } = await take(budget, 20);

    expect(alone.allowed).toBeGreaterThan(10);
    expect(allowed).toBeLessThanOrEqual(2 + refilled());
  });

  it('is divided by the replicas while Redis is unavailable, and all their calls count afterwards', async () => {
    const redis = await startRedis({ isDurable: true });
    const limits = { UPSTREAM_CALLS_PER_HOUR: 3_600 };
    const first = await openReplica(redis.url);
    const replicas = [first, await openReplica(redis.url), await openReplica(redis.url)];
    const budgets = replicas.map(({ callBuckets }) => createCallBudget(limits, [], callBuckets));
    const takeFromEach = async (count: number) => {
      const taken = await Promise.all(budgets.map((budget) => take(budget, count)));
      return taken.map(({ allowed }) => allowed);
    };
    const untilSharing = (isShared: boolean) =>
      eventually(async () => {
        for (const { isSharing } of replicas) expect(await isSharing()).toBe(isShared);
      });
    await takeFromEach(10);

    await redis.kill();
    await untilSharing(false);
    const refilled = countRefill(60);
    const alone = await takeFromEach(600);
    await redis.restart();
    await untilSharing(true);
    await takeFromEach(1);
    const left = await createCallBudget(limits, [], first.callBuckets).left();

    // Of 480 reads at once 450 are left, of which each replica has a third.
    for (const allowed of alone) {
      expect(allowed).toBeGreaterThanOrEqual(150);
      expect(allowed).toBeLessThanOrEqual(158 + refilled());
    }
    expect(left['hourly read']).toBeLessThanOrEqual(20 + refilled());
  });
});

describe('the shared reserve of a role', () => {
  const openBudgets = async (redis: TestRedis) => {
    const replicas = [await openReplica(redis.url), await openReplica(redis.url)] as const;
    const [a, b] = replicas.map(({ callBuckets }) => {
      const limits = { UPSTREAM_CALLS_PER_MINUTE: 600, UPSTREAM_CALLS_PER_HOUR: 36_000 };
      const budget = createCallBudget(limits, [], callBuckets);
      budget.reserve(new Map([['portal', 120]]));
      return budget;
    });
    if (a === undefined || b === undefined) throw new Error('There are two.');
    return { replicas, a, b };
  };
  const takeAsPortal = async (budget: CallBudget, count: number) => {
    const taken = await Promise.all(
      Array.from({ length: count }, () => budget.take('read', 'web', 'portal')),
    );
    return taken.filter((shortage) => shortage === undefined).length;
  };

  it('is kept from callers of all replicas, and is there once', async () => {
    const { a, b } = await openBudgets(await startRedis());
    const refilled = countRefill(600);

    const { allowed: others } = await take(a, 100);
    const portal = [await takeAsPortal(b, 15), await takeAsPortal(a, 15)];

    expect(others).toBeGreaterThanOrEqual(60);
    expect(others).toBeLessThanOrEqual(60 + refilled());
    expect(portal[0]).toBe(15);
    expect(portal[1]).toBeGreaterThanOrEqual(5);
    expect(portal[1]).toBeLessThanOrEqual(5 + refilled());
  });

  it('stays when the reserve of another role is in debt', async () => {
    const redis = await startRedis();
    const { callBuckets } = await openReplica(redis.url);
    const budget = createCallBudget({ UPSTREAM_CALLS_PER_MINUTE: 600 }, [], callBuckets);
    budget.reserve(
      new Map([
        ['shop', 60],
        ['portal', 120],
      ]),
    );
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
    const { replicas, a } = await openBudgets(redis);
    await takeAsPortal(a, 1);
    await redis.kill();
    await eventually(async () => expect(await replicas[0].isSharing()).toBe(false));
    const refilled = countRefill(300);

    const { allowed: others } = await take(a, 100);
    const portal = await takeAsPortal(a, 20);

    expect(others).toBeGreaterThanOrEqual(29);
    expect(others).toBeLessThanOrEqual(30 + refilled());
    expect(portal).toBeGreaterThanOrEqual(9);
    expect(portal).toBeLessThanOrEqual(10 + refilled());
  });
});

describe('a bucket of one caller', () => {
  it('is not divided while Redis is unavailable', async () => {
    const redis = await startRedis();
    const [a] = [await openReplica(redis.url), await openReplica(redis.url)];
    const limit = { of: 'caller', per: 'minute' } as const;
    const bucket = { name: 'requests:ann', limit, max: 10, least: 0, callsPerMs: 1e-9 };
    await a.callBuckets.take([{ ...bucket, name: 'other' }]);
    await redis.kill();
    await eventually(async () => expect(await a.isSharing()).toBe(false));

    const shortages = await Promise.all(
      Array.from({ length: 12 }, () => a.callBuckets.take([bucket])),
    );

    expect(shortages.filter((shortage) => shortage === undefined)).toHaveLength(10);
  });
});

describe('the shared budget of an hour', () => {
  const HOURLY = { UPSTREAM_CALLS_PER_HOUR: 600 };

  it('is shared by all replicas, which count along and go on alone while Redis is unavailable', async () => {
    const redis = await startRedis({ isDurable: true });
    const [a, b] = [await openReplica(redis.url), await openReplica(redis.url)];
    const [ofA, ofB] = [
      createCallBudget(HOURLY, [], a.callBuckets),
      createCallBudget(HOURLY, [], b.callBuckets),
    ];

    const together = [(await take(ofA, 6)).allowed, (await take(ofB, 100)).allowed];
    const renewal = await ofB.take('renewal', undefined);
    await redis.kill();
    await eventually(async () =>
      expect([await a.isSharing(), await b.isSharing()]).toEqual([false, false]),
    );
    const alone = [(await take(ofA, 100)).allowed, (await take(ofB, 100)).allowed];
    await redis.restart();
    await eventually(async () =>
      expect([await a.isSharing(), await b.isSharing()]).toEqual([true, true]),
    );

    expect([together, renewal]).toEqual([[6, 74], undefined]);
    // Of the initial eighty reads one replica knows of 74 left, of which it has half.
    expect(alone).toEqual([37, 0]);
    expect((await take(ofA, 20)).allowed + (await take(ofB, 20)).allowed).toBeLessThanOrEqual(2);
  });

  it('takes from the caller’s share and the global one together, or from neither', async () => {
    const redis = await startRedis();
    const [a, b] = [await openReplica(redis.url), await openReplica(redis.url)];
    const budget = createCallBudget(HOURLY, [], a.callBuckets);
    await budget.take('read', 'bob');
    const ofAnn = await Promise.all(Array.from({ length: 50 }, () => budget.take('read', 'ann')));
    await take(createCallBudget(HOURLY, [], b.callBuckets), 100);

    const { allowed, waits } = await take(budget, 1);

    expect(ofAnn.filter((shortage) => shortage === undefined)).toHaveLength(40);
    expect(allowed).toBe(0);
    expect(waits[0]).toBeLessThanOrEqual(7_500);
    expect(await budget.left()).toMatchObject({ 'hourly read': 0, 'hourly write': 10 });
  });
});
