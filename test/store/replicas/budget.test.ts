import { describe, expect, it } from 'vitest';

import { createSharedBudget } from '../../../src/store/replicas/budget.ts';
import { createAskForLease } from '../../../src/store/replicas/leases.ts';
import { createNames } from '../../../src/store/replicas/names.ts';
import { eventually } from '../../replicas/support.ts';
import { startRedis, type TestRedis } from '../../support/redis.ts';
import { openLink } from './support.ts';

const names = createNames('https://platform.example');

/** One replica's budget. `spend` takes until it is refused, and gives how much it got and what it was told. */
async function openBudget(redis: TestRedis, limit: number, replica: string) {
  const { link } = await openLink(redis.url);
  const askForLease = createAskForLease({ link, names, replica, now: () => performance.now() });
  const budget = createSharedBudget({ limit, askForLease, isSharing: link.isUp });
  const spend = async (atMost = 10_000, comesFirst = false) => {
    for (let got = 0; got < atMost; got++) {
      const taken = await budget.take(comesFirst);
      if ('retryAfterMs' in taken) return { got, retryAfterMs: taken.retryAfterMs };
    }
    return { got: atMost, retryAfterMs: 0 };
  };
  return { link, budget, spend };
}

/** Takes by turns until both are refused, and gives the sum. */
async function spendAll(spenders: readonly (() => Promise<{ readonly got: number }>)[]) {
  const parts = await Promise.all(spenders.map((spend) => spend()));
  return parts.reduce((sum, { got }) => sum + got, 0);
}

/** The server's own clock, in seconds. */
const secondOf = async ({ client }: TestRedis) => Number((await client.time())[0]);

describe('the budget that replicas share', () => {
  it('is one for all: together they take exactly what there is', async () => {
    const redis = await startRedis();
    const replicas = await Promise.all(['a', 'b', 'c'].map((name) => openBudget(redis, 1_000, name)));

    const taken = await spendAll(replicas.map(({ spend }) => spend));

    expect(taken).toBe(900);
  });

  it('asks for many calls at a time, the more of them the more it needs', async () => {
    const redis = await startRedis();
    const { spend } = await openBudget(redis, 10_000, 'a');
    const evals = async () => Number(/cmdstat_eval:calls=(\d+)/.exec(await redis.client.info('commandstats'))?.[1]);

    await spend(1_000);

    expect(await evals()).toBeLessThan(60);
  });

  it('keeps a tenth for what comes first, whichever replica it comes to', async () => {
    const redis = await startRedis();
    const [a, b] = [await openBudget(redis, 100, 'a'), await openBudget(redis, 100, 'b')];

    const { got: reads } = await a.spend();
    const { got: changes } = await b.spend(1_000, true);

    expect([reads, changes]).toEqual([90, 10]);
  });

  it('says when there is room again, and remembers for a minute and no longer', async () => {
    const redis = await startRedis();
    const { spend } = await openBudget(redis, 10, 'a');
    const second = await secondOf(redis);
    await redis.client.hset(names('calls'), String(second - 40), 9, String(second - 90), 9);

    const { got, retryAfterMs } = await spend();

    expect(got).toBe(0);
    expect(retryAfterMs).toBeGreaterThan(0);
    expect(retryAfterMs).toBeLessThanOrEqual(22_000);
  });

  it('gives back what was leased and not used', async () => {
    const redis = await startRedis();
    const { budget } = await openBudget(redis, 2, 'a');
    const taken = await budget.take(false);

    if ('giveBack' in taken) taken.giveBack();

    expect(await budget.take(false)).toHaveProperty('giveBack');
  });

  it('holds when Redis forgets everything', async () => {
    const redis = await startRedis();
    const { spend } = await openBudget(redis, 100, 'a');
    const before = await spend(60);

    await redis.client.flushall();
    const after = await spend();

    expect(before.got + after.got).toBe(90);
  });

  it('holds when Redis forgets, also where the one who asks next had taken little', async () => {
    const redis = await startRedis();
    const [a, b] = [await openBudget(redis, 100, 'a'), await openBudget(redis, 100, 'b')];
    await a.spend(60);
    await b.spend(1);

    await redis.client.flushall();
    const after = [(await b.spend()).got, (await a.spend()).got];

    expect(after).toEqual([29, 0]);
  });

  it('heals from garbage', async () => {
    const redis = await startRedis();
    await redis.client.set(names('calls'), 'garbage');
    await redis.client.set(names('replicas'), 'garbage');
    const { spend } = await openBudget(redis, 100, 'a');

    await spend(10);
    await redis.client.hset(names('calls'), 'x', 'y', '99999999999', '5', 'assumed', 'z');

    expect((await spend()).got).toBe(80);
  });

  it('goes on with a fair share while Redis is away, and tells of it afterwards', async () => {
    const redis = await startRedis();
    const [a, b] = [await openBudget(redis, 100, 'a'), await openBudget(redis, 100, 'b')];
    await a.spend(1);
    await b.spend(1);
    await a.spend(1);

    await redis.kill();
    await eventually(() => expect([a, b].map(({ link }) => link.isUp())).toEqual([false, false]));
    const alone = [(await a.spend()).got, (await b.spend()).got];
    await redis.restart();
    await eventually(() => expect([a, b].map(({ link }) => link.isUp())).toEqual([true, true]));
    const again = await spendAll([a.spend, b.spend]);

    const [sum, ...most] = [3 + alone.reduce((total, got) => total + got), ...alone];
    expect(Math.max(...most)).toBeLessThanOrEqual(45);
    expect(sum).toBeGreaterThan(80);
    expect(sum + again).toBe(90);
  });

  it('takes the part of what was left when Redis went, not more', async () => {
    const redis = await startRedis();
    const [a, b] = [await openBudget(redis, 100, 'a'), await openBudget(redis, 100, 'b')];
    await a.spend(80);
    await b.spend(1);

    await redis.kill();
    await eventually(() => expect(b.link.isUp()).toBe(false));

    expect((await b.spend()).got).toBe(4);
  });
});
