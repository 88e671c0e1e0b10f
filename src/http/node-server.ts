import type { IncomingHttpHeaders, RequestListener } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import ipaddr from 'ipaddr.js';

import { RequestError, toLastBytes } from './errors.ts';

/** How many requests of one connection may be unanswered. Clients that pipeline send a few ahead, and browsers none. */
const MAX_UNANSWERED = 16;
/** How many bodies may arrive at a time, each of up to 256 kB. */
const MAX_ARRIVING = 256;

/** Limits for slow and idle clients, as Fastify and Node have them. */
export const CONNECTION_LIMITS = {
  /** Longer than the balancers in front keep an idle connection, so that none sends on one that is being closed. */
  keepAliveTimeout: 75_000,
  /** From the first byte of a request to the end of its body. */
  requestTimeout: 10_000,
  http: { headersTimeout: 5_000, connectionsCheckingInterval: 1_000 },
} as const;

/**
 * Bounds what clients may hold. When all connections are open, a new one takes the place of the one that has been idle for longest:
 * one without a whole request that is unanswered. When too many bodies arrive, the one that began first is given up. A connection
 * with too many unanswered requests is closed: Node parses whatever arrives, and drops a long queue of requests in quadratic time
 * when its client leaves.
 */
export function limitConnections({ server }: FastifyInstance, maxConnections: number): void {
  const unanswered = new WeakMap<Socket, number>();
  /** In the order in which they became idle. */
  const idle = new Set<Socket>();
  const arriving = new Set<Socket>();
  let open = 0;
  const closeFirst = (sockets: Set<Socket>): void => {
    const [first] = sockets;
    if (first === undefined) return;
    sockets.delete(first);
    first.destroy();
  };

  server.on('connection', (socket) => {
    open++;
    idle.add(socket);
    socket.once('close', () => {
      open--;
      idle.delete(socket);
      arriving.delete(socket);
    });
    if (open > maxConnections) closeFirst(idle.size > 0 ? idle : new Set([socket]));
  });

  const [listener] = server.listeners('request') as RequestListener[];
  server.removeAllListeners('request');
  server.on('request', (request, response) => {
    const { socket } = request;
    const count = (unanswered.get(socket) ?? 0) + 1;
    if (count > MAX_UNANSWERED) return void socket.destroy();
    unanswered.set(socket, count);
    response.on('close', () => {
      const left = (unanswered.get(socket) ?? 1) - 1;
      unanswered.set(socket, left);
      arriving.delete(socket);
      if (left === 0 && !socket.destroyed) idle.add(socket);
    });
    const markBusy = () => {
      arriving.delete(socket);
      if (unanswered.get(socket)) idle.delete(socket);
    };
    if (hasBody(request.headers)) {
      arriving.add(socket);
      request.once('end', markBusy);
      if (arriving.size > MAX_ARRIVING) closeFirst(arriving);
    } else markBusy();
    listener?.(request, response);
  });
}

const hasBody = (headers: IncomingHttpHeaders): boolean =>
  headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';

/** Answers a request that cannot be read. */
export function answerClientError({ code = '' }: Error & { readonly code?: string }, socket: Socket): void {
  if (!socket.writable || code === 'ECONNRESET') return void socket.destroy();
  socket.end(ANSWERS[code] ?? UNREADABLE, () => socket.destroy());
}

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
