import { createSlidingCount } from './sliding-count.ts';

/** Bounds how many calls are made again, so that an outage is not made worse by those who ask. */
export interface RetryBudget {
  /** Told of every call that is asked for. */
  asked(): void;
  /** Takes one repeat out; `false` when there is none left. */
  spend(): boolean;
}

/** The share of the calls of the last ten seconds that may be repeated. */
const SHARE = 0.1;
const SHARE_SPAN_MS = 10_000;
/** So many repeats are allowed each second, however few calls there are. */
const FLOOR_PER_SECOND = 3;

/** Makes a budget: a tenth of the calls of the last ten seconds, and three each second. One for each platform. */
export function createRetryBudget(now: () => number = () => performance.now()): RetryBudget {
  const calls = createSlidingCount(SHARE_SPAN_MS, now);
  const repeats = createSlidingCount(SHARE_SPAN_MS, now);
  const lately = createSlidingCount(1_000, now);
  return {
    asked: calls.add,
    spend() {
      const isAllowed = lately.total() < FLOOR_PER_SECOND || repeats.total() < calls.total() * SHARE;
      if (isAllowed) {
        repeats.add();
        lately.add();
      }
      return isAllowed;
    },
  };
}
