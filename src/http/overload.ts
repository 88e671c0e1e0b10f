import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { monitorEventLoopDelay } from 'node:perf_hooks';

import { RequestError, toPlainAnswer } from './errors.ts';

/** The concurrency limit of the gateway's requests. */
export interface OverloadLimit {
  /** Refuses requests by 503, before their bodies are read, while the limit is reached. Health is exempt. */
  guard(listener: RequestListener): RequestListener;
  /**
   * Takes a place for a request that has arrived with its body, so that slow clients hold none.
   *
   * @throws {RequestError} 503 when the limit is reached.
   */
  acquire(request: IncomingMessage, response: ServerResponse): void;
  /** Gives the place of a request back, whose answer is made. */
  release(request: IncomingMessage): void;
  /** How late the event loop was in the last sample, in milliseconds; 0 while nothing is in flight. */
  delayMs(): number;
}

/** Requests that balancers ask, who must know of an overloaded gateway that it lives. */
export const HEALTH_PATHS: readonly unknown[] = ['/livez', '/readyz'];

/** The event loop delay above which the limit shrinks. */
const TARGET_DELAY_MS = 35;
const RESOLUTION_MS = 20;
/** How often the limit changes at most. */
const PERIOD_MS = 50;
const DECREASE = 0.8;
const INCREASE = 1.1;
/** The share of the limit that is left however late the event loop is, so that it can be seen to recover. */
const LEAST_SHARE = 0.25;
/** A body that is longer is not read past when its request is refused; the connection is closed instead. */
const MAX_DRAINED_BYTES = 262_144;
const DISABLE_AFTER_MS = 1_000;

/**
 * Makes the concurrency limit: at most `maxConcurrentRequests`, and fewer while the event loop is late. The delay is measured
 * only while requests are in flight, since that alone costs half a percent of a core.
 */
export function createOverloadLimit(maxConcurrentRequests: number): OverloadLimit {
  const histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  const inFlight = new Set<IncomingMessage>();
  const least = Math.max(1, maxConcurrentRequests * LEAST_SHARE);
  let limit = maxConcurrentRequests;
  let delayMs = 0;
  let sampleAtMs = 0;
  let willDisable = false;

  const sample = (): void => {
    const nowMs = performance.now();
    if (nowMs < sampleAtMs || histogram.count === 0) return;
    delayMs = Math.max(0, histogram.max / 1e6 - RESOLUTION_MS);
    limit =
      delayMs > TARGET_DELAY_MS
        ? Math.max(least, limit * DECREASE)
        : Math.min(maxConcurrentRequests, limit * INCREASE + 1);
    histogram.reset();
    // Requests that are in flight already are late yet: how late says nothing of the new limit.
    sampleAtMs = nowMs + Math.max(PERIOD_MS, delayMs);
  };
  const isFull = (): boolean => inFlight.size >= Math.floor(limit);
  const disable = (): void => {
    willDisable = false;
    if (inFlight.size > 0) return;
    histogram.disable();
    histogram.reset();
    limit = maxConcurrentRequests;
    delayMs = 0;
  };
  const release = (request: IncomingMessage): void => {
    if (!inFlight.delete(request) || inFlight.size > 0 || willDisable) return;
    willDisable = true;
    setTimeout(disable, DISABLE_AFTER_MS).unref();
  };

  return {
    release,
    delayMs() {
      sample();
      return delayMs;
    },
    guard: (listener) => (request, response) => {
      if (HEALTH_PATHS.includes(request.url)) return listener(request, response);
      sample();
      if (isFull()) return refuse(request, response);
      listener(request, response);
    },
    acquire(request, response) {
      if (HEALTH_PATHS.includes(request.url)) return;
      if (isFull()) throw OVERLOADED;
      if (inFlight.size === 0) histogram.enable();
      inFlight.add(request);
      response.once('close', () => release(request));
    },
  };
}

const OVERLOADED = new RequestError(503, 'The gateway is overloaded; nothing was done.', {
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

/** A bound for what is held of answers that their clients have not read. */
export interface UnsentLimit {
  add(response: ServerResponse, bytes: number): void;
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
    add(response, bytes) {
      if (bytes <= SMALL_BYTES && response.req.socket.writableLength === 0) return;
      unsent.set(response, bytes);
      total += bytes;
      response.once('close', () => remove(response));
      for (const [slowest] of unsent) {
        if (total <= MAX_UNSENT_BYTES || slowest === response) return;
        remove(slowest);
        slowest.req.socket.destroy();
      }
    },
  };
}
