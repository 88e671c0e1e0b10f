import { AsyncLocalStorage } from 'node:async_hooks';

/** The time and the randomness of live queries. */
export interface Clock {
  /** By the steady clock, in milliseconds. */
  now(): number;
  /** Calls back once, unless what it gives is called before. */
  after(ms: number, callback: () => void): () => void;
  /** From 0 to 1. */
  random(): number;
}

/** Makes the process's own. What it calls back belongs to no request, whoever has set it. */
export function createClock(): Clock {
  const outside = AsyncLocalStorage.snapshot();
  return {
    now: () => performance.now(),
    random: Math.random,
    after(ms, callback) {
      const timer = outside(() => setTimeout(callback, ms));
      return () => clearTimeout(timer);
    },
  };
}

/** How often it is looked whether waiting runs may begin. */
const TICK_MS = 250;
/** The part of a minute's calls that may begin at once, as the call budget has it: more would be refused one by one. */
const BURST_SHARE = 1 / 6;

/** The part of the calls that turns have. Runs after changes, which take none, find the rest. */
const TURNS_SHARE = 0.9;

/** Lets runs begin as fast as the call budget takes them: callers in turn, and of each the run that has waited longest. */
export function createTurns(clock: Clock, allCallsPerMinute: number) {
  const callsPerMinute = allCallsPerMinute * TURNS_SHARE;
  const most = Math.max(1, callsPerMinute * BURST_SHARE);
  const waiting = new Map<string | undefined, Set<() => void>>();
  let free = most;
  let atMs = clock.now();
  let isTicking = false;
  /** Takes the next run. Its caller goes to the end of the queue. */
  const next = (): (() => void) | undefined => {
    for (const [caller, runs] of waiting) {
      waiting.delete(caller);
      const [begin] = runs;
      if (begin === undefined) continue;
      runs.delete(begin);
      waiting.set(caller, runs);
      return begin;
    }
    return undefined;
  };
  const tick = (): void => {
    free = Math.min(most, free + ((clock.now() - atMs) * callsPerMinute) / 60_000);
    atMs = clock.now();
    while (free >= 1) {
      const begin = next();
      if (begin === undefined) break;
      free--;
      begin();
    }
    if (isTicking || waiting.size === 0) return;
    isTicking = true;
    clock.after(TICK_MS, () => {
      isTicking = false;
      tick();
    });
  };
  return {
    wait(begin: () => void, caller: string | undefined): void {
      waiting.set(caller, (waiting.get(caller) ?? new Set()).add(begin));
      tick();
    },
    leave(begin: () => void): void {
      for (const runs of waiting.values()) runs.delete(begin);
    },
  };
}
