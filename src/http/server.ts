import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { fastifyCompress } from '@fastify/compress';
import { type FastifyPluginAsync, fastify } from 'fastify';

import { type Config, type GatewayLimits, requestTimeoutOf } from '../config/config.ts';
import type { Settings } from '../config/settings.ts';
import type { Facts } from '../core/facts.ts';
import type { Log } from '../core/log.ts';
import { registerBrowserSecurity } from './browser-security.ts';
import { type CallerRoute, type CallerRoutesOptions, registerCallerRoutes } from './caller-routes.ts';
import { answerUnreadablePath, registerErrorHandlers, STANDARD_HEADERS } from './errors.ts';
import { createGraphqlRoute, type GraphqlRouteOptions, refuseOtherMethods } from './graphql-route.ts';
import { createHealth } from './health.ts';
import { CONNECTION_TIMES, createConnectionLimits } from './node-server.ts';
import { createOverloadLimit } from './overload.ts';
import { MAX_BODY_BYTES, parseBody } from './request-body.ts';
import { createShutdown, type ShutdownOptions } from './shutdown.ts';

interface HttpServerOptions
  extends Pick<GraphqlRouteOptions, 'graph' | 'documents' | 'observers' | 'answers'>,
    Pick<CallerRoutesOptions, 'authenticate' | 'takeRequest' | 'received'> {
  readonly config: Pick<Config, 'settings' | 'corsOrigins' | 'isTrustedProxy'>;
  readonly limits: GatewayLimits;
  /** Whether callers are told apart. */
  readonly hasCallers: boolean;
  readonly facts: Pick<Facts, 'readiness'>;
  readonly log: Log;
  /** Routes and hooks of features. */
  readonly plugins: readonly FastifyPluginAsync[];
  /** Routes of features for callers of the graph. */
  readonly routes: readonly CallerRoute[];
  /** Whether the playground is on: the API's address leads there, and clients may ask what their operations cost. */
  readonly isExplorable: boolean;
}

/** The gateway's HTTP server. */
export type HttpServer = Awaited<ReturnType<typeof createHttpServer>>;

const MAX_CONNECTIONS = 10_000;
/** The system may allow less. */
const BACKLOG = 1_024;
const COMPRESSED_FROM_BYTES = 1_024;
/** Room for the answer beyond the work that it waits for. */
const INACTIVITY_SLACK_MS = 10_000;

/** Creates the HTTP server, which does not listen yet. */
export async function createHttpServer(options: HttpServerOptions) {
  const { config, limits, facts, observers, log, isExplorable } = options;
  const { settings } = config;
  const requestTimeoutMs = requestTimeoutOf(settings, limits);
  const shutdown = createShutdown(shutdownTimes(settings, limits.shutdownMs), requestTimeoutMs);
  const overload = createOverloadLimit({ ...limits, hasCallers: options.hasCallers });
  const connections = createConnectionLimits(MAX_CONNECTIONS);
  const serveHealth = createHealth({ ...facts, isStopping: shutdown.isStopping });

  const app = fastify({
    ...CONNECTION_TIMES,
    bodyLimit: MAX_BODY_BYTES,
    // Nothing moves on a connection while its request is worked on: that is no reason to close it.
    connectionTimeout: requestTimeoutMs + settings.UPSTREAM_TIMEOUT_MS + INACTIVITY_SLACK_MS,
    clientErrorHandler: connections.answerClientError,
    frameworkErrors: answerUnreadablePath,
    forceCloseConnections: 'idle',
    // Requests that come while the gateway stops are served, and end their connection.
    return503OnClosing: false,
    // Fastify would take it from everybody.
    requestIdHeader: false,
    genReqId: createRequestIds(config.isTrustedProxy),
    // `request.ip` is then the client's, as trusted proxies say in `x-forwarded-for`.
    trustProxy: config.isTrustedProxy,
  });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, parseBody);

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
  // By then it is known whose request it is.
  app.addHook('preParsing', ({ caller, raw }, reply, payload, done) => {
    overload.receive(caller?.key, raw, reply.raw);
    done(null, payload);
  });
  app.addHook('onSend', ({ caller }, reply, payload, done) => {
    if (shutdown.isStopping()) reply.header('connection', 'close');
    overload.send(caller?.key, payload, reply.raw);
    done(null, payload);
  });

  registerErrorHandlers(app, log, observers);
  await registerBrowserSecurity(app, { ...config, isExplorable }, log);
  serveHealth(app);
  refuseOtherMethods(app);
  const graphqlRoute = createGraphqlRoute({ ...options, settings, isExplaining: isExplorable });
  await registerCallerRoutes(app, [graphqlRoute, ...options.routes], {
    ...options,
    maxCalls: settings.COST_MAX_CALLS,
    overload,
    begin: shutdown.begin,
  });
  for (const plugin of options.plugins) await app.register(plugin);

  connections.limit(app);
  return {
    /** Gives the address, without a path. */
    listen: () => app.listen({ port: settings.PORT, host: settings.HOST, backlog: BACKLOG }),
    /** Stops without losing a request. */
    close: () => shutdown.stop(app),
    /** Whether `close` was called. */
    isStopping: shutdown.isStopping,
    /** Serves health at another server as well. */
    serveHealth,
    /** How many requests are in flight, and how many may be. */
    load: overload.usage,
  };
}

/** How long a balancer may take to notice that a gateway is not ready, and the share of the shutdown that this may take. */
const NOTICE_MS = 5_000;
const NOTICE_SHARE = 0.2;

function shutdownTimes({ NODE_ENV }: Settings, timeoutMs: number): ShutdownOptions {
  return { delayMs: NODE_ENV === 'production' ? Math.min(NOTICE_MS, timeoutMs * NOTICE_SHARE) : 0, timeoutMs };
}

/** Letters, digits and a few signs: it stands in log lines and is sent on. */
const REQUEST_ID = /^[\w.:-]{8,128}$/;

/**
 * Gives ids to requests: the `x-request-id` of a trusted proxy, else a new one. From elsewhere none is accepted, since anyone
 * could send another's.
 *
 * @param isTrustedProxy is given the address of the sender.
 */
export function createRequestIds(isTrustedProxy: (address: string) => boolean): (request: IncomingMessage) => string {
  return ({ headers: { 'x-request-id': given }, socket: { remoteAddress } }) => {
    const isTaken =
      typeof given === 'string' &&
      REQUEST_ID.test(given) &&
      remoteAddress !== undefined &&
      isTrustedProxy(remoteAddress);
    return isTaken ? given : randomUUID();
  };
}
