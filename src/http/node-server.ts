import {
  type IncomingHttpHeaders,
  type IncomingMessage,
  type RequestListener,
  Server,
} from 'node:http';
import type { Socket } from 'node:net';
import { type FastifyInstance, type FastifyServerOptions, fastify } from 'fastify';
import ipaddr from 'ipaddr.js';

import { answerUnreadablePath, RequestError, toLastBytes } from './errors.ts';

/**
 * The highest number of unanswered requests per connection. Clients that pipeline send a few ahead,
 * browsers do not.
 */
const MAX_UNANSWERED = 16;

/** The timeouts for slow and idle clients, in milliseconds. */
const CONNECTION_TIMES = {
  /**
   * Longer than the idle timeout of the balancers in front, so that they do not use a connection
   * that is being closed.
   */
  keepAliveTimeout: 75_000,
  /** From the first byte of a request to the end of its body. */
  requestTimeout: 10_000,
  headersTimeout: 5_000,
  connectionsCheckingInterval: 1_000,
};

/**
 * When Node has closed a connection without any request. Node does not close it while the server
 * closes, and browsers open connections in advance.
 */
const UNUSED_MS = CONNECTION_TIMES.headersTimeout + CONNECTION_TIMES.connectionsCheckingInterval;

interface ServerOptions extends FastifyServerOptions {
  /** The idle timeout of connections, in milliseconds. */
  readonly connectionTimeout: number;
}

/** A Fastify application and its HTTP server, before it listens. */
interface CreatedServer {
  readonly app: FastifyInstance;
  readonly server: LimitedServer;
}

/** Creates a server with limits on its connections. */
export function createServer(maxConnections: number, options: ServerOptions): CreatedServer {
  const limits = createConnectionLimits(maxConnections);
  const app = fastify({
    clientErrorHandler: limits.answerClientError,
    frameworkErrors: answerUnreadablePath,
    serverFactory: (handler) => new LimitedServer(limits, handler, options.connectionTimeout),
    ...options,
  });
  return { app, server: app.server as LimitedServer };
}

/**
 * Node's HTTP server with limits on its connections. It can hold requests while its port is closed.
 */
export class LimitedServer extends Server {
  readonly #limits: ConnectionLimits;
  readonly #handler: RequestListener;
  #held: Parameters<RequestListener>[] | undefined;

  constructor(limits: ConnectionLimits, handler: RequestListener, connectionTimeoutMs: number) {
    super(CONNECTION_TIMES);
    this.#limits = limits;
    this.#handler = handler;
    this.setTimeout(connectionTimeoutMs);
    this.on('connection', limits.limitConnections);
    this.on('request', limits.limitPipelining(this.#holdOrHandle));
  }

  readonly #holdOrHandle: RequestListener = (request, response) => {
    if (this.#held) this.#held.push([request, response]);
    else this.#handler(request, response);
  };

  /**
   * Holds requests that arrive from now on. Returns the function that handles them and ends the
   * holding.
   */
  holdRequests(): () => void {
    const held: Parameters<RequestListener>[] = [];
    this.#held = held;
    return () => {
      this.#held = undefined;
      for (const [request, response] of held) this.#handler(request, response);
    };
  }

  /**
   * Closes idle connections when the server closes. Node treats a connection as idle once its
   * response is written, which would cut the response of a slow client.
   */
  override closeIdleConnections(): void {
    this.#limits.closeIdle();
  }
}

/** The limits of a server's connections. */
interface ConnectionLimits {
  /** Counts a new connection, and closes the one that has been idle longest if all are in use. */
  limitConnections(socket: Socket): void;
  /** Returns a listener that limits the unanswered requests of a connection. */
  limitPipelining(listener: RequestListener): RequestListener;
  /** Answers an unreadable request. Earlier requests of the connection are answered first. */
  answerClientError(error: Error & { readonly code?: string }, socket: Socket): void;
  /**
   * Closes connections that are idle after a response, and from now on each one after its next
   * response.
   */
  closeIdle(): void;
}

/**
 * Creates the limits of a server's connections. If all are in use, a new connection replaces the
 * one that has been idle longest. Idle means without a complete unanswered request. A connection
 * with too many unanswered requests is closed, because Node parses everything that arrives, and
 * drops a long queue in quadratic time when the client disconnects.
 */
function createConnectionLimits(maxConnections: number): ConnectionLimits {
  const unanswered = new WeakMap<Socket, Set<IncomingMessage>>();
  const unreadable = new WeakSet<Socket>();
  /**
   * Idle connections in the order in which they became idle, with the bytes received until then.
   */
  const idle = new Map<Socket, number>();
  let open = 0;
  let isClosing = false;
  const closeUnused = (socket: Socket): void => {
    if (isClosing && socket.bytesRead === 0) socket.destroy();
  };

  return {
    limitConnections(socket) {
      open++;
      idle.set(socket, 0);
      unanswered.set(socket, new Set());
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
      (listener): RequestListener =>
      (request, response) => {
        const { socket } = request;
        const requests = unanswered.get(socket);
        if (requests === undefined || requests.size >= MAX_UNANSWERED) {
          socket.destroy();
          return;
        }
        requests.add(request);
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
    answerClientError({ code = '' }, socket) {
      if (!socket.writable || code === 'ECONNRESET') {
        socket.destroy();
        return;
      }
      const requests = [...(unanswered.get(socket) ?? [])];
      if (requests.some(({ complete }) => complete)) unreadable.add(socket);
      else socket.end(ANSWERS[code] ?? UNREADABLE, () => socket.destroy());
    },
    closeIdle() {
      isClosing = true;
      for (const [socket, bytes] of idle) {
        if (bytes > 0 && socket.bytesRead === bytes) socket.destroy();
      }
    },
  };
}

export const hasBody = (headers: IncomingHttpHeaders): boolean =>
  headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';

const UNREADABLE = toLastBytes(new RequestError(400, 'The request is malformed.'));

const ANSWERS: Readonly<Record<string, string>> = {
  ERR_HTTP_REQUEST_TIMEOUT: toLastBytes(
    new RequestError(408, 'The request did not arrive in time.', {
      code: 'REQUEST_TIMEOUT',
      retryable: true,
    }),
  ),
  HPE_HEADER_OVERFLOW: toLastBytes(new RequestError(431, 'The request headers are too large.')),
};

/**
 * Returns the first half of an IPv6 address, which is the same for all addresses of one client.
 * Returns any other address unchanged.
 */
export function networkOf(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  return parsed instanceof ipaddr.IPv6 ? parsed.parts.slice(0, 4).join(':') : parsed.toString();
}
