import { LRUCache } from 'lru-cache';

import { scopeKey } from '../../cache/scope.ts';
import { isOneOf } from '../../core/errors.ts';
import { limited } from '../../upstream/rate-limit.ts';
import { networkOf } from '../node-server.ts';

interface Counter {
  readonly key: string;
  readonly max: number;
  refused: number;
  readonly pending: Set<Promise<void>>;
}

const WINDOW_MS = 60_000;
const MAX_OF_NAME = 4;
const MAX_OF_ADDRESS = 8;
/** How many names, addresses and pairs of both are remembered. */
const MAX_COUNTED = 10_000;

/**
 * Makes the limit of refused sign-ins by user name and by address, so that they leave the call budget to others. Where a user
 * has signed in before, only the refusals of that user name at that address count. An address without refusals is not held to
 * the limit of a user name, or anybody could lock a user out. Sign-ins that may still be refused wait for one another.
 */
export function createSignInLimit() {
  const counters = new LRUCache<string, Counter>({
    max: MAX_COUNTED,
    ttl: WINDOW_MS,
    perf: { now: () => performance.now() },
  });
  const known = new LRUCache<string, true>({ max: MAX_COUNTED });

  const counterOf = (key: string, max: number): Counter => {
    const counter = counters.get(key) ?? { key, max, refused: 0, pending: new Set() };
    if (!counters.has(key)) counters.set(key, counter);
    return counter;
  };

  /**
   * Signs in, unless too many sign-ins of the user name, as the client says it, or the address were refused lately.
   *
   * @throws {UpstreamError} `sign-ins-limited`, with nothing sent, and what `signIn` throws.
   */
  return async <T>(userName: string, address: string, signIn: () => Promise<T>): Promise<T> => {
    const name = scopeKey('name', userName.toLowerCase());
    const from = scopeKey('address', networkOf(address));
    const pair = scopeKey('pair', name, from);
    const findCounters = (): readonly Counter[] =>
      known.has(pair)
        ? [counterOf(pair, MAX_OF_NAME)]
        : [counterOf(from, MAX_OF_ADDRESS), counterOf(name, MAX_OF_NAME)];
    const findFull = (): Counter | undefined => {
      const [first, ...others] = findCounters();
      const applying = first && first.refused > 0 ? [first, ...others] : [first];
      return applying.find((counter) => counter && counter.refused + counter.pending.size >= counter.max);
    };

    for (let full = findFull(); full !== undefined; full = findFull()) {
      if (full.refused >= full.max) throw limited('getToken', counters.getRemainingTTL(full.key), 'sign-ins-limited');
      await Promise.race(full.pending);
    }
    const counted = findCounters();
    const attempt = signIn();
    const settled = attempt
      .then(
        () => void known.set(pair, true),
        (error: unknown) => {
          if (isOneOf(['unauthenticated'], error)) for (const counter of counted) counter.refused++;
        },
      )
      .finally(() => {
        for (const { pending } of counted) pending.delete(settled);
      });
    for (const { pending } of counted) pending.add(settled);
    return attempt;
  };
}
