import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { fastifyCompress } from '@fastify/compress';
import type { FastifyInstance, FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';

import type { CacheStore } from '../cache/store.ts';
import { type Config, type GatewayLimits, requestTimeoutOf } from '../config/config.ts';
import type { Facts } from '../core/facts.ts';
import type { Log } from '../core/log.ts';
import type { CurrentRequest, Observers } from '../core/observers.ts';
import { RequestState } from '../core/request-state.ts';
import { callerOf } from '../graphql/context.ts';
import { type Buckets, MINUTE_MS } from '../upstream/call-buckets.ts';
import type { Authenticate, Caller } from './auth/identity.ts';
import { registerBrowserSecurity } from './browser-security.ts';
import { limitExceeded, registerErrorHandlers, STANDARD_HEADERS } from './errors.ts';
import {
  type CallerRoute,
  createGraphqlRoute,
  type GraphqlRouteOptions,
  refuseOtherMethods,
} from './graphql-route.ts';
import { createHealth } from './health.ts';
import { listenAt } from './listen.ts';
import { createServer } from './node-server.ts';
import { OVERLOADED, type OverloadLimit } from './overload.ts';
import { MAX_BODY_BYTES, parseBody } from './request-body.ts';
import type { Shutdown } from './shutdown.ts';

declare module 'fastify' {
  interface FastifyInstance {
    /** Authenticates a request for the graph, for routes outside its limits. */
    readonly authenticate: Authenticate;
  }
  interface FastifyRequest {
    /** The sender of a request for the graph. */
    caller?: Caller | undefined;
    /** The observed request for the graph. */
    current?: CurrentRequest | undefined;
  }
  interface FastifyContextConfig {
    /** Whether pages of other sites are refused. */
    readonly isForCallers?: boolean;
  }
}

interface HttpServerOptions extends GraphqlRouteOptions {
  readonly corsOrigins: Config['corsOrigins'];
  readonly isTrustedProxy: Config['isTrustedProxy'];
  readonly authenticate: Authenticate;
  readonly limits: GatewayLimits;
  /** The limit on requests in flight. */
  readonly overload: OverloadLimit;
  /** Ends the work of requests. */
  readonly shutdown: Shutdown;
  /** Counts the bytes that the operations of all callers receive. */
  readonly store: Pick<CacheStore, 'received'>;
  readonly facts: Pick<Facts, 'readiness'>;
  /** The request limits of callers. */
  readonly callBuckets: Buckets;
  readonly log: Log;
  /** Routes and hooks of features. */
  readonly plugins: readonly FastifyPluginAsync[];
  /** Routes of features for callers of the graph. */
  readonly routes: readonly CallerRoute[];
  /**
   * Whether the playground is enabled. The API's URL then redirects to it, and clients may request
   * explanations.
   */
  readonly isExplorable: boolean;
}

const MAX_CONNECTIONS = 10_000;
/** The system may have a lower limit. */
const BACKLOG = 1_024;
const COMPRESSED_FROM_BYTES = 1_024;
/**
 * The longest compressed response. gzip takes up to 30 ms per MB, so a longer one would take too
 * much CPU time.
 */
const COMPRESSED_TO_BYTES = 4_194_304;
/** The time for writing the response after its work. */
const INACTIVITY_SLACK_MS = 10_000;

/** Creates the HTTP server. It does not listen yet. */
export async function createHttpServer(options: HttpServerOptions) {
  const { settings, limits, overload, shutdown, facts, observers, log, isTrustedProxy } = options;
  const requestTimeoutMs = requestTimeoutOf(settings, limits);
  const serveHealth = createHealth(facts.readiness, shutdown.isStopping);

  const { app, server } = createServer(MAX_CONNECTIONS, {
    bodyLimit: MAX_BODY_BYTES,
    // A connection is silent while its request is processed. It must not be closed then.
    connectionTimeout: requestTimeoutMs + settings.UPSTREAM_TIMEOUT_MS + INACTIVITY_SLACK_MS,
    forceCloseConnections: 'idle',
    // Requests that arrive during shutdown are served, and their connection is closed.
    return503OnClosing: false,
    // Fastify would accept the header from everyone.
    requestIdHeader: false,
    genReqId: createRequestIds(isTrustedProxy),
    // With trusted proxies, `request.ip` is the client's address from `x-forwarded-for`.
    trustProxy: isTrustedProxy,
  });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, parseBody);

  // Hooks run for every request. An async hook would delay each one by a promise.
  app.addHook('onRequest', (request, reply, done) => {
    reply.headers({ ...STANDARD_HEADERS, 'x-request-id': request.id });
    done();
  });
  await app.register(fastifyCompress, {
    threshold: COMPRESSED_FROM_BYTES,
    encodings: ['br', 'gzip'],
    globalDecompression: false,
  });
  // The caller is known at this point.
  app.addHook('preParsing', ({ caller, raw }, reply, payload, done) => {
    overload.receive(caller?.key, raw, reply.raw);
    done(null, payload);
  });
  app.addHook('onSend', ({ caller, headers }, reply, payload, done) => {
    if (shutdown.isStopping()) reply.header('connection', 'close');
    overload.send(caller?.key, payload, reply.raw);
    if (typeof payload === 'string' && Buffer.byteLength(payload) > COMPRESSED_TO_BYTES) {
      headers['x-no-compression'] = 'true';
    }
    done(null, payload);
  });

  registerErrorHandlers(app, log, observers);
  await registerBrowserSecurity(app, options);
  serveHealth(app);
  refuseOtherMethods(app);
  app.decorate('authenticate', options.authenticate);
  await registerCallerRoutes(app, options);
  for (const plugin of options.plugins) await app.register(plugin);

  return {
    /** Starts to listen. Returns the URL without a path. */
    listen: () =>
      listenAt('PORT', settings.HOST, (host) =>
        app.listen({ port: settings.PORT, host, backlog: BACKLOG }),
      ),
    /** Stops without losing a request. */
    close: () => shutdown.stop(app, server),
    /** Adds the health routes to another server. */
    serveHealth,
  };
}

/**
 * Registers the GraphQL route and the routes of features. Their requests are authenticated, counted
 * per caller, limited by `overload`, and observed.
 */
async function registerCallerRoutes(
  app: FastifyInstance,
  options: HttpServerOptions,
): Promise<void> {
  const { settings, authenticate, overload, shutdown, store, observers, callBuckets, routes } =
    options;
  const { COST_MAX_CALLS: maxCalls, CALLER_REQUESTS_PER_MINUTE: requests } = settings;
  await app.register(async (authenticated) => {
    authenticated.decorateRequest('caller', undefined);
    authenticated.decorateRequest('current', undefined);
    authenticated.addHook('onRequest', (request, reply, done) => {
      request.current = follow(request, reply, observers);
      if (overload.isFull()) throw OVERLOADED;
      done();
    });
    // A request is authenticated before anything else of it is read or counted.
    authenticated.addHook('onRequest', (request, reply, done) => {
      const admit = (caller: Caller) => {
        request.caller = caller;
        if (caller.refusedFor) observers.callerRefused(caller.refusedFor, request.current?.ids);
      };
      const caller = authenticate(request, reply);
      if (caller instanceof Promise) return void caller.then(admit).then(() => done(), done);
      admit(caller);
      done();
    });
    if (requests)
      authenticated.addHook('preParsing', ({ caller }) =>
        countRequest(requests, callBuckets, caller?.key),
      );
    for (const { handle, ...route } of [createGraphqlRoute(options), ...routes]) {
      authenticated.route({
        ...route,
        config: { isForCallers: true },
        async handler(request, reply) {
          const { caller, current } = request;
          if (caller === undefined || current === undefined)
            throw new Error('The request was not authenticated.');
          const { key, scope, session } = caller;
          // The slot is acquired after the body has arrived. Otherwise slow clients would use up
          // all slots.
          const release = overload.acquire(key);
          current.who = callerOf(scope, session);
          const requestState = new RequestState({
            maxCalls,
            received: store.received,
            caller: key,
            callerName: scope.caller,
          });
          const end = shutdown.begin(requestState, reply.raw);
          try {
            return await observers.run(current, () =>
              handle(request, reply, { caller, current, requestState }),
            );
          } finally {
            observers.ended(current);
            end();
            requestState.finish();
            release();
          }
        },
      });
    }
  });
}

const REQUESTS = { of: 'caller', per: 'minute' } as const;

/**
 * Counts a request of a caller. A caller may send a minute's requests at once; the bucket then
 * refills evenly.
 *
 * @throws {RequestError} 429 if the limit is exceeded.
 */
async function countRequest(
  max: number,
  buckets: Buckets,
  caller: string | undefined,
): Promise<void> {
  if (caller === undefined) return;
  const bucket = {
    name: `requests:${caller}`,
    limit: REQUESTS,
    max,
    least: 0,
    callsPerMs: max / MINUTE_MS,
  };
  const shortage = await buckets.take([bucket]);
  if (shortage) throw limitExceeded(shortage);
}

/** Starts to observe a request until its response is sent. */
function follow(
  { id, headers, method }: FastifyRequest,
  { raw }: FastifyReply,
  observers: Observers,
): CurrentRequest {
  const current = observers.begin({ requestId: id, headers, method });
  if (observers.hasResponse) {
    raw.once('close', () =>
      observers.response(raw.writableFinished ? raw.statusCode : undefined, current),
    );
  }
  return current;
}

/** Only safe characters, because the id is logged and sent on. */
const REQUEST_ID = /^[\w.:-]{8,128}$/;

/**
 * Creates the function that returns a request's id: the `x-request-id` of a trusted proxy,
 * otherwise a new one. Other clients could send an id that is not theirs.
 *
 * @param isTrustedProxy returns whether the sender's address is a trusted proxy.
 */
export function createRequestIds(
  isTrustedProxy: (address: string) => boolean,
): (request: IncomingMessage) => string {
  return ({ headers: { 'x-request-id': given }, socket: { remoteAddress = '' } }) => {
    const isTaken =
      typeof given === 'string' && REQUEST_ID.test(given) && isTrustedProxy(remoteAddress);
    return isTaken ? given : randomUUID();
  };
}
