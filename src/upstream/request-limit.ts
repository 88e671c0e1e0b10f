/** What is known of the platform's request limit: whether a pause lasts, and how many calls may be under way after it. */
export interface RequestLimit {
  /** How long the pause still lasts, in milliseconds; 0 or less when there is none. */
  restMs(): number;
  /** Whether one more call may be made now. */
  hasRoom(): boolean;
  /** Counts a call in, and gives what to tell when it has ended. */
  enter(): Passage;
  /** Somebody else met the limit, and waits for so long. */
  heard(restMs: number): void;
}

/** One call that was let through. */
export interface Passage {
  /** It was answered. */
  wentWell(): void;
  /** It met the limit, and was told to wait so long. Gives whether that is news. */
  exceeded(retryAfterMs: number): boolean;
  /** It has ended, however. */
  leave(): void;
}

/** From so many calls at once on, the limit is taken to be over. */
const ROOM_WHEN_OVER = 32;

/** Makes the knowledge of one platform's limit. A pause is twice as long as the last where it did not help. */
export function createRequestLimit(maxMs: number, now: () => number): RequestLimit {
  /** Without bound while there is no limit to fear; 1 after a pause, and twice as many with each call that goes well. */
  let room = Number.POSITIVE_INFINITY;
  let underWay = 0;
  let untilMs = 0;
  let lengthMs = 0;
  let pauses = 0;

  const start = (forMs: number) => {
    pauses++;
    lengthMs = forMs;
    room = 1;
  };
  const pause = (askedMs: number, isLate: boolean) => {
    const boundedMs = Math.min(askedMs, maxMs);
    if (!isLate) start(Math.min(Math.max(boundedMs, lengthMs * 2), maxMs));
    untilMs = Math.max(untilMs, now() + Math.max(lengthMs, boundedMs));
  };
  const widen = () => {
    room *= 2;
    if (room < ROOM_WHEN_OVER) return;
    room = Number.POSITIVE_INFINITY;
    lengthMs = 0;
  };

  return {
    restMs: () => untilMs - now(),
    heard(restMs) {
      const boundedMs = Math.min(restMs, maxMs);
      start(Math.max(boundedMs, lengthMs));
      untilMs = Math.max(untilMs, now() + boundedMs);
    },
    hasRoom: () => now() >= untilMs && underWay < room,
    enter() {
      underWay++;
      const known = pauses;
      // A call that left before a pause began is no answer to it.
      return {
        wentWell: () => {
          if (known === pauses) widen();
        },
        exceeded(retryAfterMs) {
          const isLate = known !== pauses;
          pause(retryAfterMs, isLate);
          return !isLate;
        },
        leave: () => {
          underWay--;
        },
      };
    },
  };
}
