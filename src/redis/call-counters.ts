import { RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';

import { type CreateCounter, createMemoryCounters, WINDOW_MS } from '../upstream/rate-limit.ts';
import type { RedisClient } from './client.ts';

/** Makes counters of calls that all replicas share. While Redis is unavailable, each replica counts by itself. */
export function createSharedCounters(client: RedisClient, prefix: string): CreateCounter {
  const createOwnCounter = createMemoryCounters();
  return (name, limit) => {
    const countAlone = createOwnCounter(name, limit);
    const limiter = new RateLimiterRedis({
      storeClient: client.redis,
      keyPrefix: `${prefix}:${name}`,
      points: limit,
      duration: WINDOW_MS / 1_000,
      // A window that is used up is not asked about again.
      inMemoryBlockOnConsumed: limit,
    });
    const countShared = async (key: string): Promise<number> => {
      try {
        await limiter.consume(key);
        return 0;
      } catch (refusal) {
        if (refusal instanceof RateLimiterRes) return Math.max(1, refusal.msBeforeNext);
        throw refusal;
      }
    };
    return (key) => client.run(() => countShared(key)).catch(() => countAlone(key));
  };
}
