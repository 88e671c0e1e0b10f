import { AsyncLocalStorage } from 'node:async_hooks';

import { createMemoryBuckets, createShares } from '../../upstream/call-buckets.ts';

/** What repeats varies by this share, so that it spreads. */
export const JITTER = 0.1;

/** The time and the randomness of live queries. */
export interface Clock {
  /** By the steady clock, in milliseconds. */
  now(): number;
  /** Calls back once, unless what it gives is called before. */
  after(ms: number, callback: () => void): () => void;
  /** A factor that differs from 1 by `JITTER` at most. */
  jitter(): number;
}

/** Makes the process's own. What it calls back belongs to no request, whoever has set it. */
export function createClock(): Clock {
  const outside = AsyncLocalStorage.snapshot();
  return {
    now: () => performance.now(),
    jitter: () => 1 - JITTER + 2 * JITTER * Math.random(),
    after(ms, callback) {
      const timer = outside(() => setTimeout(callback, ms));
      return () => clearTimeout(timer);
    },
  };
}

/** The part of the calls that turns have. Runs after changes, which take none, find the rest. */
const TURNS_SHARE = 0.9;

/** Lets runs begin as fast as the call budget takes them: callers in turn, and of each the run that has waited longest. */
export function createTurns(clock: Clock, callsPerMinute: number) {
  const share = { of: 'live', calls: callsPerMinute * TURNS_SHARE } as const;
  const turn = createShares({ name: 'live', shares: new Map([['turns', share]]) })('turns');
  const buckets = createMemoryBuckets(clock.now);
  const waiting = new Map<string | undefined, Set<() => void>>();
  let isShort = false;
  const beginRuns = (): void => {
    if (isShort) return;
    for (const [caller, runs] of waiting) {
      const [begin] = runs;
      const shortage = begin && buckets.take(turn);
      if (shortage) {
        isShort = true;
        clock.after(shortage.waitMs, () => {
          isShort = false;
          beginRuns();
        });
        return;
      }
      waiting.delete(caller);
      if (begin === undefined) continue;
      runs.delete(begin);
      // Their caller goes to the end, where this loop comes to them again.
      waiting.set(caller, runs);
      begin();
    }
  };
  return {
    wait(begin: () => void, caller: string | undefined): void {
      waiting.set(caller, (waiting.get(caller) ?? new Set()).add(begin));
      beginRuns();
    },
    leave(begin: () => void): void {
      for (const runs of waiting.values()) runs.delete(begin);
    },
  };
}
