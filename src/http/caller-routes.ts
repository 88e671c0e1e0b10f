import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify';

import type { Settings } from '../config/settings.ts';
import type { CurrentRequest, Observers } from '../core/observers.ts';
import { type ReceivedBytes, Work } from '../core/work.ts';
import { callerOf } from '../graphql/context.ts';
import { type Buckets, MINUTE_MS } from '../upstream/call-buckets.ts';
import type { Authenticate, Caller } from './auth/identity.ts';
import { limitExceeded } from './errors.ts';
import { OVERLOADED, type OverloadLimit } from './overload.ts';
import type { Shutdown } from './shutdown.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Who sends a request for the graph. */
    caller?: Caller | undefined;
    /** A request for the graph, as it is followed through its work. */
    current?: CurrentRequest | undefined;
  }
  interface FastifyContextConfig {
    /** Whether pages of other sites are refused. */
    readonly isForCallers?: boolean;
  }
}

/** A route for those who may call the graph. */
export interface CallerRoute extends Pick<RouteOptions, 'method' | 'url' | 'onSend'> {
  handle(
    request: FastifyRequest,
    reply: FastifyReply,
    arrived: { readonly caller: Caller; readonly current: CurrentRequest; readonly work: Work },
  ): Promise<unknown>;
}

type TakeRequest = (caller: string) => ReturnType<Buckets['take']>;

/** The steps that every request of a caller goes through. */
export interface CallerRoutesOptions extends Pick<Shutdown, 'begin'> {
  readonly authenticate: Authenticate;
  /** Takes one request of a caller. Gives 0, or how long until there is one, in milliseconds; `undefined` without a limit. */
  readonly takeRequest: TakeRequest | undefined;
  /** How many calls to the platform an operation may make. */
  readonly maxCalls: number;
  /** What the operations of all callers have received. */
  readonly received: ReceivedBytes;
  readonly observers: Observers;
  readonly overload: Pick<OverloadLimit, 'isFull' | 'acquire'>;
}

/** Adds routes whose requests are authenticated, counted for their caller, within the overload limit, and observed. */
export async function registerCallerRoutes(
  app: FastifyInstance,
  routes: readonly CallerRoute[],
  { authenticate, takeRequest, maxCalls, received, observers, overload, begin }: CallerRoutesOptions,
): Promise<void> {
  await app.register(async (authenticated) => {
    authenticated.decorateRequest('caller', undefined);
    authenticated.decorateRequest('current', undefined);
    authenticated.addHook('onRequest', (request, reply, done) => {
      request.current = follow(request, reply, observers);
      if (overload.isFull()) throw OVERLOADED;
      done();
    });
    // Nothing of a request is read or counted before it is known whose it is.
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
    if (takeRequest) authenticated.addHook('preParsing', ({ caller }) => countRequest(takeRequest, caller?.key));
    for (const { handle, ...route } of routes) {
      authenticated.route({
        ...route,
        config: { isForCallers: true },
        async handler(request, reply) {
          const { caller, current } = request;
          if (caller === undefined || current === undefined) throw new Error('The request was not authenticated.');
          // Only now: while a body arrives, its request does not count, or slow clients would take all permits.
          const release = overload.acquire(caller.key);
          current.who = callerOf(caller.scope, caller.session);
          const work = new Work({ maxCalls, received, caller: caller.key, callerName: caller.scope.caller });
          const end = begin(work, reply.raw);
          try {
            return await observers.run(current, () => handle(request, reply, { caller, current, work }));
          } finally {
            observers.ended(current);
            end();
            work.finish();
            release();
          }
        },
      });
    }
  });
}

/** @throws {RequestError} 429 for a caller who has sent too many requests within a minute. */
async function countRequest(takeRequest: TakeRequest, caller: string | undefined): Promise<void> {
  if (caller === undefined) return;
  const shortage = await takeRequest(caller);
  if (shortage) throw limitExceeded(shortage);
}

/** Begins to follow a request, until its response is sent. */
function follow({ id, headers, method }: FastifyRequest, { raw }: FastifyReply, observers: Observers): CurrentRequest {
  const current = observers.begin({ requestId: id, headers, method });
  if (observers.hasResponse) {
    raw.once('close', () => observers.response(raw.writableFinished ? raw.statusCode : undefined, current));
  }
  return current;
}

const REQUESTS = { of: 'caller', per: 'minute' } as const;

/** Each caller may send the requests of a minute at once; then they come back evenly. */
export function createRequestLimit({ CALLER_REQUESTS_PER_MINUTE: limit }: Settings, buckets: Buckets) {
  if (limit === undefined) return undefined;
  const ofCaller = { limit: REQUESTS, max: limit, least: 0, callsPerMs: limit / MINUTE_MS };
  return (caller: string) => buckets.take([{ name: `requests:${caller}`, ...ofCaller }]);
}
