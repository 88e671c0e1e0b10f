/**
 * What was learned of the longest page that the platform gives, by list operation and for all callers: the interface does not
 * say its maximum page size, and a platform may give fewer rows than were asked for without a word.
 */
export interface PageSizes {
  /** The largest page to ask for. */
  max(operation: string): number;
  /** Takes in how many rows came on one page. */
  saw(operation: string, rows: number): void;
  /** Whether a page of so many rows, fewer than were asked for, may have been cut: none was longer, and no later page was requested lately. */
  isInDoubt(operation: string, rows: number): boolean;
  /** Takes in whether rows follow such a page. */
  settle(operation: string, rows: number, isCut: boolean): void;
}

interface KnownSize {
  readonly longest: number;
  /** Whether `longest` is the platform's maximum; `undefined` until the page after it was requested. */
  readonly isMax?: boolean | undefined;
  readonly untilMs: number;
}

/**
 * How long a finding holds. A list with exactly as many rows as the platform's maximum looks like one that has ended, and may
 * grow; and a platform may be set otherwise.
 */
const KNOWN_MS = 60_000;

/** Creates what is known of one platform; `maxPageSize` is the dialect's. */
export function createPageSizes(maxPageSize: number, now: () => number = () => performance.now()): PageSizes {
  const byOperation = new Map<string, KnownSize>();
  const knownOf = (operation: string): KnownSize => {
    const { longest = 0, isMax, untilMs = 0 } = byOperation.get(operation) ?? {};
    return { longest, isMax: now() < untilMs ? isMax : undefined, untilMs };
  };
  return {
    max(operation) {
      const { longest, isMax } = knownOf(operation);
      return isMax ? Math.min(longest, maxPageSize) : maxPageSize;
    },
    saw(operation, rows) {
      if (rows > knownOf(operation).longest) byOperation.set(operation, { longest: rows, untilMs: 0 });
    },
    isInDoubt(operation, rows) {
      const { longest, isMax } = knownOf(operation);
      return rows > longest || (rows === longest && rows > 0 && isMax !== false);
    },
    settle(operation, rows, isCut) {
      if (rows < knownOf(operation).longest) return;
      byOperation.set(operation, { longest: rows, isMax: isCut, untilMs: now() + KNOWN_MS });
    },
  };
}
