import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';

import { AbortReason } from '../core/abort.ts';
import type { RequestState } from '../core/request-state.ts';
import type { LimitedServer } from './node-server.ts';

/** The options of a shutdown. */
interface ShutdownOptions {
  readonly isProduction: boolean;
  /** Milliseconds from the start of the shutdown until requests in flight are aborted. */
  readonly timeoutMs: number;
  /** The deadline of one request. */
  readonly requestTimeoutMs: number;
}

/** The work of requests in flight. Ends it when the gateway stops. */
export interface Shutdown {
  isStopping(): boolean;
  /**
   * Aborts a request's work at its deadline, when its client disconnects, and when the gateway
   * stops. Returns the function that ends this.
   */
  begin(requestState: RequestState, response: ServerResponse): () => void;
  /**
   * Stops the server. First it reports not ready and closes each connection after its next
   * response. Then it closes the port and waits for requests in flight. Requests that take too long
   * are aborted with a JSON error.
   */
  stop(app: FastifyInstance, server: LimitedServer): Promise<void>;
}

/**
 * How long a stopping gateway keeps serving while it is not ready, so that balancers notice. In
 * production only.
 */
const NOTICE_MS = 5_000;
/** The largest part of the shutdown for this. */
const NOTICE_SHARE = 0.2;
/** The time for sending the responses of aborted requests. */
const LAST_ANSWERS_MS = 1_000;
const POLL_MS = 20;

export function createShutdown({
  isProduction,
  timeoutMs,
  requestTimeoutMs,
}: ShutdownOptions): Shutdown {
  const noticeMs = isProduction ? Math.min(NOTICE_MS, timeoutMs * NOTICE_SHARE) : 0;
  const running = new Set<RequestState>();
  let isStopping = false;

  return {
    isStopping: () => isStopping,
    begin(requestState, response) {
      const timer = setTimeout(abortLate, requestTimeoutMs, requestState);
      const leave = requestState.share();
      const onClose = () => {
        if (!response.writableFinished) leave();
      };
      // The client may have disconnected during authentication.
      if (response.closed) leave();
      else response.on('close', onClose);
      running.add(requestState);
      return () => {
        clearTimeout(timer);
        response.off('close', onClose);
        running.delete(requestState);
      };
    },
    async stop(app, server) {
      const endAtMs = performance.now() + timeoutMs;
      isStopping = true;
      let lastConnection: Promise<unknown> | undefined;
      if (server.listening) {
        await sleep(noticeMs);
        lastConnection = once(server, 'close');
        await closePort(server);
      }
      const allEnded = Promise.all([lastConnection, app.close()]);
      // It may fail long before it is awaited below.
      allEnded.catch(() => undefined);
      const untilIdle = async (untilMs: number): Promise<void> => {
        // A write continues after its client has disconnected.
        const idle = async () => {
          while (running.size > 0 && performance.now() < untilMs) await sleep(POLL_MS);
        };
        const late = new AbortController();
        const timer = sleep(Math.max(0, untilMs - performance.now()), undefined, {
          signal: late.signal,
        });
        await Promise.race([Promise.all([allEnded, idle()]), timer.catch(() => undefined)]).finally(
          () => late.abort(),
        );
      };
      await untilIdle(endAtMs);
      for (const requestState of running) requestState.abort(new AbortReason('stopped'));
      await untilIdle(performance.now() + LAST_ANSWERS_MS);
      server.closeAllConnections();
      await allEnded;
    },
  };
}

/** The port is closed after this time even if new connections keep arriving. */
const ACCEPTING_MS = 1_000;

/**
 * Closes the port in a turn of the event loop without a new connection. The system queues
 * connections and the server accepts one per turn; connections in the queue are reset when the port
 * closes. Requests that arrive in the meantime are held, so that the turns are short.
 */
async function closePort(server: LimitedServer): Promise<void> {
  const handleHeld = server.holdRequests();
  let accepted = 0;
  server.on('connection', () => accepted++);
  const endAtMs = performance.now() + ACCEPTING_MS;
  for (let before = -1; accepted > before && performance.now() < endAtMs; await nextTurn())
    before = accepted;
  server.close();
  handleHeld();
}

const abortLate = (requestState: RequestState): void =>
  requestState.abort(new AbortReason('timeout'));
