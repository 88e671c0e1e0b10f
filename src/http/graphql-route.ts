import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import type { HTTPGraphQLResponse } from '@apollo/server';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { GraphQLFormattedError } from 'graphql';
import Negotiator from 'negotiator';

import type { RequestStats } from '../cache/stats.ts';
import type { Settings } from '../config/settings.ts';
import { failureOfAbort } from '../core/errors.ts';
import type { ClientName, Observers, OperationReport } from '../core/observers.ts';
import { type GraphqlServer, type SchemaManager, statusFor } from '../graphql/apollo-server.ts';
import { createContext, type Explain, type OperationContext } from '../graphql/context.ts';
import { withIds } from '../graphql/errors.ts';
import { findTextExcess } from '../graphql/limits.ts';
import {
  type OperationAnswer,
  type PreparedOperation,
  type Refusal,
  runOperation,
  wordAnswer,
} from '../graphql/operations.ts';
import type { PersistedDocuments } from '../graphql/persisted-documents.ts';
import { pageSizes } from '../graphql/relay.ts';
import type { Identity } from './auth/identity.ts';
import type { CallerRequest, CallerRoute } from './caller-routes.ts';
import { RequestError } from './errors.ts';
import { type GraphqlRequest, type OperationParameters, readGraphqlRequest } from './request-body.ts';

/** An operation that has arrived, and may be a subscription. Nothing of it has run. */
export interface SubscriptionRequest extends Pick<Run, 'server' | 'request' | 'reply' | 'context'> {
  readonly identity: Identity;
  readonly text: string;
  readonly operation: OperationParameters;
  /** Runs it once, as the query of the same selection, and gives the answer as it would be sent. */
  run(): Promise<{ readonly body: string; readonly report: OperationReport | undefined }>;
}

/**
 * Answers a subscription: by a stream of results, or by a body where it is refused; `undefined` for any other operation.
 *
 * @throws {RequestError} 406 where `Accept` takes no stream.
 */
export type Subscribe = (subscription: SubscriptionRequest) => Promise<Readable | string> | undefined;

/** What the GraphQL route is made of. */
export interface GraphqlRouteOptions {
  readonly settings: Settings;
  /** Started already. */
  readonly graph: SchemaManager;
  readonly documents: PersistedDocuments;
  readonly observers: Observers;
  /** Absent where no feature offers subscriptions. */
  readonly subscribe?: Subscribe | undefined;
  /** Whether clients may ask what their operations cost. */
  readonly isExplaining: boolean;
}

/** Serves GraphQL over HTTP at `/graphql`: queries by GET and POST, mutations by POST. */
export const createGraphqlRoute = (options: GraphqlRouteOptions): CallerRoute => ({
  method: ['GET', 'POST'],
  url: '/graphql',
  handle: createHandler(options),
});

/** Refuses all other methods, whoever sends them. */
export function refuseOtherMethods(app: FastifyInstance): void {
  app.route({
    method: ['PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE'],
    url: '/graphql',
    handler: () => {
      throw new RequestError(405, 'Send GraphQL requests by GET or POST.', { headers: { allow: 'GET, POST' } });
    },
  });
}

function createHandler(options: GraphqlRouteOptions): CallerRoute['handle'] {
  const { settings, graph, documents, observers, subscribe, isExplaining } = options;
  const { COST_MAX_CALLS: maxCalls, CACHE_CONTROL: cachePolicy } = settings;
  const pages = pageSizes(settings);

  return async (request, reply, caller) => {
    const { current } = caller;
    const { scope, session, clearRefusedCookie } = caller.identity;
    const { ids } = current;
    const server = graph.current();
    const given = readGraphqlRequest(request);
    const { text, onValid } = documents.find(given, ids);
    const explain = readExplain(request.headers, isExplaining);
    const client = clientOf(request.headers);
    const context = createContext({
      ids,
      client,
      work: caller.work,
      scope,
      session,
      pages,
      maxCalls,
      onValid,
      onAnswered: (answered) => {
        run.report = answered;
      },
      explain,
    });
    const { stats } = context;
    const type = mediaTypeFor(request.headers.accept);
    const run: Run = { request, reply, server, given, text, type, context, report: undefined };
    let body: Readable | string;
    try {
      const prepared = findPrepared(run);
      const { variables = {} } = given.operation ?? {};
      body = prepared
        ? applyPrepared(await runOperation(prepared, variables, context), prepared, run)
        : await runUnusual(run, subscribe, caller.identity);
    } finally {
      stats.end();
    }
    const { report } = run;
    clearRefusedCookie?.();
    if (report) observers.operation(report, current);
    // So that balancers send it elsewhere.
    if (isStopped(report, caller)) reply.code(503).header('retry-after', '1');
    const isWhole = report?.outcome === 'ok' && stats.stale.length === 0;
    return isWhole && typeof body === 'string'
      ? withCacheHeaders(body, { request, reply, policy: cachePolicy, stats })
      : body;
  };
}

/** One GraphQL request, about to run. */
interface Run {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly server: GraphqlServer;
  readonly given: GraphqlRequest;
  /** The document's; `undefined` where the request names none. */
  readonly text: string | undefined;
  /** The content type of the answer, where `Accept` leaves no doubt. */
  readonly type: string | undefined;
  readonly context: OperationContext;
  /** What became of the operation; `undefined` until it was answered, and where there was none. */
  report: OperationReport | undefined;
}

/** Gives the operation that Apollo Server has admitted before; `undefined` where it has to look at the request. */
function findPrepared({ request, server, given, text, type, context }: Run): PreparedOperation | undefined {
  const { operation } = given;
  if (context.explain || type === undefined || operation === undefined || text === undefined) return undefined;
  const prepared = server.prepared.get(text, operation.operationName);
  const isOther = request.method === 'GET' ? prepared?.kind !== 'query' : prepared?.kind === 'subscription';
  return isOther ? undefined : prepared;
}

/** Runs what is not prepared; a subscription is left to the feature that offers them. */
function runUnusual(run: Run, subscribe: Subscribe | undefined, identity: Identity): Promise<Readable | string> {
  const { text, given } = run;
  const { operation } = given;
  const runOnce = async () => ({ body: await runApollo(run), report: run.report });
  const offered = operation && text && subscribe?.({ ...run, identity, text, operation, run: runOnce });
  return offered || runApollo(run);
}

/** Sets the headers of a prepared operation's answer, and gives its text. */
function applyPrepared(
  answer: OperationAnswer | Refusal,
  prepared: PreparedOperation,
  { request, reply, type, context }: Run,
): string {
  const { body, report, refusal } = wordAnswer(answer, prepared, context);
  reply.header('content-type', type);
  // As Apollo Server would.
  if (refusal) reply.code(statusFor([refusal], 400, request.headers.accept));
  context.onAnswered(report);
  return body;
}

/**
 * Gives the content type of an answer where `Accept` leaves no doubt: it is absent, takes anything, or begins with one of the
 * two types, and gives no type a parameter but its quality. Any other is for Apollo Server to negotiate; `undefined` then.
 */
function mediaTypeFor(accept = ''): string | undefined {
  if (accept === '' || accept === '*/*') return 'application/json; charset=utf-8';
  const type = PLAIN_ACCEPT.exec(accept)?.[1];
  return type && `${type}; charset=utf-8`;
}

const PLAIN_ACCEPT =
  /^(application\/(?:graphql-response\+)?json)(?:, ?[\w.+*-]+\/[\w.+*-]+(?:; ?q=[01](?:\.\d{1,3})?)?)*$/;

const MEDIA_TYPES = ['application/json; charset=utf-8', 'application/graphql-response+json; charset=utf-8'];

/** Whether a client takes one of the types of a GraphQL response. */
export const acceptsJson = (request: FastifyRequest) => new Negotiator(request).mediaType(MEDIA_TYPES) !== undefined;

/** @throws {GraphQLError} for a document beyond the limits, {RequestError} 406 where `Accept` takes none of the types. */
async function runApollo(run: Run): Promise<string> {
  const { request, server, given, text, context } = run;
  // Apollo Server negotiates as well, but once the operation is executed.
  if (!acceptsJson(request)) {
    throw new RequestError(406, 'Accept application/graphql-response+json or application/json; nothing was executed.');
  }
  const excess = text === undefined ? undefined : findTextExcess(text);
  if (excess) throw excess;
  return applyAnswer(await server.execute(given.toApollo(text), context), run);
}

/** Whether an answer lacks something because the gateway is shutting down; a mutation may have happened. */
const isStopped = (report: OperationReport | undefined, { work: { signal } }: CallerRequest): boolean =>
  report !== undefined &&
  report.kind !== 'mutation' &&
  report.codes.includes('SHUTTING_DOWN') &&
  signal.aborted &&
  failureOfAbort(signal.reason) === 'stopped';

const EXPLAIN: ReadonlyMap<unknown, Explain> = new Map([
  ['1', 'calls'],
  ['plan', 'plan'],
]);

/**
 * Reads what a request wants explained. A plan replaces the operation, so that what cannot be explained is not done either.
 *
 * @throws {RequestError} 400 for another word, 403 where nothing is explained.
 */
function readExplain({ 'x-caseway-explain': given }: IncomingHttpHeaders, isAllowed: boolean): Explain | undefined {
  if (given === undefined) return undefined;
  if (!isAllowed) throw new RequestError(403, 'Explain is disabled on this gateway; the request was not executed.');
  const explain = EXPLAIN.get(given);
  if (explain !== undefined) return explain;
  throw new RequestError(400, '`x-caseway-explain` must be 1 or plan; nothing was done.');
}

/** Sets status and headers of Apollo Server's answer, and gives its text. */
function applyAnswer(
  { status = 200, headers, body }: HTTPGraphQLResponse,
  { context: { ids }, reply, report }: Run,
): string {
  reply.code(status);
  for (const [name, value] of headers) reply.header(name, value);
  // Incremental delivery is not offered, so every answer is whole.
  const text = body.kind === 'complete' ? body.string : '';
  if (report?.outcome === 'ok') return text;
  const { errors, ...rest } = JSON.parse(text) as { readonly errors: readonly GraphQLFormattedError[] };
  return `${JSON.stringify({ errors: errors.map((error) => withIds(error, ids)), ...rest })}\n`;
}

interface Answered {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly policy: Settings['CACHE_CONTROL'];
  /** What the answer was read from. */
  readonly stats: RequestStats;
}

/** Request headers that change an answer, besides credentials. A cache that keeps it by its address alone must know. */
const VARIES_BY = 'Accept, X-Api-Key, X-Caseway-Explain';
/**
 * Sets the cache headers of an answer. That of a GET may be kept for as long as the gateway itself would not ask again, and
 * after that be revalidated by its ETag, which a matching `If-None-Match` answers by 304. An answer with errors,
 * explanations or stale data, by POST or with a new session is not kept.
 *
 * @returns the body to send; `undefined` where the 304 was sent. It has no content type, since caches would put it in place
 *   of the one that they keep.
 */
function withCacheHeaders(body: string, { request, reply, policy, stats }: Answered) {
  const { method, headers } = request;
  if (policy === 'off' || method !== 'GET' || reply.statusCode !== 200 || reply.hasHeader('set-cookie')) return body;
  if ('x-caseway-explain' in headers) return body;

  const etag = `"${createHash('sha256').update(body).digest('base64url')}"`;
  const freshForSeconds = Math.floor(stats.maxAgeMs() / 1_000);
  reply.header('cache-control', `${policy}, ${freshForSeconds > 0 ? `max-age=${freshForSeconds}` : 'no-cache'}`);
  reply.header('vary', `${reply.getHeader('vary')}, ${VARIES_BY}`);
  reply.header('etag', etag);
  if (!matches(etag, headers['if-none-match'])) return body;
  reply.code(304).removeHeader('content-type').removeHeader('content-length').send();
  return undefined;
}

/** Whether a client has a body with this ETag; a cache on the way may have made it weak. */
const matches = (etag: string, given: string | undefined): boolean =>
  given?.split(',').some((one) => one.trim() === '*' || one.trim().replace(/^W\//, '') === etag) ?? false;

/** What clients may call themselves: npm's package names, versions and plain words. */
const CLIENT_NAME = /^[\w .:/@+()-]{1,64}$/;

/** Gives the client's name and version from the headers that Apollo's and other clients send; absent where it says none. */
function clientOf(headers: IncomingHttpHeaders): ClientName {
  const read = (part: 'name' | 'version'): string | undefined => {
    const given = headers[`apollographql-client-${part}`] ?? headers[`graphql-client-${part}`];
    return typeof given === 'string' && CLIENT_NAME.test(given) ? given : undefined;
  };
  return { name: read('name'), version: read('version') };
}
