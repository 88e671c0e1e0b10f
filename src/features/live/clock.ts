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

/** The part of a CPU that the runs of one caller may take, and how far ahead of it they may be. */
const CPU_SHARE = 0.25;
const MAX_AHEAD_MS = 1_000;

/**
 * Lets runs begin as fast as the call budget takes them: callers in turn, and of each the run that
 * has waited longest. A caller whose runs take more than their part of the CPU waits.
 */
export function createTurns(clock: Clock, callsPerMinute: number) {
  const share = { of: 'live', calls: callsPerMinute * TURNS_SHARE } as const;
  const turn = createShares({ name: 'live', shares: new Map([['turns', share]]) })('turns');
  const buckets = createMemoryBuckets(clock.now);
  const waiting = new Map<string | undefined, Set<() => void>>();
  /** Until when the runs of a caller have taken their part of the CPU. */
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
    // The caller goes to the end, where the loop over callers comes to it again.
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
    wait(begin: () => void, caller: string | undefined): void {
      waiting.set(caller, (waiting.get(caller) ?? new Set()).add(begin));
      beginRuns();
    },
    leave(begin: () => void): void {
      for (const runs of waiting.values()) runs.delete(begin);
    },
    /** Begins a run without a turn, unless its caller has to wait. */
    hurry(begin: () => void, caller: string | undefined): void {
      if (waitMsOf(caller) > 0) this.wait(begin, caller);
      else begin();
    },
    /** Counts the CPU time of a run for its caller. */
    count(cpuMs: number, caller: string | undefined): void {
      const nowMs = clock.now();
      const untilMs = Math.max(nowMs, takenUntilMs.get(caller) ?? 0) + cpuMs / CPU_SHARE;
      takenUntilMs.delete(caller);
      takenUntilMs.set(caller, untilMs);
      // Those that were counted longest ago come first.
      for (const [one, endedMs] of takenUntilMs) {
        if (endedMs > nowMs) break;
        takenUntilMs.delete(one);
      }
      const waitMs = waitMsOf(caller);
      if (waitMs > 0) clock.after(waitMs, beginRuns);
    },
  };
}
