import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type RequestListener, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createSocket, type Server as ListeningSocket, type Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import ipaddr from 'ipaddr.js';

import { FairShare } from '../core/open-items.ts';
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
/**
 * Connections of one address, or of one network of IPv6: many people may share one. Less than the 1,024 events that libuv takes
 * from the system at once: where so many connections are readable, it reads again and again before it accepts.
 */
const MAX_CONNECTIONS_OF_ONE = 512;

interface NodeServerOptions {
  /** When they are all open, a new one takes the place of the one that has been idle for longest. */
  readonly maxConnections: number;
  /** Proxies have the connections of all their clients, so theirs are not bounded by address. */
  readonly isTrustedProxy?: (address: string) => boolean;
  /** How long nothing may move on a connection, in milliseconds. Longer than any request is worked on. */
  readonly inactivityTimeoutMs: number;
}

/** A server, and how it answers requests that cannot be read. */
export type NodeServer = ReturnType<typeof createNodeServer>;

/**
 * Makes an HTTP server with limits for slow, idle and pipelining clients. A connection is idle unless a whole request of it is
 * unanswered. One with too many unanswered requests is closed: Node parses whatever arrives, and drops a long queue of requests
 * in quadratic time when its client leaves.
 */
export function createNodeServer(
  listener: RequestListener,
  { maxConnections, isTrustedProxy, inactivityTimeoutMs }: NodeServerOptions,
) {
  const unanswered = new WeakMap<Socket, ServerResponse[]>();
  /** In the order in which they became idle. */
  const idle = new Set<Socket>();
  const open = new FairShare(maxConnections, MAX_CONNECTIONS_OF_ONE);
  let refusedConnections = 0;

  const limitConnections = (socket: Socket): void => {
    // A client that has left already has no address.
    const { remoteAddress = '' } = socket;
    const network = isTrustedProxy?.(remoteAddress) ? undefined : networkOf(remoteAddress);
    if (network !== undefined && open.of(network) >= MAX_CONNECTIONS_OF_ONE) {
      refusedConnections++;
      return void socket.destroy();
    }
    open.add(network, 1);
    idle.add(socket);
    socket.once('close', () => {
      open.add(network, -1);
      idle.delete(socket);
    });
    if (open.total <= maxConnections) return;
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
    /** How many connections are open. */
    connections: () => open.total,
    /** How many connections were closed at once, since their address had too many. */
    refusedConnections: () => refusedConnections,
    answerClientError({ code = '' }: Error & { readonly code?: string }, socket: Socket): void {
      const responses = unanswered.get(socket) ?? [];
      const complete = responses.filter(({ req }) => req.complete);
      if (!socket.writable || code === 'ECONNRESET') return void socket.destroy();
      // What cannot be read follows requests that could be: these get their answers, and are the last.
      if (complete.length > 0) return void complete.forEach(makeLast);
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

/** Gives the first half of an IPv6 address, which one client's addresses have in common; any other address as it is. */
export function networkOf(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  return parsed instanceof ipaddr.IPv6 ? parsed.parts.slice(0, 4).join(':') : parsed.toString();
}

/** How many sockets listen on the port. Node accepts one connection of each in a turn of the event loop. */
const SOCKETS = 64;
/**
 * How many connections the system holds for each socket until they are accepted. A longer queue fills with connections of
 * clients who have given up.
 */
const BACKLOG = 16;
/** The same where only one socket can listen; the system may allow less. */
const BACKLOG_OF_ONE = 4_096;
const SHARED = { backlog: BACKLOG, reusePort: true };

interface Address {
  /** 0 stands for any that is free. */
  readonly port: number;
  readonly host: string;
}

/** The sockets that listen for a server. */
export type ListeningSockets = ReturnType<typeof createListeningSockets>;

/**
 * Makes a server accept connections on many sockets, among which Linux distributes them (`SO_REUSEPORT`). Other systems have
 * one socket.
 */
export function createListeningSockets(app: FastifyInstance) {
  const others: ListeningSocket[] = [];

  const listenOnOthers = async ({ port, address: host }: AddressInfo): Promise<void> => {
    // As Node's HTTP server sets its own sockets.
    const options = { allowHalfOpen: true, noDelay: true };
    while (others.length < SOCKETS - 1) {
      others.push(createSocket(options, (socket) => app.server.emit('connection', socket)));
    }
    await Promise.all(others.map((other) => once(other.listen({ ...SHARED, port, host }), 'listening')));
  };

  return {
    /** Resolves to the address, without a path. */
    async listen(address: Address): Promise<string> {
      if (process.platform !== 'linux') return app.listen({ ...address, backlog: BACKLOG_OF_ONE });
      if (address.port !== 0) await assertFree(address);
      const url = await app.listen({ ...address, ...SHARED });
      await listenOnOthers(app.server.address() as AddressInfo);
      return url;
    },
    /** Closes one of them, and gives whether others listen still. The system resets the connections that it has not accepted. */
    closeOne(): boolean {
      const socket = others.pop() ?? app.server;
      socket.close();
      return socket !== app.server;
    },
  };
}

/**
 * With `reusePort` two programs of one user could listen on the same port, and each would get a part of the connections.
 *
 * @throws {Error} `EADDRINUSE` when a program listens on the port.
 */
async function assertFree(address: Address): Promise<void> {
  const probe = createSocket();
  await once(probe.listen(address), 'listening');
  probe.close();
}

/**
 * Begins the first request of a connection two turns of the event loop after its arrival, unless its client has left by then.
 * Node accepts a connection in one turn, reads its request in the next, and notices in the one after that its client has left.
 */
export function dropAbandoned(listener: RequestListener): RequestListener {
  /** The requests that have arrived on a connection and wait, in order. */
  const waiting = new WeakMap<Socket, 'begun' | (() => void)[]>();

  return (request, response) => {
    const { socket } = request;
    const requests = waiting.get(socket);
    if (requests === 'begun') return listener(request, response);
    const begin = () => listener(request, response);
    if (requests) return void requests.push(begin);
    const arrived = [begin];
    waiting.set(socket, arrived);
    setImmediate(() =>
      setImmediate(() => {
        waiting.set(socket, 'begun');
        if (socket.destroyed || socket.readableEnded) return;
        for (const beginNext of arrived) beginNext();
      }),
    );
  };
}
