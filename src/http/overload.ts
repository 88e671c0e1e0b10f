import type { IncomingMessage, ServerResponse } from 'node:http';

import type { GatewayLimits } from '../config/config.ts';
import { Quota } from '../core/quota.ts';
import { RequestError } from './errors.ts';
import { hasBody } from './node-server.ts';

/** The limits on slots of running requests, on bodies in arrival, and on unread responses. */
export interface OverloadLimit {
  /** Returns whether all slots are in use. */
  isFull(): boolean;
  /**
   * Acquires a slot. Returns the function that releases it; call it once, when the response is
   * written.
   *
   * @param caller `undefined` for all anonymous callers, also below.
   * @throws {RequestError} like `check`, also because of unread responses.
   */
  acquire(caller: string | undefined): () => void;
  /**
   * Counts the body of a request until it has arrived or the response has ended.
   *
   * @throws {RequestError} like `check`.
   */
  receive(caller: string | undefined, request: IncomingMessage, response: ServerResponse): void;
  /**
   * Counts a response until the client has read it. Closes the connection if the caller's other
   * unread responses fill the limit.
   */
  send(caller: string | undefined, payload: unknown, response: ServerResponse): void;
  /** Returns the number of slots in use, and their limit. */
  usage(): { readonly inFlight: number; readonly limit: number };
}

interface OverloadOptions extends Pick<GatewayLimits, 'maxConcurrentRequests' | 'lateMs'> {
  /** Whether callers have keys. Anonymous callers then share one cap. */
  readonly hasCallers: boolean;
}

/** Each body has up to 256 kB. */
const MAX_BODIES = 200;
const MAX_UNREAD_BYTES = 67_108_864;
/** Shorter responses are not counted, because the system takes them at once. */
const LONG_BYTES = 16_384;
/** A connection is closed if its client reads nothing of a response for this long. */
const UNREAD_MS = 30_000;

const ANONYMOUS = 'anonymous';

/** Creates the limits. One caller may use at most half of each. */
export function createOverloadLimit({
  maxConcurrentRequests,
  lateMs,
  hasCallers,
}: OverloadOptions): OverloadLimit {
  const running = halved(maxConcurrentRequests);
  const follow = followEventLoop(running, lateMs);
  const bodies = halved(MAX_BODIES);
  const unread = halved(MAX_UNREAD_BYTES);
  const nameOf = (caller: string | undefined) => caller ?? (hasCallers ? ANONYMOUS : undefined);

  return {
    isFull: () => running.total >= running.max,
    acquire(caller) {
      const name = nameOf(caller);
      // A caller without unread responses is always admitted.
      if (unread.of(name) > 0) check(unread, name, 0);
      check(running, name, 1);
      running.add(name, 1);
      follow();
      return () => running.add(name, -1);
    },
    receive(caller, request, response) {
      if (!hasBody(request.headers) || response.closed) return;
      const name = nameOf(caller);
      check(bodies, name, 1);
      bodies.add(name, 1);
      let count = 1;
      const release = () => {
        bodies.add(name, -count);
        count = 0;
      };
      request.once('close', release);
      response.once('close', release);
    },
    send(caller, payload, response) {
      if (typeof payload !== 'string' || payload.length < LONG_BYTES || response.closed) return;
      const name = nameOf(caller);
      const bytes = Buffer.byteLength(payload);
      const before = unread.of(name);
      if (before > 0 && before + bytes > unread.max) {
        response.req.socket.destroy();
        return;
      }
      unread.add(name, bytes);
      response.setTimeout(UNREAD_MS);
      response.once('close', () => unread.add(name, -bytes));
    },
    usage: () => ({ inFlight: running.total, limit: running.max }),
  };
}

const LOOK_MS = 20;
/**
 * The factors for a late and an on-time check. The limit shrinks to a third in eleven late checks,
 * and grows back in a second.
 */
const SHRINK = 0.9;
const GROWTH = 0.02;
/**
 * The smallest limit. With this many requests the gateway still keeps the platform busy, even if
 * other processes delay its event loop.
 */
const LEAST = 32;

/**
 * Returns a function that starts the checks of the event loop. A late event loop lowers the limit
 * of requests in flight, because each of them delays all others. The checks run while requests are
 * in flight, and until the limit is restored.
 */
function followEventLoop(running: Quota, lateMs: number): () => void {
  const { max, maxOfOne } = running;
  let isLooking = false;
  const look = (dueAtMs: number): void => {
    const isLate = performance.now() - dueAtMs > lateMs;
    const lowered = Math.max(LEAST, Math.floor(running.max * SHRINK));
    const raised = running.max + Math.ceil(max * GROWTH);
    running.max = Math.min(max, isLate ? lowered : raised);
    // A caller may be many clients with one key. It keeps its half while enough slots are left for
    // others.
    const kept = Math.min(maxOfOne, running.max - LEAST / 2);
    running.maxOfOne = Math.max(Math.ceil(running.max / 2), kept);
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

const halved = (max: number) => new Quota(max, Math.ceil(max / 2));

/** @throws {RequestError} 503 if the global limit is exceeded, 429 if the caller's cap is. */
function check(quota: Quota, one: string | undefined, amount: number): void {
  const excess = quota.excess(one, amount);
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
