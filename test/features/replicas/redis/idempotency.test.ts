import { expect, it } from 'vitest';

import type { ChangeOutcome, NamedChange, SharedRun } from '../../../../src/cache/idempotency.ts';
import { scopeKey } from '../../../../src/cache/scope.ts';
import type { UpstreamError } from '../../../../src/core/errors.ts';
import { startRedis } from '../../../support/redis.ts';
import { openReplica } from './support.ts';

const CHANGE: NamedChange = { operation: 'startCase', key: 'k', caller: scopeKey('ann'), fingerprint: 'f' };
const DONE: ChangeOutcome = { is: 'done', value: { caseId: '1' } };
/** A claim lasts for so long after its write must have ended, in milliseconds. */
const SLACK_MS = 1_000;

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
  const { redis, a, b } = await openTwo(1);
  const dead = a(CHANGE);
  await dead.acquire();

  await expect.poll(() => isHeld(dead), { timeout: 2 * SLACK_MS + 10_000 }).toBe(false);

  await expect.poll(() => b(CHANGE).find()).toMatchObject({ is: 'failed', failure: 'outcome-unknown' });
  await expect(b(CHANGE).acquire()).rejects.toMatchObject({ failure: 'cancelled', isUnsent: true });
  expect(await redis.client.keys('*:change:*')).toHaveLength(1);
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

it('what lies in Redis tells neither the input nor the outcome, and expires', async () => {
  const { redis, a } = await openTwo();
  const run = a({ ...CHANGE, key: 'key-of-ann', fingerprint: 'fingerprint-of-ann' });
  await run.acquire();
  await run.settle({ is: 'done', value: 'outcome-of-ann' });

  const [name = ''] = await redis.client.keys('*:change:*');

  expect((await redis.dump()).join()).not.toMatch(/of-ann/);
  expect(await redis.client.pttl(name)).toBeLessThanOrEqual(600_000);
});

it('a claim says itself how long its write may take, to replicas that keep outcomes for another time', async () => {
  const { redis, a, b } = await openTwo(1, 86_400_000);
  const dead = a(CHANGE);
  await dead.acquire();
  const [name = ''] = await redis.client.keys('*:change:*');
  expect(await redis.client.pttl(name)).toBeGreaterThan(86_000_000);

  await expect.poll(() => isHeld(dead), { timeout: 2 * SLACK_MS + 10_000 }).toBe(false);

  expect(await b(CHANGE).find()).toMatchObject({ is: 'failed', failure: 'outcome-unknown' });
  await dead.settle(DONE);
  expect(await b(CHANGE).find()).toEqual(DONE);
});

it('outcomes of one caller take half of Redis, are no hindrance to others, and leave room when they expire', async () => {
  const redis = await startRedis({ args: ['--save', '', '--maxmemory', '8mb', '--maxmemory-policy', 'noeviction'] });
  const { shareRuns } = await openReplica(redis.url);
  const share = shareRuns(10_000, 60_000);
  let changes = 0;
  /** Makes changes until one is refused, at most so many. */
  const change = async (caller: string, count: number): Promise<unknown> => {
    for (const end = changes + count; changes < end; changes++) {
      const run = share({ ...CHANGE, caller: scopeKey(caller), key: `k${changes}` });
      try {
        await run.acquire();
      } catch (error) {
        return error;
      }
      await run.settle({ is: 'done', value: 'x'.repeat(12_000) });
    }
    return undefined;
  };

  const refused = await change('ann', 1_000);
  const others = await change('bob', 20);

  expect(refused).toMatchObject({ failure: 'rate-limited', limit: { of: 'caller' }, isUnsent: true });
  expect((refused as UpstreamError).retryAfterMs).toBeLessThanOrEqual(66_000);
  expect(others).toBeUndefined();
  // Whoever has no room may still learn what was done.
  expect(await share({ ...CHANGE, key: 'k0' }).find()).toMatchObject({ is: 'done' });
  const [held = ''] = (await redis.client.keys('*:held:*')).filter((name) => name.includes(scopeKey('ann')));
  const bytes = Object.values(await redis.client.hgetall(held));
  await redis.client.del(held);
  await redis.client.hset(held, '1', bytes.join(''));
  expect(await change('ann', 1)).toBeUndefined();
});
