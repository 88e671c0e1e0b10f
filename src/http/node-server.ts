import {
  createServer,
  type IncomingHttpHeaders,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { Socket } from 'node:net';

import { RequestError, toLastBytes, toPlainAnswer } from './errors.ts';

/** How many requests of one connection may be unanswered. Clients that pipeline send a few ahead, and browsers none. */
const MAX_UNANSWERED = 16;
/** From the connection, or the first byte of a request, to the end of its head. */
const HEADERS_TIMEOUT_MS = 5_000;
/** The same to the end of its body. */
const REQUEST_TIMEOUT_MS = 10_000;
/** Longer than the balancers in front keep an idle connection, so that none sends on one that is being closed. */
const KEEP_ALIVE_TIMEOUT_MS = 75_000;
const CONNECTIONS_CHECKING_MS = 1_000;

interface NodeServerOptions {
  /** When they are all open, a new one takes the place of the one that has been idle for longest. */
  readonly maxConnections: number;
  /** Whether a new connection is served; all are by default. Others are closed at once. */
  readonly accepts?: (socket: Socket) => boolean;
  /** How long nothing may move on a connection, in milliseconds. Longer than any request is worked on. */
  readonly inactivityTimeoutMs: number;
}

/** A server, and how it answers requests that cannot be read. */
export interface NodeServer {
  readonly server: Server;
  readonly answerClientError: (error: Error & { readonly code?: string }, socket: Socket) => void;
  /** How many connections are open. */
  readonly connections: () => number;
}

/**
 * Makes an HTTP server with limits for slow, idle and pipelining clients. A connection is idle unless a whole request of it is
 * unanswered. One with too many unanswered requests is closed: Node parses whatever arrives, and drops a long queue of requests
 * in quadratic time when its client leaves.
 */
export function createNodeServer(
  listener: RequestListener,
  { maxConnections, accepts, inactivityTimeoutMs }: NodeServerOptions,
): NodeServer {
  const unanswered = new WeakMap<Socket, ServerResponse[]>();
  /** In the order in which they became idle. */
  const idle = new Set<Socket>();
  let connections = 0;

  const limitConnections = (socket: Socket): void => {
    if (accepts?.(socket) === false) return void socket.destroy();
    connections++;
    idle.add(socket);
    socket.once('close', () => {
      connections--;
      idle.delete(socket);
    });
    if (connections <= maxConnections) return;
    const [longestIdle = socket] = idle;
    idle.delete(longestIdle);
    longestIdle.destroy();
  };

  const limitPipelining: RequestListener = (request, response) => {
    const { socket } = request;
    const responses = unanswered.get(socket) ?? [];
    if (responses.length === 0) unanswered.set(socket, responses);
    if (responses.length >= MAX_UNANSWERED) return void socket.destroy();
    responses.push(response);
    // Once is how often it comes: `once` would make an object more for it, and take it off again.
    response.on('close', () => {
      responses.splice(responses.indexOf(response), 1);
      if (responses.length === 0 && !socket.destroyed) idle.add(socket);
    });
    const markBusy = () => {
      if (responses.length > 0) idle.delete(socket);
    };
    if (hasBody(request.headers)) request.once('end', markBusy);
    else markBusy();
    listener(request, response);
  };

  const server = createServer(
    {
      headersTimeout: HEADERS_TIMEOUT_MS,
      requestTimeout: REQUEST_TIMEOUT_MS,
      connectionsCheckingInterval: CONNECTIONS_CHECKING_MS,
      keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
      // Node would answer a request without a host by itself: not counted, and not in JSON.
      requireHostHeader: false,
    },
    limitPipelining,
  );
  server.on('connection', limitConnections);
  server.timeout = inactivityTimeoutMs;
  server.on('checkExpectation', (_request, response) => {
    response.writeHead(UNEXPECTED.status, { ...UNEXPECTED.headers, connection: 'close' }).end(UNEXPECTED.body);
  });

  return {
    server,
    connections: () => connections,
    answerClientError({ code = '' }, socket) {
      const responses = unanswered.get(socket) ?? [];
      const complete = responses.filter(({ req }) => req.complete);
      if (!socket.writable || code === 'ECONNRESET') return void socket.destroy();
      // What cannot be read follows requests that could be: these get their answers, and are the last.
      if (complete.length > 0) return complete.forEach(makeLast);
      if (responses.some(({ headersSent }) => headersSent)) return void socket.destroy();
      socket.end(ANSWERS[code] ?? UNREADABLE, () => socket.destroy());
    },
  };
}

const hasBody = ({ 'content-length': length = '0', 'transfer-encoding': encoding }: IncomingHttpHeaders): boolean =>
  length !== '0' || encoding !== undefined;

function makeLast(response: ServerResponse): void {
  if (!response.headersSent) response.setHeader('connection', 'close');
}

const UNEXPECTED = toPlainAnswer(new RequestError(417, 'The only expectation that can be met is 100-continue.'));
const UNREADABLE = toLastBytes(new RequestError(400, 'The request is malformed.'));

const ANSWERS: Readonly<Record<string, string>> = {
  ERR_HTTP_REQUEST_TIMEOUT: toLastBytes(
    new RequestError(408, 'The request did not arrive in time.', { code: 'REQUEST_TIMEOUT', retryable: true }),
  ),
  HPE_HEADER_OVERFLOW: toLastBytes(new RequestError(431, 'The request headers are too large.')),
};
