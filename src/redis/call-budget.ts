import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';

import {
  type CallBudget,
  type CallKind,
  callsOfOneCaller,
  callsPerWindow,
  sharesFor,
  WINDOW_MS,
} from '../upstream/call-budget.ts';
import type { RedisClient } from './client.ts';

/**
 * Makes the budget that all replicas share, of so many calls within a minute, in the same windows and shares as that of one
 * gateway alone. While Redis is unavailable, each replica has the whole of it.
 */
export function createSharedBudget(client: RedisClient, name: string, callsPerMinute: number): CallBudget {
  const counterOf = (kind: CallKind) => {
    const calls = callsPerWindow(callsPerMinute, kind);
    return {
      all: createCounter(client, `${name}:${kind}`, calls),
      own: createCounter(client, `${name}:${kind}:caller`, callsOfOneCaller(calls)),
    };
  };
  const counters = { read: counterOf('read'), write: counterOf('write'), 'sign-in': counterOf('sign-in') };

  const takeFrom = async (share: CallKind, caller: string | undefined): Promise<number> => {
    const { all, own } = counters[share];
    const waitMs = caller === undefined ? 0 : await own(caller);
    return waitMs || all('');
  };

  return {
    async take(kind, caller) {
      let waitMs = 0;
      for (const share of sharesFor(kind)) {
        waitMs = await takeFrom(share, caller);
        if (waitMs === 0) return 0;
      }
      return waitMs;
    },
  };
}

/** Gives what counts one call, and resolves to how long to wait where the current window has none left; 0 where it has. */
function createCounter(client: RedisClient, keyPrefix: string, points: number): (key: string) => Promise<number> {
  const window = { keyPrefix, points, duration: WINDOW_MS / 1_000 };
  const memory = new RateLimiterMemory(window);
  // A window that is used up is not asked about again.
  const shared = new RateLimiterRedis({ ...window, storeClient: client.redis, inMemoryBlockOnConsumed: points });
  const consume = async (limiter: RateLimiterMemory | RateLimiterRedis, key: string): Promise<number> => {
    try {
      await limiter.consume(key);
      return 0;
    } catch (refusal) {
      if (refusal instanceof RateLimiterRes) return Math.max(1, refusal.msBeforeNext);
      throw refusal;
    }
  };

  return (key) => client.run(() => consume(shared, key)).catch(() => consume(memory, key));
}
