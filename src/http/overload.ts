import { overloaded } from './errors.ts';

/** The concurrency limit of the gateway's requests, of which each caller has a share. */
export type OverloadLimit = ReturnType<typeof createOverloadLimit>;

interface OverloadOptions {
  readonly maxConcurrentRequests: number;
  /** Whether callers are told apart: anonymous ones then have a share together. */
  readonly hasCallers: boolean;
}

/** The most that one caller takes, so that there is room for others, and that all anonymous ones take together. */
const SHARE_OF_ONE = 0.75;
const SHARE_OF_ANONYMOUS = 0.25;

/** Makes the concurrency limit. */
export function createOverloadLimit({ maxConcurrentRequests: max, hasCallers }: OverloadOptions) {
  const held = new Map<string | undefined, number>();
  let inFlight = 0;
  const maxOf = (caller: string | undefined): number => {
    if (caller !== undefined) return Math.ceil(max * SHARE_OF_ONE);
    return hasCallers ? Math.ceil(max * SHARE_OF_ANONYMOUS) : max;
  };
  return {
    /** Whether nobody gets a permit now. */
    isFull: () => inFlight >= max,
    /**
     * Takes a permit, and gives what releases it, to be called once: when the answer is made.
     *
     * @param caller `undefined` stands for all anonymous callers.
     * @throws {RequestError} 503 when the caller can get no permit now.
     */
    acquire(caller: string | undefined): () => void {
      const count = held.get(caller) ?? 0;
      if (inFlight >= max || count >= maxOf(caller)) throw OVERLOADED;
      held.set(caller, count + 1);
      inFlight++;
      return () => {
        inFlight--;
        const left = (held.get(caller) ?? 1) - 1;
        if (left > 0) held.set(caller, left);
        else held.delete(caller);
      };
    },
    /** How many requests hold a permit, and how many may. */
    usage: () => ({ inFlight, limit: max }),
  };
}

export const OVERLOADED = overloaded();
