import type { IncomingHttpHeaders, IncomingMessage, RequestListener } from 'node:http';
import type { Socket } from 'node:net';
import { type FastifyInstance, type FastifyServerOptions, fastify } from 'fastify';
import ipaddr from 'ipaddr.js';

import { answerUnreadablePath, RequestError, toLastBytes } from './errors.ts';

/** How many requests of one connection may be unanswered. Clients that pipeline send a few ahead, and browsers none. */
const MAX_UNANSWERED = 16;

/** How long clients may be slow or idle, as Fastify and Node have it. */
const CONNECTION_TIMES = {
  /** Longer than the balancers in front keep an idle connection, so that none sends on one that is being closed. */
  keepAliveTimeout: 75_000,
  /** From the first byte of a request to the end of its body. */
  requestTimeout: 10_000,
  http: { headersTimeout: 5_000, connectionsCheckingInterval: 1_000 },
} as const;

/** When Node has closed a connection that sent nothing. It does not while a server closes, and browsers open connections ahead. */
const UNUSED_MS = CONNECTION_TIMES.http.headersTimeout + CONNECTION_TIMES.http.connectionsCheckingInterval;

/** Creates a server with these limits, which does not listen yet. */
export function createServer(maxConnections: number, options: FastifyServerOptions): FastifyInstance {
  const { limitConnections, limitPipelining, answerClientError, closeIdle } = createConnectionLimits(maxConnections);
  const times = { ...CONNECTION_TIMES, clientErrorHandler: answerClientError, frameworkErrors: answerUnreadablePath };
  const app = fastify({ ...times, ...options });
  const [listener] = app.server.listeners('request') as RequestListener[];
  if (listener === undefined) throw new Error('The server has no listener.');
  app.server.on('connection', limitConnections);
  app.server.off('request', listener).on('request', limitPipelining(listener));
  // By Node's own an answer is sent once it is written, and cut where its client reads slowly.
  app.server.closeIdleConnections = closeIdle;
  return app;
}

/**
 * Makes the limits of a server's connections. When all are open, a new one takes the place of the one that has been idle for
 * longest: one without a whole request that is unanswered. A connection with too many unanswered requests is closed: Node parses
 * whatever arrives, and drops a long queue of requests in quadratic time when its client leaves.
 */
function createConnectionLimits(maxConnections: number) {
  const unanswered = new WeakMap<Socket, Set<IncomingMessage>>();
  const unreadable = new WeakSet<Socket>();
  /** In the order in which they became idle, with the bytes that they had sent by then. */
  const idle = new Map<Socket, number>();
  let open = 0;
  let isClosing = false;
  const closeUnused = (socket: Socket): void => {
    if (isClosing && socket.bytesRead === 0) socket.destroy();
  };

  return {
    limitConnections(socket: Socket): void {
      open++;
      idle.set(socket, 0);
      const unused = setTimeout(closeUnused, UNUSED_MS, socket).unref();
      socket.once('close', () => {
        clearTimeout(unused);
        open--;
        idle.delete(socket);
      });
      if (open <= maxConnections) return;
      const [longestIdle = socket] = idle.keys();
      idle.delete(longestIdle);
      longestIdle.destroy();
    },
    limitPipelining:
      (listener: RequestListener): RequestListener =>
      (request, response) => {
        const { socket } = request;
        const requests = unanswered.get(socket) ?? new Set();
        if (requests.size >= MAX_UNANSWERED) return void socket.destroy();
        unanswered.set(socket, requests.add(request));
        response.on('close', () => {
          requests.delete(request);
          if (requests.size > 0 || socket.destroyed) return;
          if (isClosing || unreadable.has(socket)) socket.destroy();
          else idle.set(socket, socket.bytesRead);
        });
        const markBusy = () => {
          if (requests.size > 0) idle.delete(socket);
        };
        if (hasBody(request.headers)) request.once('end', markBusy);
        else markBusy();
        listener(request, response);
      },
    /** Answers a request that cannot be read. Those before it get their answers, and are the last of their connection. */
    answerClientError({ code = '' }: Error & { readonly code?: string }, socket: Socket): void {
      if (!socket.writable || code === 'ECONNRESET') return void socket.destroy();
      const requests = [...(unanswered.get(socket) ?? [])];
      if (requests.some(({ complete }) => complete)) return void unreadable.add(socket);
      socket.end(ANSWERS[code] ?? UNREADABLE, () => socket.destroy());
    },
    /** Closes connections that are idle after an answer, and from now on each with its next one. */
    closeIdle(): void {
      isClosing = true;
      for (const [socket, bytes] of idle) if (bytes > 0 && socket.bytesRead === bytes) socket.destroy();
    },
  };
}

export const hasBody = (headers: IncomingHttpHeaders): boolean =>
  headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';

const UNREADABLE = toLastBytes(new RequestError(400, 'The request is malformed.'));

const ANSWERS: Readonly<Record<string, string>> = {
  ERR_HTTP_REQUEST_TIMEOUT: toLastBytes(
    new RequestError(408, 'The request did not arrive in time.', { code: 'REQUEST_TIMEOUT', retryable: true }),
  ),
  HPE_HEADER_OVERFLOW: toLastBytes(new RequestError(431, 'The request headers are too large.')),
};

/** Gives the first half of an IPv6 address, which one client's addresses have in common; any other address as it is. */
export function networkOf(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  return parsed instanceof ipaddr.IPv6 ? parsed.parts.slice(0, 4).join(':') : parsed.toString();
}
