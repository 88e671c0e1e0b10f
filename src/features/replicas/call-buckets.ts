import { type Buckets, createMemoryBuckets } from '../../upstream/call-buckets.ts';
import type { RedisClient } from './client.ts';

/**
 * Takes a call from each bucket, or none, and gives how long until each has one. The time is that of Redis; a bucket is forgotten
 * once it is full, and one that is not there begins with what the process has counted.
 */
const TAKE = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local wait, levels = 0, {}
for i, key in ipairs(KEYS) do
  local max, least, perMs, own = unpack(ARGV, 4 * i - 3, 4 * i)
  local found = redis.call('HMGET', key, 'calls', 'at')
  local calls = found[1] and found[1] + math.max(0, now - found[2]) * perMs or tonumber(own)
  levels[i] = math.min(max, calls)
  wait = math.max(wait, (1 + least - levels[i]) / perMs)
end
if ARGV[4 * #KEYS + 1] == 'look' then return tostring(levels[1]) end
if wait > 0.001 then return tostring(wait) end
for i, key in ipairs(KEYS) do
  local max, _, perMs = unpack(ARGV, 4 * i - 3, 4 * i)
  redis.call('HSET', key, 'calls', levels[i] - 1, 'at', now)
  redis.call('PEXPIRE', key, math.ceil((max - levels[i] + 1) / perMs))
end
return '0'`;

/** Makes buckets that all replicas share. Each replica counts along, and goes by its own count while Redis is unavailable. */
export function createSharedBuckets(client: RedisClient, prefix: string): Buckets {
  const own = createMemoryBuckets();
  const run = async (buckets: Parameters<Buckets['take']>[0], what: 'look' | 'take'): Promise<number> => {
    const names = buckets.map(({ name }) => `${prefix}:${name}`);
    const args = buckets.flatMap((bucket) => [bucket.max, bucket.least, bucket.callsPerMs, own.level(bucket)]);
    return Number(await client.run((redis) => redis.eval(TAKE, names.length, ...names, ...args, what)));
  };
  return {
    level: (bucket) => run([bucket], 'look').catch(() => own.level(bucket)),
    async take(buckets) {
      const waitMs = await run(buckets, 'take').catch(() => undefined);
      if (waitMs === undefined) return own.take(buckets);
      if (waitMs === 0) own.spend(buckets);
      return waitMs;
    },
  };
}
