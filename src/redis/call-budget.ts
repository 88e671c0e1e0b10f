import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';

import type { CallBudget } from '../upstream/call-budget.ts';
import type { RedisClient } from './client.ts';

/** Calls are counted in fixed windows, so that within any 60 seconds there are at most seven of them: 7/6 of the limit. */
const WINDOW_SECONDS = 10;
/** What others leave to the calls that come first. */
const RESERVED_SHARE = 0.1;

/**
 * Makes the budget that all replicas share, of so many calls within a minute. While Redis is unavailable, each replica has the
 * whole of it.
 */
export function createSharedBudget(client: RedisClient, name: string, limit: number): CallBudget {
  const perWindow = Math.max(2, Math.floor((limit * WINDOW_SECONDS) / 60));
  const reserved = Math.max(1, Math.round(perWindow * RESERVED_SHARE));
  const first = createCounter(client, `${name}:first`, reserved);
  const others = createCounter(client, `${name}:others`, perWindow - reserved);
  return {
    async take(comesFirst) {
      const retryAfterMs = await (comesFirst ? first : others)();
      return retryAfterMs === undefined ? { giveBack: () => undefined } : { retryAfterMs };
    },
  };
}

/** Gives what takes one of `points` calls in the current window, and resolves to how long to wait where there is none left. */
function createCounter(client: RedisClient, keyPrefix: string, points: number): () => Promise<number | undefined> {
  const window = { keyPrefix, points, duration: WINDOW_SECONDS };
  const memory = new RateLimiterMemory(window);
  // A window that is used up is not asked about again.
  const shared = new RateLimiterRedis({ ...window, storeClient: client.redis, inMemoryBlockOnConsumed: points });
  const consume = async (limiter: RateLimiterMemory | RateLimiterRedis) => {
    try {
      await limiter.consume('');
      return undefined;
    } catch (refusal) {
      if (refusal instanceof RateLimiterRes) return refusal.msBeforeNext;
      throw refusal;
    }
  };

  return () => client.run(() => consume(shared)).catch(() => consume(memory));
}
