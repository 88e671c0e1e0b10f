import { AsyncLocalStorage } from 'node:async_hooks';

import { createMemoryBuckets, createShares } from '../../upstream/call-buckets.ts';

/** The share by which repeated intervals vary at random, so that they do not coincide. */
export const JITTER = 0.1;

/** The time and the random numbers of live queries. Tests replace them. */
export interface Clock {
  /** Returns the time of a steady clock, in milliseconds. */
  now(): number;
  /** Calls back once after `ms` milliseconds. Returns a function that cancels it. */
  after(ms: number, callback: () => void): () => void;
  /** Returns a random factor from `1 - JITTER` to `1 + JITTER`. */
  jitter(): number;
}

/**
 * Creates the clock of the process. Its callbacks do not belong to the request that has set them.
 */
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

/**
 * The share of the poll calls for runs that wait for a turn. The rest is left for runs after
 * changes, which take no turn.
 */
const TURNS_SHARE = 0.9;

/** The share of a CPU that one caller's runs may use, and how far they may be ahead of it. */
const CPU_SHARE = 0.25;
const MAX_AHEAD_MS = 1_000;

/** The order of the runs of live queries. */
export interface Turns {
  /** Adds a run that waits for its caller's turn. `begin` starts it. */
  wait(begin: () => void, caller: string | undefined): void;
  /** Removes a waiting run. */
  leave(begin: () => void): void;
  /** Starts a run without a turn, unless the caller has used up the CPU share. */
  hurry(begin: () => void, caller: string | undefined): void;
  /** Adds the CPU time of a run to its caller's. */
  count(cpuMs: number, caller: string | undefined): void;
}

/**
 * Starts waiting runs as fast as the call budget allows. Callers take turns, and each caller's
 * longest waiting run is first. A caller whose runs use more than their share of the CPU waits.
 */
export function createTurns(clock: Clock, callsPerMinute: number): Turns {
  const share = { of: 'live', calls: callsPerMinute * TURNS_SHARE } as const;
  const turn = createShares({ name: 'live', shares: new Map([['turns', share]]) })('turns');
  const buckets = createMemoryBuckets(clock.now);
  const waiting = new Map<string | undefined, Set<() => void>>();
  /** For each caller, the time until which the CPU share is used up. */
  const takenUntilMs = new Map<string | undefined, number>();
  const waitMsOf = (caller: string | undefined): number =>
    (takenUntilMs.get(caller) ?? 0) - MAX_AHEAD_MS - clock.now();
  let isShort = false;
  const beginRuns = (): void => {
    if (isShort) return;
    for (const [caller, runs] of waiting) {
      if (waitMsOf(caller) <= 0) beginNext(caller, runs);
      if (isShort) return;
    }
  };
  const beginNext = (caller: string | undefined, runs: Set<() => void>): void => {
    const [begin] = runs;
    const shortage = begin && buckets.take(turn);
    if (shortage) {
      beginLater(shortage.waitMs);
      return;
    }
    waiting.delete(caller);
    if (begin === undefined) return;
    runs.delete(begin);
    // Re-inserting the caller moves it to the end of the map, where the loop over callers reaches
    // it again.
    waiting.set(caller, runs);
    begin();
  };
  const beginLater = (waitMs: number): void => {
    isShort = true;
    clock.after(waitMs, () => {
      isShort = false;
      beginRuns();
    });
  };
  return {
    wait(begin, caller) {
      waiting.set(caller, (waiting.get(caller) ?? new Set()).add(begin));
      beginRuns();
    },
    leave(begin) {
      for (const runs of waiting.values()) runs.delete(begin);
    },
    hurry(begin, caller) {
      if (waitMsOf(caller) > 0) this.wait(begin, caller);
      else begin();
    },
    count(cpuMs, caller) {
      const nowMs = clock.now();
      const untilMs = Math.max(nowMs, takenUntilMs.get(caller) ?? 0) + cpuMs / CPU_SHARE;
      takenUntilMs.delete(caller);
      takenUntilMs.set(caller, untilMs);
      // The map is in order of the last run, so the oldest callers come first.
      for (const [one, endedMs] of takenUntilMs) {
        if (endedMs > nowMs) break;
        takenUntilMs.delete(one);
      }
      const waitMs = waitMsOf(caller);
      if (waitMs > 0) clock.after(waitMs, beginRuns);
    },
  };
}
