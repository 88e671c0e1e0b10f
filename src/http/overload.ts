import type { IncomingMessage, ServerResponse } from 'node:http';

import type { GatewayLimits } from '../config/config.ts';
import { FairShare } from '../core/fair-share.ts';
import { RequestError } from './errors.ts';
import { hasBody } from './node-server.ts';

/** What requests may hold at a time: permits, bodies that arrive, and answers that are not read. */
export type OverloadLimit = ReturnType<typeof createOverloadLimit>;

interface OverloadOptions extends Pick<GatewayLimits, 'maxConcurrentRequests' | 'lateMs'> {
  /** Whether callers are told apart: anonymous ones then have a share together. */
  readonly hasCallers: boolean;
}

/** Each of up to 256 kB. */
const MAX_BODIES = 200;
const MAX_UNREAD_BYTES = 67_108_864;
/** Shorter answers are not counted: the system takes them at once. */
const LONG_BYTES = 16_384;
/** How long nothing of an answer is read until its connection is closed. */
const UNREAD_MS = 30_000;

const ANONYMOUS = 'anonymous';

/** Makes the limits. One caller takes at most half of each, so that there is room for others. */
export function createOverloadLimit({
  maxConcurrentRequests,
  lateMs,
  hasCallers,
}: OverloadOptions) {
  const running = halved(maxConcurrentRequests);
  const follow = followEventLoop(running, lateMs);
  const bodies = halved(MAX_BODIES);
  const unread = halved(MAX_UNREAD_BYTES);
  const nameOf = (caller: string | undefined) => caller ?? (hasCallers ? ANONYMOUS : undefined);

  return {
    /** Whether nobody gets a permit now. */
    isFull: () => running.total >= running.max,
    /**
     * Takes a permit, and gives what releases it, to be called once: when the answer is made.
     *
     * @param caller `undefined` stands for all anonymous callers, here and below.
     * @throws {RequestError} as `check` does, also for answers that are not read.
     */
    acquire(caller: string | undefined): () => void {
      const one = nameOf(caller);
      // Who holds none is served, however much others hold.
      if (unread.of(one) > 0) check(unread, one, 0);
      check(running, one, 1);
      running.add(one, 1);
      follow();
      return () => running.add(one, -1);
    },
    /** Counts the body of a request until it has arrived, or is answered before. @throws {RequestError} as `check` does. */
    receive(caller: string | undefined, request: IncomingMessage, response: ServerResponse): void {
      if (!hasBody(request.headers) || response.closed) return;
      const one = nameOf(caller);
      check(bodies, one, 1);
      bodies.add(one, 1);
      let count = 1;
      const release = () => {
        bodies.add(one, -count);
        count = 0;
      };
      request.once('close', release);
      response.once('close', release);
    },
    /** Counts an answer until its client has read it. The connection is closed where others of the caller take all of the room. */
    send(caller: string | undefined, payload: unknown, response: ServerResponse): void {
      if (typeof payload !== 'string' || payload.length < LONG_BYTES || response.closed) return;
      const one = nameOf(caller);
      const bytes = Buffer.byteLength(payload);
      const before = unread.of(one);
      if (before > 0 && before + bytes > unread.max) return void response.req.socket.destroy();
      unread.add(one, bytes);
      response.setTimeout(UNREAD_MS);
      response.once('close', () => unread.add(one, -bytes));
    },
    /** How many requests hold a permit, and how many may. */
    usage: () => ({ inFlight: running.total, limit: running.max }),
  };
}

const LOOK_MS = 20;
/** At each look that is late, and at each that is not: it shrinks to a third in eleven late looks, and grows back in a second. */
const SHRINK = 0.9;
const GROWTH = 0.02;
/** A gateway whose event loop others hold up must go on serving: at this many its calls still keep the platform busy. */
const LEAST = 32;

/**
 * Shrinks the limit of requests in flight while the event loop is late: then each of them takes longer for all others. Looks
 * while requests are in flight, and until the limit is what it was.
 *
 * @returns what begins to look.
 */
function followEventLoop(running: FairShare, lateMs: number): () => void {
  const { max, maxOfOne } = running;
  let isLooking = false;
  const look = (dueAtMs: number): void => {
    const isLate = performance.now() - dueAtMs > lateMs;
    const next = isLate
      ? Math.max(LEAST, Math.floor(running.max * SHRINK))
      : running.max + Math.ceil(max * GROWTH);
    running.max = Math.min(max, next);
    // One caller, who may be many clients with one key, keeps its half until no more than this is left for others.
    running.maxOfOne = Math.max(
      Math.ceil(running.max / 2),
      Math.min(maxOfOne, running.max - LEAST / 2),
    );
    if (running.total > 0 || running.max < max) lookLater();
    else isLooking = false;
  };
  const lookLater = () => void setTimeout(look, LOOK_MS, performance.now() + LOOK_MS).unref();
  return () => {
    if (isLooking) return;
    isLooking = true;
    lookLater();
  };
}

const halved = (max: number) => new FairShare(max, Math.ceil(max / 2));

/** @throws {RequestError} 503 when all together hold too much, 429 when this one does. */
function check(share: FairShare, one: string | undefined, amount: number): void {
  const excess = share.excess(one, amount);
  if (excess) throw excess === 'all' ? OVERLOADED : TOO_MUCH;
}

export const OVERLOADED = new RequestError(
  503,
  'The gateway is overloaded; the request was not executed.',
  {
    code: 'OVERLOADED',
    retryAfterMs: 1_000,
  },
);
const TOO_MUCH = new RequestError(
  429,
  'Too many of your requests are running or arriving, or too much of your answers is unread; the request was not executed.',
  {
    code: 'RATE_LIMITED',
    limitOf: 'caller',
    retryable: true,
    retryAfterMs: 1_000,
  },
);
