/** Counts calls by a key, in fixed windows. It never rejects: what others cannot be asked, each process counts by itself. */
export interface CallCounter {
  /** Gives 0 for a call within the limit, else the rest of the window, in milliseconds. */
  take(key: string): number | Promise<number>;
  /** How many calls were taken in this window. */
  taken(key: string): number | Promise<number>;
}

export type CreateCounter = (name: string, limit: number) => CallCounter;

/** The length of a window, in milliseconds. */
export const WINDOW_MS = 10_000;
export const MINUTE_MS = 60_000;
export const WINDOWS_PER_MINUTE = MINUTE_MS / WINDOW_MS;
/** The part of a share that one caller may use. */
export const CALLER_SHARE = 0.5;

/** A part of a budget, counted by itself, of which one caller may use half. */
export interface BudgetShare {
  /** How many calls a window has. */
  readonly limit: number;
  /** Takes one call, as that of a budget does. */
  take(caller: string | undefined): number | Promise<number>;
  taken(): number | Promise<number>;
}

export function createShare(name: string, callsPerMinute: number, createCounter: CreateCounter): BudgetShare {
  const limit = Math.max(1, Math.floor(callsPerMinute / WINDOWS_PER_MINUTE));
  const all = createCounter(name, limit);
  const ofCaller = createCounter(`${name}:caller`, Math.max(1, Math.floor(limit * CALLER_SHARE)));
  return {
    limit,
    async take(caller) {
      const waitMs = caller === undefined ? 0 : await ofCaller.take(caller);
      return waitMs || all.take('');
    },
    taken: () => all.taken(''),
  };
}

/** How many callers are counted at a time. */
export const MAX_COUNTED = 10_000;

/** Counts in the memory of this process. */
export function createMemoryCounters(windowMs = WINDOW_MS, now: () => number = () => performance.now()): CreateCounter {
  return (_name, limit) => {
    let endsAtMs = Number.NEGATIVE_INFINITY;
    const used = new Map<string, number>();
    return {
      take(key) {
        if (now() >= endsAtMs) {
          used.clear();
          endsAtMs = now() + windowMs;
        }
        const count = used.get(key) ?? 0;
        if (count >= limit) return endsAtMs - now();
        used.set(key, count + 1);
        const [oldest = key] = used.keys();
        if (used.size > MAX_COUNTED) used.delete(oldest);
        return 0;
      },
      taken: (key) => (now() >= endsAtMs ? 0 : (used.get(key) ?? 0)),
    };
  };
}
