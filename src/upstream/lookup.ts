import { type LookupAddress, lookup as resolve } from 'node:dns';
import type { LookupFunction } from 'node:net';

interface LookupOptions {
  /** Asks the resolver. */
  readonly ask?: LookupFunction;
  /** A clock that never goes back, in milliseconds. */
  readonly now?: () => number;
}

interface Answer {
  readonly address: string | LookupAddress[];
  readonly family: number | undefined;
  readonly atMs: number;
}

/** So long the last good address serves while names cannot be resolved. */
const LAST_GOOD_MS = 300_000;

/**
 * Makes the look-up of host names: each is asked for anew, and where that fails, its last good address serves for a while.
 * A failure is never remembered.
 */
export function createLookup({ ask = resolve, now = () => performance.now() }: LookupOptions = {}): LookupFunction {
  const good = new Map<string, Answer>();
  return (hostname, options, callback) => {
    const key = `${options.all === true} ${options.family ?? 0} ${hostname}`;
    ask(hostname, options, (error, address, family) => {
      if (!error) {
        good.set(key, { address, family, atMs: now() });
        return callback(null, address, family);
      }
      const last = good.get(key);
      if (last === undefined || now() - last.atMs > LAST_GOOD_MS) return callback(error, address, family);
      return callback(null, last.address, last.family);
    });
  };
}
