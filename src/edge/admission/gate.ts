import { PERIOD_MS } from './lag.ts';

/** What kind of work asks to be let in: what only reads, or what changes something. */
export type Work = 'read' | 'write';

/** What asks for a place. */
export interface Applicant {
  readonly work: Work;
  /** Tells callers apart, so that one who wants much does not take what others need. */
  readonly caller: string;
}

/** Bounds the work in flight by what the event loop bears. */
export interface Gate {
  /** Lets work in, and gives the way to leave, which may be called more than once. `undefined`: there is no room. */
  enter(applicant: Applicant): (() => void) | undefined;
  hasRoom(applicant: Applicant): boolean;
  /** Whether a caller has more than an equal part of the places while others have some. */
  isGreedy(caller: string): boolean;
  /** Whether there is room for whatever comes. */
  isOpen(): boolean;
  /** Told how late work is: late means fewer places, on time means more again, up to the most. */
  observe(lagMs: number): void;
  /** How much work may be in flight now, apart from what has places of its own. */
  limit(): number;
}

interface GateOptions {
  /** How much work may be in flight at most. */
  readonly maxInFlight: number;
  /** Above which lateness there is too much of it. */
  readonly targetLagMs: number;
}

/** A place within the limit, or one of those kept beyond it: for callers who have less than their part, and for changes. */
type Place = 'usual' | 'modest' | 'write';

/**
 * How many places are kept beyond the limit for callers who have less than their part, and as many again for changes, as a
 * share of the most. They are counted by themselves: what is in flight from a time of a higher limit takes none of them.
 */
const RESERVE_SHARE = 0.25;
/** The share of the places that is never too much for one caller, however many there are. */
const PART_SHARE = 1 / 16;
/** The share of the places that is left however late work is, so that it can be seen to recover. */
const LEAST_SHARE = 0.25;
/** What is left of the limit when work is late. */
const DECREASE = 0.8;
/** What the limit grows to when work is on time, by one place at least. */
const INCREASE = 1.05;

export function createGate({ maxInFlight, targetLagMs }: GateOptions): Gate {
  const least = Math.max(1, Math.floor(maxInFlight * LEAST_SHARE));
  const reserve = Math.max(1, Math.floor(maxInFlight * RESERVE_SHARE));
  const part = Math.floor(maxInFlight * PART_SHARE);
  const heldBy = new Map<string, number>();
  const taken: Record<Place, number> = { usual: 0, modest: 0, write: 0 };
  let limit = maxInFlight;
  let restSamples = 0;

  // A caller who is alone may have all places; with others there, more than an equal part, or than some few, only while
  // there is room.
  const isModest = (caller: string) => {
    const held = heldBy.get(caller) ?? 0;
    return held < Math.max(part, Math.floor(limit) / (heldBy.size + (held === 0 ? 1 : 0)));
  };
  // One who asks for more than others waits until all of theirs are within the limit again.
  const isOpen = () => taken.usual + taken.modest + taken.write < Math.floor(limit);
  const placeFor = ({ work, caller }: Applicant): Place | undefined => {
    if (isOpen()) return 'usual';
    if (taken.modest + taken.write >= 2 * reserve) return undefined;
    if (taken.modest < reserve && isModest(caller)) return 'modest';
    return work === 'write' ? 'write' : undefined;
  };
  const leave = (place: Place, caller: string) => {
    taken[place]--;
    const held = (heldBy.get(caller) ?? 1) - 1;
    if (held === 0) heldBy.delete(caller);
    else heldBy.set(caller, held);
  };

  return {
    hasRoom: (applicant) => placeFor(applicant) !== undefined,
    isOpen,
    isGreedy: (caller) => heldBy.size > 1 && !isModest(caller),
    enter(applicant) {
      const place = placeFor(applicant);
      if (place === undefined) return undefined;
      const { caller } = applicant;
      let isIn = true;
      taken[place]++;
      heldBy.set(caller, (heldBy.get(caller) ?? 0) + 1);
      return () => {
        if (isIn) leave(place, caller);
        isIn = false;
      };
    },
    observe(lagMs) {
      if (lagMs <= targetLagMs) {
        limit = Math.min(maxInFlight, Math.max(limit + 1, limit * INCREASE));
        restSamples = 0;
      } else if (restSamples === 0) {
        limit = Math.max(least, limit * DECREASE);
        // What was let in before is late yet: how late it is says nothing of the new limit.
        restSamples = Math.ceil(lagMs / PERIOD_MS);
      }
      restSamples = Math.max(0, restSamples - 1);
    },
    limit: () => Math.floor(limit),
  };
}
