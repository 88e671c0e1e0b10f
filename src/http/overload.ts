import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';

import { FairShare, OpenItems } from '../core/open-items.ts';
import { overloaded, toPlainAnswer } from './errors.ts';

/** The concurrency limit of the gateway's requests, of which each caller has a share. */
export type OverloadLimit = ReturnType<typeof createOverloadLimit>;

interface OverloadOptions {
  readonly maxConcurrentRequests: number;
  /** Whether callers are told apart: anonymous ones then have one share together, and else no share at all. */
  readonly hasCallers: boolean;
  readonly onRefusal?: ((code: string) => void) | undefined;
}

/** Balancers must learn that an overloaded gateway lives. */
export const HEALTH_PATHS: readonly unknown[] = ['/livez', '/readyz'];

/** The event loop delay above which the limit shrinks. */
const TARGET_DELAY_MS = 35;
/** How often the delay is measured while requests are in flight. */
const RESOLUTION_MS = 20;
/** How often the limit changes at most. */
const PERIOD_MS = 50;
const DECREASE = 0.8;
const INCREASE = 1.1;
/** The share of the limit that is left however late the event loop is, so that it can be seen to recover. */
const LEAST_SHARE = 0.25;
/** The share of the limit that is kept for callers who hold little. */
const RESERVED_SHARE = 0.25;
const COMMON_SHARE = 1 - RESERVED_SHARE;
/** A body that is longer is not read past when its request is refused; the connection is closed instead. */
const MAX_DRAINED_BYTES = 262_144;

/**
 * Makes the concurrency limit: at most `maxConcurrentRequests`, and fewer while the event loop is late. A caller with a quarter
 * of the permits gets more only while less than three quarters are taken, or while no other caller has any; what it holds beyond
 * three quarters does not count for others. Anonymous callers together get a quarter.
 *
 * The delay is measured by a timer, and only while requests are in flight, so that an idle gateway does nothing.
 * (`monitorEventLoopDelay` forgets the first delay after each reset, which under load is the one that matters.)
 */
export function createOverloadLimit({ maxConcurrentRequests, hasCallers, onRefusal }: OverloadOptions) {
  const least = Math.max(1, maxConcurrentRequests * LEAST_SHARE);
  const held = new FairShare(maxConcurrentRequests, maxConcurrentRequests * RESERVED_SHARE);
  let limit = maxConcurrentRequests;
  let timer: NodeJS.Timeout | undefined;
  let tickAtMs = 0;
  let worstMs = 0;
  let delayMs = 0;
  let sampleAtMs = 0;

  const tick = (): void => {
    const nowMs = performance.now();
    worstMs = Math.max(worstMs, nowMs - tickAtMs);
    tickAtMs = nowMs + RESOLUTION_MS;
    if (held.total > 0) return;
    clearInterval(timer);
    timer = undefined;
    limit = maxConcurrentRequests;
    delayMs = 0;
  };
  const sample = (): void => {
    const nowMs = performance.now();
    if (timer === undefined || nowMs < sampleAtMs) return;
    delayMs = Math.max(0, worstMs, nowMs - tickAtMs);
    worstMs = 0;
    limit =
      delayMs > TARGET_DELAY_MS
        ? Math.max(least, limit * DECREASE)
        : Math.min(maxConcurrentRequests, limit * INCREASE + 1);
    // Requests already in flight are still late, which says nothing about the new limit.
    sampleAtMs = nowMs + Math.max(PERIOD_MS, delayMs);
  };
  /** For all callers, whatever they hold. */
  const isFull = (): boolean => {
    const max = Math.floor(limit);
    if (held.total < max) return false;
    return held.total - Math.max(0, Math.ceil(held.largest() - limit * COMMON_SHARE)) >= max;
  };
  const hasRoom = (caller: string | undefined): boolean => {
    if (isFull()) return false;
    const count = held.of(caller);
    if (count < limit * RESERVED_SHARE || (caller === undefined && !hasCallers)) return true;
    return (
      caller !== undefined && (held.total < limit * COMMON_SHARE || (held.total === count && count < Math.floor(limit)))
    );
  };
  /** @throws {RequestError} 503 when the caller can get no permit now; `undefined` stands for all anonymous callers. */
  const check = (caller: string | undefined): void => {
    if (!hasRoom(caller)) throw OVERLOADED;
  };
  const startTimer = (): void => {
    timer = setInterval(tick, RESOLUTION_MS);
    tickAtMs = performance.now() + RESOLUTION_MS;
    worstMs = 0;
  };

  return {
    check,
    /**
     * Takes a permit, and gives what releases it, to be called once: when the answer is made.
     *
     * @throws {RequestError} 503 as `check` does.
     */
    acquire(caller: string | undefined): () => void {
      check(caller);
      if (timer === undefined) startTimer();
      held.add(caller, 1);
      return () => held.add(caller, -1);
    },
    /** How late the event loop was in the last sample, in milliseconds; 0 while nothing is in flight. */
    delayMs(): number {
      sample();
      return delayMs;
    },
    /** How many requests hold a permit, and how many may. */
    usage: () => ({ inFlight: held.total, limit: Math.floor(limit) }),
    /**
     * Refuses requests by 503, before they are authenticated, while no caller can get a permit. Health is exempt.
     *
     * @param isCrowded whether a connection is closed with the refusal.
     */
    guard:
      (listener: RequestListener, isCrowded: () => boolean): RequestListener =>
      (request, response) => {
        if (HEALTH_PATHS.includes(request.url)) return listener(request, response);
        sample();
        if (!isFull()) return listener(request, response);
        onRefusal?.(OVERLOADED.code);
        refuse(request, response, isCrowded());
      },
  };
}

const OVERLOADED = overloaded();
const REFUSAL = toPlainAnswer(OVERLOADED);

function refuse({ headers, complete }: IncomingMessage, response: ServerResponse, isLast: boolean): void {
  const length = Number(headers['content-length'] ?? (headers['transfer-encoding'] === undefined ? 0 : Infinity));
  // Node reads past a body that nobody reads, so that the connection can be used again; but not past any body.
  if (isLast || (!complete && !(length <= MAX_DRAINED_BYTES))) response.setHeader('connection', 'close');
  response.writeHead(REFUSAL.status, REFUSAL.headers).end(REFUSAL.body);
}

/** A response that its client is reading. */
interface Unsent {
  readonly response: ServerResponse;
  readonly bytes: number;
  takenBytes: number;
  /** `undefined` once it has left. */
  leave: (() => void) | undefined;
}

const MAX_UNSENT_BYTES = 67_108_864;
/** Longer responses are sent in pieces. */
const LONG_BYTES = 262_144;
const PIECE_BYTES = 65_536;
/** Answers up to this size are not followed where the client has read those before: the system takes them at once. */
const SMALL_BYTES = 1_024;

/**
 * Bounds the bytes of all responses that clients have not taken. Beyond the limit the clients that have taken fewest bytes lose
 * their connections.
 */
export function createUnsentLimit() {
  const unsent = new OpenItems<Unsent>();
  let totalBytes = 0;

  const remove = (entry: Unsent): void => {
    if (entry.leave === undefined) return;
    entry.leave();
    entry.leave = undefined;
    totalBytes -= entry.bytes - entry.takenBytes;
  };
  const makeRoom = (newest: Unsent): void => {
    for (const entry of unsent.toArray().toSorted((one, other) => one.takenBytes - other.takenBytes)) {
      if (totalBytes <= MAX_UNSENT_BYTES) return;
      if (entry === newest) continue;
      remove(entry);
      entry.response.req.socket.destroy();
    }
  };
  const take = function* (entry: Unsent, body: Buffer): Generator<Buffer> {
    while (entry.leave && entry.takenBytes < body.length) {
      const piece = body.subarray(entry.takenBytes, entry.takenBytes + PIECE_BYTES);
      entry.takenBytes += piece.length;
      totalBytes -= piece.length;
      yield piece;
    }
  };

  /** Gives the payload to send: a long one in pieces, so that it shows how much of it is taken. */
  return (response: ServerResponse, payload: string | Buffer): string | Buffer | Readable => {
    const bytes = Buffer.byteLength(payload);
    const isTaken = bytes <= SMALL_BYTES && response.req.socket.writableLength === 0;
    if (isTaken || response.closed) return payload;
    const entry: Unsent = { response, bytes, takenBytes: 0, leave: undefined };
    entry.leave = unsent.add(entry);
    response.on('close', () => remove(entry));
    totalBytes += bytes;
    if (totalBytes > MAX_UNSENT_BYTES) makeRoom(entry);
    return bytes > LONG_BYTES ? Readable.from(take(entry, Buffer.from(payload)), { objectMode: false }) : payload;
  };
}
