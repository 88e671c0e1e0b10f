import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';

import { RequestError, toPlainAnswer } from './errors.ts';

/** The concurrency limit of the gateway's requests. */
export interface OverloadLimit {
  /** Refuses requests by 503, before their bodies are read, while the limit is reached. Health is exempt. */
  guard(listener: RequestListener): RequestListener;
  /**
   * Takes a place for a request whose body has arrived, where it has none yet.
   *
   * @throws {RequestError} 503 when the limit is reached.
   */
  acquire(request: IncomingMessage): void;
  /** Gives the place of a request back, if it has one: its answer is made, or its connection closed. */
  release(request: IncomingMessage): void;
  /** How late the event loop was in the last sample, in milliseconds; 0 while nothing is in flight. */
  delayMs(): number;
  /** How many requests hold a place, and how many may. */
  usage(): { readonly inFlight: number; readonly limit: number };
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
/** A body that is longer is not read past when its request is refused; the connection is closed instead. */
const MAX_DRAINED_BYTES = 262_144;

/**
 * Makes the concurrency limit: at most `maxConcurrentRequests`, and fewer while the event loop is late. The delay is measured
 * by a timer, and only while requests are in flight, so that an idle gateway does nothing. (`monitorEventLoopDelay` forgets the
 * first delay after each reset, which under load is the one that matters.)
 */
export function createOverloadLimit(maxConcurrentRequests: number, onRefusal?: (code: string) => void): OverloadLimit {
  const inFlight = new Set<IncomingMessage>();
  const least = Math.max(1, maxConcurrentRequests * LEAST_SHARE);
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
    if (inFlight.size > 0) return;
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
  const isFull = (): boolean => inFlight.size >= Math.floor(limit);
  const admit = (request: IncomingMessage): void => {
    if (timer === undefined) {
      timer = setInterval(tick, RESOLUTION_MS);
      tickAtMs = performance.now() + RESOLUTION_MS;
      worstMs = 0;
    }
    inFlight.add(request);
  };

  return {
    release: (request) => void inFlight.delete(request),
    delayMs() {
      sample();
      return delayMs;
    },
    usage: () => ({ inFlight: inFlight.size, limit: Math.floor(limit) }),
    guard: (listener) => (request, response) => {
      if (HEALTH_PATHS.includes(request.url)) return listener(request, response);
      sample();
      if (isFull()) {
        onRefusal?.(OVERLOADED.code);
        return refuse(request, response);
      }
      admit(request);
      // Most bodies arrive with their heads. A request whose body is still arriving does not count, or slow clients would take all capacity.
      process.nextTick(() => {
        if (!request.complete) inFlight.delete(request);
      });
      listener(request, response);
    },
    acquire(request) {
      if (inFlight.has(request) || HEALTH_PATHS.includes(request.url)) return;
      if (isFull()) throw OVERLOADED;
      admit(request);
    },
  };
}

const OVERLOADED = new RequestError(503, 'The gateway is overloaded; the request was not executed.', {
  code: 'OVERLOADED',
  retryAfterMs: 1_000,
});
const REFUSAL = toPlainAnswer(OVERLOADED);

function refuse({ headers, complete }: IncomingMessage, response: ServerResponse): void {
  const length = Number(headers['content-length'] ?? (headers['transfer-encoding'] === undefined ? 0 : Infinity));
  // Node reads past a body that nobody reads, so that the connection can be used again; but not past any body.
  if (!complete && !(length <= MAX_DRAINED_BYTES)) response.setHeader('connection', 'close');
  response.writeHead(REFUSAL.status, REFUSAL.headers).end(REFUSAL.body);
}

/** A limit of buffered responses that clients have not read. */
export interface UnsentLimit {
  add(response: ServerResponse, bytes: number): void;
  /** Forgets a response that is closed. */
  remove(response: ServerResponse): void;
}

const MAX_UNSENT_BYTES = 67_108_864;
/** Answers up to this size are not followed where the client has read those before: the system takes them at once. */
const SMALL_BYTES = 1_024;

/** Bounds the unsent bytes of all connections; the client that has been reading for longest loses its connection first. */
export function createUnsentLimit(): UnsentLimit {
  const unsent = new Map<ServerResponse, number>();
  let total = 0;
  const remove = (response: ServerResponse): void => {
    total -= unsent.get(response) ?? 0;
    unsent.delete(response);
  };

  return {
    remove,
    add(response, bytes) {
      const isTaken = bytes <= SMALL_BYTES && response.req.socket.writableLength === 0;
      if (isTaken || response.closed) return;
      unsent.set(response, bytes);
      total += bytes;
      for (const [slowest] of unsent) {
        if (total <= MAX_UNSENT_BYTES || slowest === response) return;
        remove(slowest);
        slowest.req.socket.destroy();
      }
    },
  };
}
