import { fastifyCompress } from '@fastify/compress';
import { fastify } from 'fastify';

import type { Log } from '../telemetry/log.ts';
import { type BrowserOptions, registerBrowserSecurity } from './browser-security.ts';
import { registerErrorHandlers, STANDARD_HEADERS } from './errors.ts';
import { type GraphqlRouteOptions, registerGraphqlRoute } from './graphql-route.ts';
import { type HealthOptions, registerHealth } from './health.ts';
import { createNodeServer, type NodeServer } from './node-server.ts';
import { createOverloadLimit, createUnsentLimit, type OverloadLimit } from './overload.ts';
import { type PlaygroundOptions, registerPlayground } from './playground.ts';
import { createBodyParser } from './request-body.ts';
import { requestIdOf } from './request-origin.ts';
import { createShutdown, type ShutdownOptions } from './shutdown.ts';

/** What the HTTP server is made of. */
export interface HttpServerOptions {
  readonly graphql: GraphqlRouteOptions;
  readonly health: Pick<HealthOptions, 'checkReady' | 'isSharing' | 'leftOut'>;
  readonly browsers: Omit<BrowserOptions, 'isExplorable'>;
  readonly maxConcurrentRequests: number;
  /** The deadline of one GraphQL request. */
  readonly requestTimeoutMs: number;
  /** The longest time in which nothing moves on a connection whose request is worked on. */
  readonly inactivityTimeoutMs: number;
  readonly shutdown: ShutdownOptions;
  readonly log: Log;
  /** Gets the code of each request that is refused before an operation runs. */
  readonly onRefusal?: ((code: string) => void) | undefined;
  /** Absent where the playground is off. */
  readonly playground?: PlaygroundOptions | undefined;
}

/** The gateway's HTTP server. */
export interface HttpServer {
  /** Gives the address, without a path. */
  listen(where: { readonly port: number; readonly host: string }): Promise<string>;
  /** Stops without losing a request. */
  close(): Promise<void>;
  /** How many requests are in flight, how many may be, and how late the event loop is. */
  load(): ReturnType<OverloadLimit['usage']> & { readonly delayMs: number };
}

const MAX_CONNECTIONS = 10_000;
/** How many connections the system holds until they are accepted; it may allow less. */
const BACKLOG = 4_096;
const COMPRESSED_FROM_BYTES = 1_024;

/** Makes the HTTP server. It listens when told to. */
export async function createHttpServer(options: HttpServerOptions): Promise<HttpServer> {
  const { graphql, health, browsers, log, playground } = options;
  const shutdown = createShutdown(options.shutdown, options.requestTimeoutMs);
  const overload = createOverloadLimit(options.maxConcurrentRequests, options.onRefusal);
  const unsent = createUnsentLimit();
  let node: NodeServer | undefined;

  const app = fastify({
    serverFactory(listener) {
      node = createNodeServer(shutdown.watch(overload.guard(listener)), {
        maxConnections: MAX_CONNECTIONS,
        inactivityTimeoutMs: options.inactivityTimeoutMs,
        onClosed(response) {
          shutdown.closed(response);
          overload.release(response.req);
          unsent.remove(response);
        },
      });
      return node.server;
    },
    clientErrorHandler: (error, socket) => node?.answerClientError(error, socket),
    forceCloseConnections: 'idle',
    // Requests that come while the gateway stops are served, and end their connection.
    return503OnClosing: false,
    // Fastify would take it from everybody.
    requestIdHeader: false,
    genReqId: requestIdOf,
  });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', createBodyParser());

  // Hooks run for every request: one that returns a promise would let each wait for nothing.
  app.addHook('onRequest', (request, reply, done) => {
    reply.headers({ ...STANDARD_HEADERS, 'x-request-id': request.id });
    done();
  });
  await app.register(fastifyCompress, {
    threshold: COMPRESSED_FROM_BYTES,
    encodings: ['br', 'gzip'],
    globalDecompression: false,
  });
  app.addHook('preValidation', (request, _reply, done) => {
    overload.acquire(request.raw);
    done();
  });
  app.addHook('onSend', (request, reply, payload, done) => {
    overload.release(request.raw);
    if (shutdown.isStopping()) reply.header('connection', 'close');
    if (typeof payload === 'string' || Buffer.isBuffer(payload)) unsent.add(reply.raw, payload.length);
    done(null, payload);
  });

  registerErrorHandlers(app, log, options.onRefusal);
  await registerBrowserSecurity(app, { ...browsers, isExplorable: playground !== undefined }, log);
  registerHealth(app, { ...health, isStopping: shutdown.isStopping, delayMs: overload.delayMs });
  await registerGraphqlRoute(app, { ...graphql, withSignal: shutdown.withSignal });
  if (playground) await registerPlayground(app, playground);

  return {
    listen: (where) => app.listen({ ...where, backlog: BACKLOG }),
    close: () => shutdown.stop(app),
    load: () => ({ delayMs: overload.delayMs(), ...overload.usage() }),
  };
}
