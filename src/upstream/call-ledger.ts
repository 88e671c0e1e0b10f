/** Counts the calls of the last minute, never one too few. */
export interface CallLedger {
  /** How many calls were made in the last 60 seconds, or up to one second before. */
  total(): number;
  /** Counts one call in, and gives what takes it out again where it was not made after all. */
  add(): () => void;
  /** How long until fewer than so many are counted, in milliseconds. */
  restMs(ceiling: number): number;
}

const SLOT_MS = 1_000;
/** The second that runs and all that the 60 before it touch. */
const SLOTS = 61;

/** Makes the ledger of one process. The clock never goes back, and says milliseconds. */
export function createCallLedger(now: () => number = () => performance.now()): CallLedger {
  const counts = new Map<number, number>();
  let sum = 0;

  const change = (slot: number, by: number) => {
    counts.set(slot, (counts.get(slot) ?? 0) + by);
    sum += by;
  };
  const forget = (current: number) => {
    for (const [slot, count] of counts) {
      if (slot > current - SLOTS) return;
      counts.delete(slot);
      sum -= count;
    }
  };
  const advance = (): number => {
    const current = Math.floor(now() / SLOT_MS);
    forget(current);
    return current;
  };

  return {
    total() {
      advance();
      return sum;
    },
    add() {
      const slot = advance();
      change(slot, 1);
      return () => {
        if (counts.has(slot)) change(slot, -1);
      };
    },
    restMs(ceiling) {
      advance();
      let left = sum;
      for (const [slot, count] of counts) {
        if (left < ceiling) break;
        left -= count;
        if (left < ceiling) return (slot + SLOTS) * SLOT_MS - now();
      }
      return left < ceiling ? 0 : SLOTS * SLOT_MS;
    },
  };
}
