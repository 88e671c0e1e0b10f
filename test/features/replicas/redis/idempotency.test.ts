import { expect, it } from 'vitest';

import type { ChangeOutcome, NamedChange, SharedRun } from '../../../../src/cache/idempotency.ts';
import { scopeKey } from '../../../../src/cache/scope-key.ts';
import { startRedis } from '../../../support/redis.ts';
import { openReplica } from './support.ts';

const CHANGE: NamedChange = {
  operation: 'startCase',
  key: 'k',
  caller: scopeKey('ann'),
  fingerprint: 'f',
};
const DONE: ChangeOutcome = { is: 'done', value: { caseId: '1' } };

const isHeld = (claim: SharedRun): boolean => {
  try {
    claim.check();
    return true;
  } catch {
    return false;
  }
};

async function openTwo(deadlineMs = 10_000, keptMs = 600_000) {
  const redis = await startRedis();
  const [a, b] = await Promise.all([openReplica(redis.url), openReplica(redis.url)]);
  return { redis, a: a.shareRuns(deadlineMs, keptMs), b: b.shareRuns(deadlineMs, 600_000) };
}

it('a claim whose write was not sent is free again', async () => {
  const { a, b } = await openTwo();
  const [first, second] = [a(CHANGE), b(CHANGE)];
  await first.acquire();
  await first.settle(undefined);

  expect(await second.find()).toBeUndefined();
  await second.acquire();
  expect(second.isTaken()).toBe(false);
});

it('a claim that Redis takes too late to be answered is free again, since nothing was sent', async () => {
  const { redis, a, b } = await openTwo();
  const late = a(CHANGE);
  redis.pause();
  await expect(late.acquire()).rejects.toMatchObject({ failure: 'unrecorded', isUnsent: true });
  const settled = late.settle(undefined);
  redis.resume();
  await settled;

  await expect.poll(() => b(CHANGE).find()).toBeUndefined();
});

it('a claim past its lease holds no longer, is unknown to others, and is never taken over', async () => {
  // The replica keeps outcomes for longer than the other one.
  const { redis, a, b } = await openTwo(1, 86_400_000);
  const dead = a(CHANGE);
  await dead.acquire();
  const [name = ''] = await redis.client.keys('*:change:*');
  expect(await redis.client.pttl(name)).toBeGreaterThan(86_000_000);

  // A lease lasts for the deadline and a second.
  await expect.poll(() => isHeld(dead), { timeout: 30_000 }).toBe(false);

  await expect
    .poll(() => b(CHANGE).find())
    .toMatchObject({ is: 'failed', failure: 'outcome-unknown' });
  await expect(b(CHANGE).acquire()).rejects.toMatchObject({ failure: 'cancelled', isUnsent: true });
  expect(await redis.client.keys('*:change:*')).toEqual([name]);
  await dead.settle(DONE);
  expect(await b(CHANGE).find()).toEqual(DONE);
});

it('an outcome does not replace what another replica has claimed since', async () => {
  const { redis, a, b } = await openTwo();
  const [first, second] = [a(CHANGE), b(CHANGE)];
  await first.acquire();
  await redis.client.flushall();
  await second.acquire();
  await first.settle(DONE);

  await second.settle({ ...DONE, value: 2 });

  expect(await a(CHANGE).find()).toEqual({ ...DONE, value: 2 });
});

it('the record in Redis reveals neither the input nor the outcome, and expires', async () => {
  const { redis, a } = await openTwo();
  const run = a({ ...CHANGE, key: 'key-of-ann', fingerprint: 'fingerprint-of-ann' });
  await run.acquire();
  await run.settle({ is: 'done', value: 'outcome-of-ann' });

  const [name = ''] = await redis.client.keys('*:change:*');

  expect((await redis.dump()).join()).not.toMatch(/of-ann/);
  expect(await redis.client.pttl(name)).toBeLessThanOrEqual(600_000);
});
