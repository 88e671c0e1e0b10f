import { createSlidingCount } from './sliding-count.ts';

/** How a call went: well, well but late, or not at all. */
export type CallHealth = 'well' | 'slow' | 'failed';

/** What the calls of late say of a platform. */
export interface Health {
  add(call: CallHealth): void;
  /** Whether it is better not asked for a while. */
  isIll(): boolean;
  clear(): void;
}

/** Over this time, from so many calls on, the platform is judged. */
const SPAN_MS = 10_000;
const CALLS_AT_LEAST = 20;
/** The share of failures that is too much. */
const FAILED_SHARE = 0.5;
/** The share of late answers and failures together that is too much: late answers are still answers. */
const SLOW_SHARE = 0.9;

/**
 * Judges a platform by the calls of ten seconds, and by those that failed in a row: when nothing is answered any more, what
 * went well before counts for nothing.
 */
export function createHealth(now: () => number): Health {
  const calls = createSlidingCount(SPAN_MS, now);
  const failed = createSlidingCount(SPAN_MS, now);
  const slow = createSlidingCount(SPAN_MS, now);
  let failedInARow = 0;

  return {
    add(call) {
      calls.add();
      if (call === 'failed') failed.add();
      if (call === 'slow') slow.add();
      failedInARow = call === 'failed' ? failedInARow + 1 : 0;
    },
    isIll() {
      const total = calls.total();
      if (total < CALLS_AT_LEAST) return false;
      if (failedInARow >= CALLS_AT_LEAST || failed.total() >= total * FAILED_SHARE) return true;
      return failed.total() + slow.total() >= total * SLOW_SHARE;
    },
    clear() {
      for (const count of [calls, failed, slow]) count.clear();
      failedInARow = 0;
    },
  };
}
