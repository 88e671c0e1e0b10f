/** What kind of work asks to be let in: what only reads, or what changes something. */
export type Work = 'read' | 'write';

/** Bounds the work in flight by what the event loop bears. */
export interface Gate {
  /** Lets work in, and gives the way to leave, which may be called more than once. `undefined`: there is no room. */
  enter(work: Work): (() => void) | undefined;
  hasRoom(work: Work): boolean;
  /** Told how late the event loop is: late means fewer places, on time means more again, up to the most. */
  observe(lagMs: number): void;
  /** How much work may be in flight now, changes aside. */
  limit(): number;
}

interface GateOptions {
  /** How much work may be in flight at most. */
  readonly maxInFlight: number;
  /** Above which lateness of the event loop there is too much of it. */
  readonly targetLagMs: number;
}

/** The share of the places that is kept for changes, beyond the limit. */
const WRITE_SHARE = 0.25;
/** The share of the places that is left however late the event loop is, so that it can be seen to recover. */
const LEAST_SHARE = 0.25;
/** What is left of the limit when the event loop is late. */
const DECREASE = 0.8;
/** What the limit grows by when the event loop is on time. */
const INCREASE = 1;

export function createGate({ maxInFlight, targetLagMs }: GateOptions): Gate {
  const least = Math.max(1, Math.floor(maxInFlight * LEAST_SHARE));
  const reserve = Math.max(1, Math.floor(maxInFlight * WRITE_SHARE));
  let limit = maxInFlight;
  let inFlight = 0;

  const hasRoom = (work: Work) => inFlight < Math.floor(limit) + (work === 'write' ? reserve : 0);
  return {
    hasRoom,
    enter(work) {
      if (!hasRoom(work)) return undefined;
      let isIn = true;
      inFlight++;
      return () => {
        if (isIn) inFlight--;
        isIn = false;
      };
    },
    observe(lagMs) {
      limit = lagMs > targetLagMs ? Math.max(least, limit * DECREASE) : Math.min(maxInFlight, limit + INCREASE);
    },
    limit: () => Math.floor(limit),
  };
}
