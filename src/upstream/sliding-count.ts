/** Counts what happened lately. */
export interface SlidingCount {
  add(): void;
  /** How often it happened within the span, give or take a tenth of it. */
  total(): number;
  clear(): void;
}

const SLOTS = 10;

/** Makes a count over the last `spanMs` of the clock. */
export function createSlidingCount(spanMs: number, now: () => number): SlidingCount {
  const slotMs = spanMs / SLOTS;
  const counts = new Array<number>(SLOTS).fill(0);
  let latest = Math.floor(now() / slotMs);

  const advance = () => {
    const current = Math.floor(now() / slotMs);
    for (let slot = Math.max(latest + 1, current - SLOTS + 1); slot <= current; slot++) counts[slot % SLOTS] = 0;
    latest = Math.max(latest, current);
  };

  return {
    add() {
      advance();
      counts[latest % SLOTS] = (counts[latest % SLOTS] ?? 0) + 1;
    },
    total() {
      advance();
      return counts.reduce((sum, count) => sum + count, 0);
    },
    clear: () => void counts.fill(0),
  };
}
