import type { ServerResponse } from 'node:http';
import { createFairQueue } from './fair-queue.ts';
import type { Applicant } from './gate.ts';

/** Begins work piece by piece, so that the event loop gets round to everything else in between. */
export interface Pace {
  /** Begins work in its turn, changes first, and not at all when its client has gone by then. */
  begin(response: Pick<ServerResponse, 'destroyed'>, applicant: Applicant, work: () => void): void;
  /** Told of each new connection. */
  connected(): void;
  /** The longest that work had to wait since this was asked last, in milliseconds. */
  takeWaitMs(): number;
}

interface PaceOptions {
  /** A clock that only goes forward, in milliseconds. */
  readonly now?: () => number;
  /** Calls back when the event loop has been round once; all that is asked for in one round, in the next one. */
  readonly next?: (callback: () => void) => void;
}

interface Waiting {
  readonly response: Pick<ServerResponse, 'destroyed'>;
  readonly work: () => void;
  readonly sinceMs: number;
}

/** How much work a round of the event loop begins at most. */
const PIECES = 4;
/** How much longer work takes than all else, connecting and refusing above all, where there is more of both than time. */
const SHARE = 3;
/** How much time work may have to its credit, or owe. */
const CREDIT_MAX_MS = 50;

/**
 * Node takes one new connection each time the event loop goes round. If every round did all the work that is there,
 * connections would wait outside, unseen and not even refused, until their clients have given up; and if every round
 * refused all that comes before it works, no work would be done. So time is shared: each piece of work costs credit, which
 * the time spent on all else brings.
 */
export function createPace({ now = () => performance.now(), next = setImmediate }: PaceOptions = {}): Pace {
  const changes = createFairQueue<Waiting>();
  const reads = createFairQueue<Waiting>();
  let isGoing = false;
  let hasConnected = false;
  let isHurried = false;
  let isWorking = false;
  let sinceMs = now();
  let creditMs = 0;
  let waitMs = 0;

  const go = () => {
    isGoing = true;
    for (let piece = 0; piece < PIECES; piece++) next(piece === 0 ? startRound : takeTurn);
    next(endRound);
  };
  const startRound = () => {
    account();
    // With nobody new outside there is nothing to hurry for, but for what came in the meantime.
    if (creditMs > 0 || !hasConnected) beginOne();
    isHurried = hasConnected;
    hasConnected = false;
  };
  const takeTurn = () => {
    account();
    if (creditMs > 0 && !isHurried) beginOne();
  };
  const endRound = () => {
    account();
    if (changes.size() + reads.size() > 0) go();
    else isGoing = false;
  };
  const account = () => {
    const tookMs = now() - sinceMs;
    sinceMs += tookMs;
    creditMs += isWorking ? -tookMs : tookMs * SHARE;
    creditMs = Math.max(-CREDIT_MAX_MS, Math.min(CREDIT_MAX_MS, creditMs));
    isWorking = false;
  };
  const take = () => changes.take() ?? reads.take();
  const beginOne = () => {
    let first = take();
    while (first?.response.destroyed) first = take();
    if (first === undefined) return;
    waitMs = Math.max(waitMs, sinceMs - first.sinceMs);
    isWorking = true;
    first.work();
  };

  return {
    begin(response, { work: kind, caller }, work) {
      const queue = kind === 'write' ? changes : reads;
      queue.add({ caller, item: { response, work, sinceMs: now() } });
      if (!isGoing) go();
    },
    connected() {
      hasConnected = true;
    },
    takeWaitMs() {
      const nowMs = now();
      const waits = [...changes.heads(), ...reads.heads()].map(({ sinceMs: waitingSinceMs }) => nowMs - waitingSinceMs);
      const worst = Math.max(waitMs, ...waits);
      waitMs = 0;
      return worst;
    },
  };
}
