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

/** Calls back after so many milliseconds, once for all calls that come together. */
export function createDelayed(clock: Clock, ms: number, callback: () => void): () => void {
  let isWaiting = false;
  return () => {
    if (isWaiting) return;
    isWaiting = true;
    clock.after(ms, () => {
      isWaiting = false;
      callback();
    });
  };
}
