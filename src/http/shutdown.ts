import type { RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';

import { AbortReason } from '../core/abort.ts';
import { OpenItems } from '../core/open-items.ts';
import type { Work } from '../core/work.ts';
import type { ListeningSockets } from './accepting.ts';
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
  /** Follows the requests of a server, until their responses are sent or their connections lost. */
  watch(listener: RequestListener): RequestListener;
  /** Aborts the work of one request at its deadline, when its client leaves and when the gateway stops, until what it gives is called. */
  begin(work: Work, response: ServerResponse): () => void;
  /**
   * Stops without losing a request: is not ready and closes each connection with its next answer, then closes the port, waits
   * for requests in flight, and aborts what takes too long with an error in JSON.
   */
  stop(app: FastifyInstance, sockets: Pick<ListeningSockets, 'closeOne'>): Promise<void>;
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
export function createShutdown({ delayMs, timeoutMs }: ShutdownOptions, requestTimeoutMs: number): Shutdown {
  const unanswered = new OpenItems<ServerResponse>();
  // A write in progress continues without its client, so work and responses end separately.
  const working = new OpenItems<Work>();
  /** Connections that were made while the gateway stops, and that have sent no request yet. */
  const silent = new Set<Socket>();
  let accepted = 0;
  let queued: (() => void)[] | undefined;
  let isStopping = false;
  let onIdle: (() => void) | undefined;

  const checkIdle = (): void => {
    if (unanswered.size === 0 && working.size === 0 && silent.size === 0) onIdle?.();
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
    watch: (listener) => (request, response) => {
      const remove = unanswered.add(response);
      response.on('close', () => {
        remove();
        checkIdle();
      });
      silent.delete(request.socket);
      if (queued) queued.push(() => listener(request, response));
      else listener(request, response);
    },
    begin(work, response) {
      const timer = setTimeout(() => work.abort(new AbortReason('timeout')), requestTimeoutMs);
      const release = work.share();
      const remove = working.add(work);
      const leave = () => {
        if (!response.writableFinished) release();
      };
      // Its client may have left while it was authenticated, or while it waited for the port to close.
      if (response.closed) release();
      else response.on('close', leave);
      return () => {
        clearTimeout(timer);
        response.off('close', leave);
        remove();
        checkIdle();
      };
    },
    async stop(app, sockets) {
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
      for (const work of working.toArray()) work.abort(new AbortReason('stopped'));
      await waitUntilIdle(LAST_ANSWERS_MS);
      // Requests that have not arrived yet, or that wait for something that no signal reaches.
      for (const response of unanswered.toArray()) {
        if (!response.headersSent) response.writeHead(STOPPED.status, STOPPED.headers).end(STOPPED.body);
      }
      await nextTurn();
      // Connections of the other sockets do not keep the server from being closed.
      app.server.closeAllConnections();
      await closed;
    },
  };
}

const STOPPED = toPlainAnswer(
  new RequestError(503, 'The gateway is shutting down; retry, and another replica will respond.', {
    code: 'SHUTTING_DOWN',
    headers: { connection: 'close' },
    retryAfterMs: 1_000,
  }),
);
