import { LRUCache } from 'lru-cache';

import { scopeKey } from '../../cache/scope-key.ts';
import { isOneOf } from '../../core/errors.ts';
import { limited } from '../../upstream/call-budget.ts';
import { networkOf } from '../node-server.ts';

const WINDOW_MS = 60_000;
/** The limits for one user name from one address, and for one address. */
const MAX_OF_PAIR = 4;
const MAX_OF_ADDRESS = 8;
const MAX_COUNTED = 10_000;

/**
 * Creates the limit of refused sign-ins. It counts by address, so that an attacker cannot lock a
 * user out at another address.
 */
export function createSignInLimit() {
  const refused = new LRUCache<string, number>({
    max: MAX_COUNTED,
    ttl: WINDOW_MS,
    noUpdateTTL: true,
  });

  /**
   * @throws {UpstreamError} `rate-limited` if the limit is exceeded; nothing is sent then. Errors
   *   of `signIn` are passed on.
   */
  return async <T>(userName: string, address: string, signIn: () => Promise<T>): Promise<T> => {
    const from = scopeKey('address', networkOf(address));
    const pair = scopeKey('pair', userName.toLowerCase(), from);
    const counts = [
      { key: pair, max: MAX_OF_PAIR },
      { key: from, max: MAX_OF_ADDRESS },
    ];
    const full = counts.find(({ key, max }) => (refused.get(key) ?? 0) >= max);
    if (full)
      throw limited('getToken', refused.getRemainingTTL(full.key), {
        of: 'signIns',
        per: 'minute',
      });
    // Counted before the response, so that parallel requests cannot try more passwords.
    const add = (count: number) => {
      for (const { key } of counts) refused.set(key, (refused.get(key) ?? 0) + count);
    };
    add(1);
    try {
      const result = await signIn();
      add(-1);
      return result;
    } catch (error) {
      if (!isOneOf(['unauthenticated'], error)) add(-1);
      throw error;
    }
  };
}
