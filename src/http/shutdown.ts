import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';

import { AbortReason } from '../core/abort.ts';
import type { Work } from '../core/work.ts';
import type { LimitedServer } from './node-server.ts';

/** How a gateway stops. */
interface ShutdownOptions {
  readonly isProduction: boolean;
  /** When requests in flight are aborted, after the stop began. */
  readonly timeoutMs: number;
  /** The deadline of one request's work. */
  readonly requestTimeoutMs: number;
}

/** The work of requests in flight, and its end when the gateway stops. */
export type Shutdown = ReturnType<typeof createShutdown>;

/** How long a stopping gateway serves on, unready, so that balancers notice; in production only. */
const NOTICE_MS = 5_000;
/** The largest part of the shutdown that the notice may take. */
const NOTICE_SHARE = 0.2;
/** How long the answers of aborted requests may take to be sent. */
const LAST_ANSWERS_MS = 1_000;
const POLL_MS = 20;

export function createShutdown({ isProduction, timeoutMs, requestTimeoutMs }: ShutdownOptions) {
  const noticeMs = isProduction ? Math.min(NOTICE_MS, timeoutMs * NOTICE_SHARE) : 0;
  const running = new Set<Work>();
  let isStopping = false;

  return {
    isStopping: () => isStopping,
    /** Aborts the work of one request at its deadline, when its client leaves and when the gateway stops, until what it gives is called. */
    begin(work: Work, response: ServerResponse): () => void {
      const timer = setTimeout(abortLate, requestTimeoutMs, work);
      const leave = work.share();
      const onClose = () => {
        if (!response.writableFinished) leave();
      };
      // Its client may have left while it was authenticated.
      if (response.closed) leave();
      else response.on('close', onClose);
      running.add(work);
      return () => {
        clearTimeout(timer);
        response.off('close', onClose);
        running.delete(work);
      };
    },
    /**
     * Is not ready and closes each connection with its next answer, then closes the port, waits for requests in flight, and
     * aborts what takes too long with an error in JSON.
     */
    async stop(app: FastifyInstance, server: LimitedServer): Promise<void> {
      const endAtMs = performance.now() + timeoutMs;
      isStopping = true;
      let lastConnection: Promise<unknown> | undefined;
      if (server.listening) {
        await sleep(noticeMs);
        lastConnection = once(server, 'close');
        await closePort(server);
      }
      const allEnded = Promise.all([lastConnection, app.close()]);
      // It is awaited below, where it may have failed long before.
      allEnded.catch(() => undefined);
      const untilIdle = async (untilMs: number): Promise<void> => {
        // A write continues without its client.
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
      for (const work of running) work.abort(new AbortReason('stopped'));
      await untilIdle(performance.now() + LAST_ANSWERS_MS);
      server.closeAllConnections();
      await allEnded;
    },
  };
}

/** How long connections may be accepted until the port closes all the same. */
const ACCEPTING_MS = 1_000;

/**
 * Closes the port in a turn of the event loop in which no connection came: the system holds connections until they are accepted,
 * one in a turn, and resets those that it holds then. Requests that arrive meanwhile begin after it, so that the turns are short.
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

const abortLate = (work: Work): void => work.abort(new AbortReason('timeout'));
