/** Counts by a key, in fixed windows of a minute. It never rejects: what others cannot be asked, each process counts by itself. */
export interface CallCounter {
  /** Gives 0 within the limit, else the rest of the window, in milliseconds. */
  take(key: string): number | Promise<number>;
}

export const MINUTE_MS = 60_000;
/** How many callers are counted at a time. */
export const MAX_COUNTED = 10_000;

/** Counts in the memory of this process. */
export function createMemoryCounter(limit: number, now: () => number = () => performance.now()): CallCounter {
  let endsAtMs = Number.NEGATIVE_INFINITY;
  const used = new Map<string, number>();
  return {
    take(key) {
      if (now() >= endsAtMs) {
        used.clear();
        endsAtMs = now() + MINUTE_MS;
      }
      const count = used.get(key) ?? 0;
      if (count >= limit) return endsAtMs - now();
      used.set(key, count + 1);
      const [oldest = key] = used.keys();
      if (used.size > MAX_COUNTED) used.delete(oldest);
      return 0;
    },
  };
}
