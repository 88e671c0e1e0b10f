import { LRUCache } from 'lru-cache';

import {
  type Bucket,
  type Buckets,
  createMemoryBuckets,
  ONLY_COUNTS,
  type Shortage,
  shortageOf,
} from '../../upstream/call-buckets.ts';
import type { SharedRedis } from './client.ts';
import { createReplicaCount } from './replica-count.ts';

/**
 * Takes one call from each bucket, or no call from any of them. Returns whether calls were taken,
 * the number of connected replicas, and the level of each bucket. Time is measured by Redis, whose
 * clock may be set: a level never exceeds the most that the process allows, and if the clock went
 * back, buckets refill from now on. Full buckets expire. A missing bucket starts with the level
 * that the process has seen. Calls that the process has made standalone (`spent`) are subtracted.
 *
 * Reserves precede the buckets that keep them, and have no cost. Both have the period as `group`. A
 * reserve in debt has no calls to keep.
 */
const TAKE = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local replicas = redis.call('PUBSUB', 'NUMSUB', ARGV[2])[2]
local wait, levels, kept, isChanged = 0, {}, {}, false
for i, key in ipairs(KEYS) do
  local max, least, perMs, seen, most, spent, cost, group = unpack(ARGV, 8 * i - 5, 8 * i + 2)
  local calls, at = unpack(redis.call('HMGET', key, 'calls', 'at'))
  local level = calls and math.min(most, calls + math.max(0, now - at) * perMs) or tonumber(seen)
  levels[i] = level - spent
  if tonumber(least) == ${ONLY_COUNTS} then levels[i] = math.max(0, levels[i]) end
  isChanged = isChanged or tonumber(spent) > 0 or calls and now < tonumber(at)
  local groupKept = kept[group] or 0
  if tonumber(cost) == 0 then
    kept[group] = groupKept + math.max(0, levels[i])
  else
    local least = least + math.min(groupKept, max - least - 1)
    wait = math.max(wait, (1 + least - levels[i]) / perMs)
  end
end
local isTaken = ARGV[1] == 'take' and wait <= 0.001
for i, key in ipairs(KEYS) do
  local max, least, perMs = unpack(ARGV, 8 * i - 5, 8 * i - 3)
  if isTaken then levels[i] = levels[i] - ARGV[8 * i + 1] end
  if isTaken and tonumber(least) == ${ONLY_COUNTS} then levels[i] = math.max(0, levels[i]) end
  if isTaken or isChanged then
    redis.call('HSET', key, 'calls', levels[i], 'at', now)
    redis.call('PEXPIRE', key, math.ceil((max - levels[i]) / perMs) + 1)
  end
end
return (isTaken and 1 or 0) .. ' ' .. replicas .. ' ' .. table.concat(levels, ' ')`;

/** The maximum number of refusals that are remembered. */
const MAX_REFUSED = 10_000;
/**
 * How far the clock of Redis and the clock of a process may drift apart between two calls, in
 * milliseconds.
 */
const DRIFT_MS = 1_000;

/**
 * Creates buckets that all replicas share. While Redis is unavailable, each replica counts on its
 * own, and takes its part of the divided buckets. The calls that it makes meanwhile are subtracted
 * from the shared levels afterwards.
 */
export function createSharedBuckets({
  client,
  nameOf,
}: Pick<SharedRedis, 'client' | 'nameOf'>): Buckets {
  /** The levels of Redis, refilled by the clock of this process. */
  const seen = createMemoryBuckets();
  /** The same levels without the calls that this process has made standalone. */
  const own = createMemoryBuckets();
  /** Shortages by bucket names. Redis is not called again until a call is available. */
  const refused = new LRUCache<string, Shortage>({ max: MAX_REFUSED });
  const replicas = createReplicaCount();
  /** The number of replicas at the last call without Redis. */
  let dividedBy = 1;

  // Redis counts the subscribers of this channel. It has no messages.
  const channel = nameOf('replicas');
  client.subscribe(channel, () => undefined);
  client.onConnect(() => {
    replicas.noteConnect();
    run('look', []).catch(() => undefined);
  });

  /** Returns the highest plausible level. */
  const mostOf = (bucket: Bucket): number => {
    if (!seen.isKnown(bucket)) return bucket.max;
    return Math.min(bucket.max, seen.levelOf(bucket) + DRIFT_MS * bucket.callsPerMs);
  };
  /** Returns the cost of the calls since Redis was last available, and forgets them. */
  const collectSpent = (bucket: Bucket): number => {
    const seenLevel = seen.levelOf(bucket);
    const spent = Math.max(0, seenLevel - own.levelOf(bucket));
    if (spent > 0) own.set(bucket, seenLevel);
    return spent;
  };
  const restoreSpent = (spent: ReadonlyMap<Bucket, number>): void => {
    for (const [bucket, cost] of spent) {
      if (cost > 0) own.set(bucket, own.levelOf(bucket) - cost);
    }
  };
  const run = async (what: 'look' | 'take', drawn: readonly Bucket[]) => {
    const reserves = new Set(drawn.flatMap(({ keeps = [] }) => keeps));
    const buckets = [...reserves, ...drawn];
    const names = buckets.map(({ name }) => nameOf('bucket', name));
    // Collected before the reply, so that calls at the same time do not report them again.
    const spent = new Map(buckets.map((bucket) => [bucket, collectSpent(bucket)]));
    const args = [...spent].flatMap(([bucket, spentCost]) => {
      const { max, least, callsPerMs, isDivided, keeps, limit } = bucket;
      const calls = isDivided ? spentCost / dividedBy : spentCost;
      const levels = [max, least, callsPerMs, seen.levelOf(bucket), mostOf(bucket), calls];
      const isReserve = reserves.has(bucket);
      const group = isReserve || keeps ? String(limit.per) : '';
      return [...levels, isReserve ? 0 : 1, group];
    });
    const reply = client.run((redis) =>
      redis.eval(TAKE, names.length, ...names, what, channel, ...args),
    );
    reply.catch(() => restoreSpent(spent));
    const [isTaken, connected = 1, ...levels] = String(await reply)
      .split(' ')
      .map(Number);
    replicas.note(connected);
    for (const [index, bucket] of buckets.entries()) {
      const level = levels[index] ?? 0;
      // In this order: the time between both must not look like a call.
      own.set(bucket, level);
      seen.set(bucket, level);
    }
    const levelOf = (bucket: Bucket) => levels[buckets.indexOf(bucket)] ?? 0;
    return { isTaken: isTaken === 1, levelOf };
  };

  return {
    level: (buckets) =>
      run('look', buckets).then(
        ({ levelOf }) => Math.min(...buckets.map(levelOf)),
        () => own.level(buckets, replicas.read()),
      ),
    async take(buckets) {
      const key = buckets.map(({ name }) => name).join();
      const known = refused.get(key);
      if (known) return { ...known, waitMs: refused.getRemainingTTL(key) };

      const reply = await run('take', buckets).catch(() => undefined);
      if (reply === undefined) {
        dividedBy = replicas.read();
        return own.take(buckets, dividedBy);
      }
      if (reply.isTaken) return undefined;
      const shortage = shortageOf(buckets, reply.levelOf);
      if (shortage) refused.set(key, shortage, { ttl: Math.ceil(shortage.waitMs) });
      return shortage;
    },
  };
}
