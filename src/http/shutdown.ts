import type { RequestListener, ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';

import { AbortReason } from '../upstream/errors.ts';
import { RequestError, toPlainAnswer } from './errors.ts';

/** How a gateway stops. Both times count from the moment when it begins to. */
export interface ShutdownOptions {
  /** How long it serves on, unready, so that balancers notice. */
  readonly delayMs: number;
  /** When requests in flight are aborted. */
  readonly timeoutMs: number;
}

/** The requests in flight, and their end when the gateway stops. */
export interface Shutdown {
  isStopping(): boolean;
  /** Follows the requests of a server, until `closed` is called for their responses. */
  watch(listener: RequestListener): RequestListener;
  closed(response: ServerResponse): void;
  /**
   * Does the work of one request. Its signal aborts when the client is gone, when the time is up, or when the gateway stops,
   * whichever comes first; the reason is an `AbortReason` that says which.
   *
   * @param work is given `share`, by which another request waits for the same work: its client's leaving aborts it only once
   *   those have left too, each by calling what `share` returned.
   */
  withSignal<T>(
    response: ServerResponse,
    work: (signal: AbortSignal, share: () => () => void) => Promise<T>,
  ): Promise<T>;
  /**
   * Stops without losing a request: is not ready and closes each connection with its next answer, then closes the port, waits
   * for requests in flight, and aborts what takes too long with an error in JSON.
   */
  stop(app: FastifyInstance): Promise<void>;
}

/** The work of one request. */
interface Work {
  readonly controller: AbortController;
  /** Called when the request's own client waits no more. */
  readonly leave: () => void;
}

/** How long the answers of aborted requests may take to be sent. */
const LAST_ANSWERS_MS = 1_000;

/** @param requestTimeoutMs the deadline of one request's work. */
export function createShutdown({ delayMs, timeoutMs }: ShutdownOptions, requestTimeoutMs: number): Shutdown {
  const unanswered = new Set<ServerResponse>();
  // A change that was begun goes on without its client, so work and answers end apart.
  const working = new Map<ServerResponse, Work>();
  let isStopping = false;
  let onIdle: (() => void) | undefined;

  const checkIdle = (): void => {
    if (unanswered.size === 0 && working.size === 0) onIdle?.();
  };
  const waitUntilIdle = async (ms: number): Promise<void> => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, Math.max(0, ms));
    onIdle = resolve;
    checkIdle();
    await promise;
    clearTimeout(timer);
  };

  return {
    isStopping: () => isStopping,
    watch: (listener) => (request, response) => {
      unanswered.add(response);
      listener(request, response);
    },
    closed(response) {
      if (!response.writableFinished) working.get(response)?.leave();
      unanswered.delete(response);
      checkIdle();
    },
    async withSignal(response, work) {
      const controller = new AbortController();
      let waiting = 0;
      const share = () => {
        waiting++;
        return () => {
          waiting--;
          if (waiting === 0) controller.abort(new AbortReason('cancelled'));
        };
      };
      const timer = setTimeout(() => controller.abort(new AbortReason('timeout')), requestTimeoutMs);
      working.set(response, { controller, leave: share() });
      try {
        return await work(controller.signal, share);
      } finally {
        clearTimeout(timer);
        working.delete(response);
        checkIdle();
      }
    },
    async stop(app) {
      const endAtMs = performance.now() + timeoutMs;
      isStopping = true;
      if (app.server.listening) await sleep(Math.min(delayMs, timeoutMs));
      const closed = app.close();
      await waitUntilIdle(endAtMs - performance.now());
      for (const { controller } of working.values()) controller.abort(new AbortReason('stopped'));
      await waitUntilIdle(LAST_ANSWERS_MS);
      // Requests that have not arrived yet, or that wait for something that no signal reaches.
      for (const response of unanswered) {
        if (!response.headersSent) response.writeHead(STOPPED.status, STOPPED.headers).end(STOPPED.body);
      }
      setImmediate(() => app.server.closeAllConnections());
      await closed;
    },
  };
}

const STOPPED = toPlainAnswer(
  new RequestError(503, 'The gateway is shutting down; ask again, another one will answer.', {
    code: 'SHUTTING_DOWN',
    headers: { connection: 'close' },
    retryAfterMs: 1_000,
  }),
);
