import type { RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';

import { AbortReason } from '../core/abort.ts';
import { OpenItems } from '../core/open-items.ts';
import type { Work } from '../core/work.ts';
import { RequestError, toPlainAnswer } from './errors.ts';
import type { ListeningSockets } from './node-server.ts';

/** How a gateway stops. Both times count from the moment when it begins to. */
export interface ShutdownOptions {
  /** How long it serves on, unready, so that balancers notice. */
  readonly delayMs: number;
  /** When requests in flight are aborted. */
  readonly timeoutMs: number;
}

/** The requests in flight, and their end when the gateway stops. */
export type Shutdown = ReturnType<typeof createShutdown>;

/** A request whose response is not sent yet or whose work has not ended: a write continues without its client. */
interface OpenRequest {
  readonly response: ServerResponse;
  work?: Work | undefined;
  /** Takes the client off those who wait for the work. */
  leave?: (() => void) | undefined;
  /** Takes the request off those that are open. */
  remove?: () => void;
}

declare module 'node:http' {
  interface ServerResponse {
    /** Absent where no shutdown follows it. */
    open?: OpenRequest;
  }
}

/** After so many turns of the event loop without a new connection none is waiting. */
const QUIET_TURNS = 3;
/** At most, where connections come faster than they are accepted. */
const ACCEPTING_MS = 1_000;
/** How long a connection that was made before the port was closed may take to send its request. */
const FIRST_REQUEST_MS = 500;
/** How long the answers of aborted requests may take to be sent. */
const LAST_ANSWERS_MS = 1_000;

/** @param requestTimeoutMs the deadline of one request's work. */
export function createShutdown({ delayMs, timeoutMs }: ShutdownOptions, requestTimeoutMs: number) {
  const openRequests = new OpenItems<OpenRequest>();
  /** Connections that were made while the gateway stops, and that have sent no request yet. */
  const silent = new Set<Socket>();
  let accepted = 0;
  let queued: (() => void)[] | undefined;
  let isStopping = false;
  let onIdle: (() => void) | undefined;

  const checkIdle = (): void => {
    if (openRequests.size === 0 && silent.size === 0) onIdle?.();
  };
  const settle = ({ response, work, remove }: OpenRequest): void => {
    if (work || !response.closed) return;
    remove?.();
    checkIdle();
  };
  const waitUntilIdle = async (ms: number): Promise<void> => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, Math.max(0, ms));
    onIdle = resolve;
    checkIdle();
    await promise;
    clearTimeout(timer);
  };

  const noteConnection = (socket: Socket): void => {
    accepted++;
    silent.add(socket);
    socket.once('close', () => {
      silent.delete(socket);
      checkIdle();
    });
  };

  /**
   * Stops listening without losing a connection. The system holds connections until they are accepted, one of each socket in a
   * turn of the event loop, and resets those that a socket holds when it is closed. So work waits until none is left, and one
   * socket is closed in a turn: what arrives meanwhile goes to the others.
   */
  const closePort = async (sockets: Pick<ListeningSockets, 'closeOne'>): Promise<void> => {
    const endAtMs = performance.now() + ACCEPTING_MS;
    queued = [];
    for (let quietTurns = 0, areOpen = true; areOpen; ) {
      const before = accepted;
      await nextTurn();
      quietTurns = accepted > before ? 0 : quietTurns + 1;
      if (quietTurns >= QUIET_TURNS || performance.now() > endAtMs) areOpen = sockets.closeOne();
    }
    const requests = queued;
    queued = undefined;
    for (const serve of requests) serve();
    setTimeout(() => {
      silent.clear();
      checkIdle();
    }, FIRST_REQUEST_MS).unref();
  };

  return {
    isStopping: () => isStopping,
    /** Follows the requests of a server, until their responses are sent or their connections lost. */
    watch:
      (listener: RequestListener): RequestListener =>
      (request, response) => {
        const open: OpenRequest = { response };
        open.remove = openRequests.add(open);
        response.open = open;
        response.on('close', () => {
          if (!response.writableFinished) open.leave?.();
          settle(open);
        });
        silent.delete(request.socket);
        if (queued) queued.push(() => listener(request, response));
        else listener(request, response);
      },
    /** Aborts the work of one request at its deadline, when its client leaves and when the gateway stops, until what it gives is called. */
    begin(work: Work, response: ServerResponse): () => void {
      const { open } = response;
      if (open === undefined) throw new Error('The request is not followed.');
      const timer = setTimeout(abortLate, requestTimeoutMs, work);
      open.work = work;
      open.leave = work.share();
      // Its client may have left while it was authenticated, or while it waited for the port to close.
      if (response.closed) open.leave();
      return () => {
        clearTimeout(timer);
        open.work = undefined;
        open.leave = undefined;
        settle(open);
      };
    },
    /**
     * Stops without losing a request: is not ready and closes each connection with its next answer, then closes the port, waits
     * for requests in flight, and aborts what takes too long with an error in JSON.
     */
    async stop(app: FastifyInstance, sockets: Pick<ListeningSockets, 'closeOne'>): Promise<void> {
      const endAtMs = performance.now() + timeoutMs;
      isStopping = true;
      if (app.server.listening) {
        app.server.on('connection', noteConnection);
        await sleep(Math.min(delayMs, timeoutMs));
        await closePort(sockets);
      }
      const closed = app.close();
      // It is awaited below, where it may have failed long before.
      closed.catch(() => undefined);
      await waitUntilIdle(endAtMs - performance.now());
      for (const { work } of openRequests.toArray()) work?.abort(new AbortReason('stopped'));
      await waitUntilIdle(LAST_ANSWERS_MS);
      // Requests that have not arrived yet, or that wait for something that no signal reaches.
      for (const { response } of openRequests.toArray()) {
        if (!response.headersSent) response.writeHead(STOPPED.status, STOPPED.headers).end(STOPPED.body);
      }
      await nextTurn();
      // Connections of the other sockets do not keep the server from being closed.
      app.server.closeAllConnections();
      await closed;
    },
  };
}

const abortLate = (work: Work): void => work.abort(new AbortReason('timeout'));

const STOPPED = toPlainAnswer(
  new RequestError(503, 'The gateway is shutting down; retry, and another replica will respond.', {
    code: 'SHUTTING_DOWN',
    headers: { connection: 'close' },
    retryAfterMs: 1_000,
  }),
);
