import { LRUCache } from 'lru-cache';

import {
  type Bucket,
  type Buckets,
  createMemoryBuckets,
  ONLY_COUNTS,
  type Shortage,
  shortageOf,
} from '../../upstream/call-buckets.ts';
import type { RedisClient } from './client.ts';

/**
 * Takes one call from each bucket, or no call from any of them. Returns whether calls were taken,
 * and the level of each bucket. Time is measured by Redis, whose clock may be set: a level never
 * exceeds the most that the process allows, and if the clock went back, buckets refill from now on.
 * Full buckets expire. A missing bucket starts with the level that the process has counted.
 */
const TAKE = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local wait, levels, wentBack = 0, {}, false
for i, key in ipairs(KEYS) do
  local _, least, perMs, own, most = unpack(ARGV, 5 * i - 3, 5 * i + 1)
  local calls, at = unpack(redis.call('HMGET', key, 'calls', 'at'))
  levels[i] = calls and math.min(most, calls + math.max(0, now - at) * perMs) or tonumber(own)
  wentBack = wentBack or calls and now < tonumber(at)
  wait = math.max(wait, (1 + least - levels[i]) / perMs)
end
local isTaken = ARGV[1] == 'take' and wait <= 0.001
for i, key in ipairs(KEYS) do
  local max, least, perMs = unpack(ARGV, 5 * i - 3, 5 * i - 1)
  if isTaken then levels[i] = levels[i] - 1 end
  if isTaken and tonumber(least) == ${ONLY_COUNTS} then levels[i] = math.max(0, levels[i]) end
  if isTaken or wentBack then
    redis.call('HSET', key, 'calls', levels[i], 'at', now)
    redis.call('PEXPIRE', key, math.ceil((max - levels[i]) / perMs) + 1)
  end
end
return (isTaken and 1 or 0) .. ' ' .. table.concat(levels, ' ')`;

/** The maximum number of refusals that are remembered. */
const MAX_REFUSED = 10_000;
/**
 * How far the clock of Redis and the clock of a process may drift apart between two calls, in
 * milliseconds.
 */
const DRIFT_MS = 1_000;

/**
 * Creates buckets that all replicas share. Each process keeps its own count, and uses it while
 * Redis is unavailable.
 */
export function createSharedBuckets(client: RedisClient, prefix: string): Buckets {
  const own = createMemoryBuckets();
  /** Shortages by bucket names. Redis is not called again until a call is available. */
  const refused = new LRUCache<string, Shortage>({ max: MAX_REFUSED });
  /**
   * Returns the highest plausible level: the level that the process has seen, refilled by its own
   * clock.
   */
  const mostOf = (bucket: Bucket): number =>
    own.isKnown(bucket)
      ? Math.min(bucket.max, own.levelOf(bucket) + DRIFT_MS * bucket.callsPerMs)
      : bucket.max;
  const run = async (
    what: 'look' | 'take',
    buckets: readonly Bucket[],
  ): Promise<readonly number[]> => {
    const names = buckets.map(({ name }) => `${prefix}:${name}`);
    const args = buckets.flatMap((bucket) => {
      return [bucket.max, bucket.least, bucket.callsPerMs, own.levelOf(bucket), mostOf(bucket)];
    });
    const reply = await client.run((redis) =>
      redis.eval(TAKE, names.length, ...names, what, ...args),
    );
    return String(reply).split(' ').map(Number);
  };
  return {
    level: (buckets) =>
      run('look', buckets).then(
        ([, ...levels]) => Math.min(...levels),
        () => own.level(buckets),
      ),
    async take(buckets) {
      const key = buckets.map(({ name }) => name).join();
      const known = refused.get(key);
      if (known) return { ...known, waitMs: refused.getRemainingTTL(key) };
      const [isTaken, ...levels] = await run('take', buckets).catch(() => []);
      if (isTaken === undefined) return own.take(buckets);
      for (const [index, bucket] of buckets.entries()) own.set(bucket, levels[index] ?? 0);
      const shortage = isTaken ? undefined : shortageOf(buckets, levels);
      if (shortage) refused.set(key, shortage, { ttl: Math.ceil(shortage.waitMs) });
      return shortage;
    },
  };
}
