import type { IncomingHttpHeaders } from 'node:http';
import type { HTTPGraphQLResponse } from '@apollo/server';
import { fastifyRateLimit } from '@fastify/rate-limit';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { GraphqlServer } from '../graphql/apollo-server.ts';
import type { PageLimits } from '../graphql/connections.ts';
import { createContext, type Explain, type OperationContext } from '../graphql/context.ts';
import { findTextExcess } from '../graphql/limits.ts';
import type { LogOperation } from '../graphql/operation-log.ts';
import type { PersistedDocuments } from '../graphql/persisted-documents.ts';
import { runOperation } from '../graphql/run-operation.ts';
import type { SchemaManager } from '../graphql/schema-manager.ts';
import type { Requests } from '../telemetry/requests.ts';
import { failureOfAbort } from '../upstream/errors.ts';
import type { Authenticate, Identity } from './auth/identity.ts';
import { type CachePolicy, withCacheHeaders } from './cache-headers.ts';
import { RequestError } from './errors.ts';
import { type GraphqlRequest, readGraphqlRequest } from './request-body.ts';
import { clientOf } from './request-origin.ts';
import type { Shutdown } from './shutdown.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Who sends a request for the graph. */
    identity?: Identity | undefined;
  }
}

/** What the GraphQL route is made of. */
export interface GraphqlRouteOptions {
  /** Started already. */
  readonly graph: SchemaManager;
  readonly authenticate: Authenticate;
  readonly pages: PageLimits;
  /** How many upstream calls an operation may make. */
  readonly maxCalls: number;
  readonly documents: PersistedDocuments;
  readonly logOperation: LogOperation;
  readonly requests: Requests;
  /** Which caches may keep the answers of queries by GET. */
  readonly cachePolicy: CachePolicy;
  /** Whether clients may ask what their operations cost. */
  readonly isExplaining: boolean;
  /** How many requests one authenticated caller may make; `undefined`: any number. */
  readonly callerRequestsPerMinute: number | undefined;
}

const MINUTE_MS = 60_000;
/** How many callers' requests are counted at a time. */
const MAX_COUNTED_CALLERS = 10_000;

/** Serves GraphQL over HTTP at `/graphql`: queries by GET and POST, mutations by POST. */
export async function registerGraphqlRoute(
  app: FastifyInstance,
  options: GraphqlRouteOptions & Pick<Shutdown, 'withSignal'>,
): Promise<void> {
  app.route({
    method: ['PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE'],
    url: '/graphql',
    handler: () => {
      throw new RequestError(405, 'GraphQL is asked by GET or POST.', { headers: { allow: 'GET, POST' } });
    },
  });

  await app.register(async (authenticated) => {
    authenticated.decorateRequest('identity', undefined);
    // Nothing of a request is read or counted before it is known whose it is.
    authenticated.addHook('onRequest', async (request, reply) => {
      request.identity = await options.authenticate(request, reply);
    });
    if (options.callerRequestsPerMinute !== undefined) {
      await authenticated.register(fastifyRateLimit, {
        max: options.callerRequestsPerMinute,
        timeWindow: MINUTE_MS,
        cache: MAX_COUNTED_CALLERS,
        hook: 'preParsing',
        keyGenerator: (request) => request.identity?.caller ?? '',
        allowList: (request) => request.identity?.caller === undefined,
        errorResponseBuilder: (_request, { max, ttl }) =>
          new RequestError(429, `You may send ${max} requests a minute; nothing was done.`, {
            code: 'RATE_LIMITED',
            retryable: true,
            retryAfterMs: ttl,
          }),
      });
    }
    const handle = createHandler(options);
    authenticated.route({
      method: ['GET', 'POST'],
      url: '/graphql',
      handler(request, reply) {
        const { identity } = request;
        if (identity === undefined) throw new Error('The request was not authenticated.');
        return options.requests.run({ requestId: request.id }, () => handle(request, reply, identity));
      },
    });
  });
}

type Handle = (
  request: FastifyRequest,
  reply: FastifyReply,
  identity: Identity,
) => Promise<string | Buffer | undefined>;

function createHandler(options: GraphqlRouteOptions & Pick<Shutdown, 'withSignal'>): Handle {
  const { graph, pages, maxCalls, documents, logOperation, cachePolicy, isExplaining, withSignal } = options;
  const mediaTypes = createMediaTypes();

  return async (request, reply, { scope, session, finish }) => {
    const startedAtMs = performance.now();
    const server = graph.current();
    const given = readGraphqlRequest(request);
    const { text, onValid } = documents.find(given, request.id);
    const explain = readExplain(request.headers, isExplaining);

    return withSignal(reply.raw, async (signal, share) => {
      const requestId = request.id;
      const client = clientOf(request.headers);
      const context = createContext({
        requestId,
        client,
        signal,
        share,
        scope,
        session,
        pages,
        maxCalls,
        onValid,
        explain,
      });
      const run = { request, reply, server, given, text, context };
      const body = (await runPrepared(run, mediaTypes)) ?? (await runApollo(run, mediaTypes));
      finish?.();
      if ('kind' in context.report) logOperation(context, startedAtMs);
      // So that balancers send it elsewhere.
      if (isStopped(context) && context.report.kind !== 'mutation') reply.code(503).header('retry-after', '1');
      return withCacheHeaders(body, { request, reply, policy: cachePolicy, stats: context.stats });
    });
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
  readonly context: OperationContext;
}

/** Runs an operation that Apollo Server has admitted before; `undefined` where it has to look at the request. */
async function runPrepared(
  { request, reply, server, given: { operation }, text, context }: Run,
  mediaTypes: MediaTypes,
): Promise<string | Buffer | undefined> {
  const type = mediaTypes.get(request.headers.accept);
  if (context.explain || type === undefined || operation === undefined || text === undefined) return undefined;
  const prepared = server.prepared.get(text, operation.operationName);
  if (prepared === undefined || (request.method === 'GET' && prepared.kind !== 'query')) return undefined;
  const answer = await runOperation(prepared, operation.variables, context);
  if ('refusal' in answer) return undefined;
  reply.header('content-type', type);
  return answer.body;
}

/** @throws {GraphQLError} for a document beyond the limits. */
async function runApollo(
  { request, reply, server, given, text, context }: Run,
  mediaTypes: MediaTypes,
): Promise<string> {
  const excess = text === undefined ? undefined : findTextExcess(text);
  if (excess) throw excess;
  const answer = await server.execute(given.toApollo(text), context);
  if (answer.status === undefined) mediaTypes.set(request.headers.accept, answer.headers.get('content-type'));
  return applyAnswer(answer, request, reply);
}

/** Whether an answer lacks something because the gateway is shutting down. */
const isStopped = ({ signal, report }: OperationContext): boolean =>
  signal.aborted &&
  failureOfAbort(signal.reason) === 'stopped' &&
  report.errors?.some(({ extensions }) => extensions?.['code'] === 'SHUTTING_DOWN') === true;

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
  if (!isAllowed) throw new RequestError(403, 'This gateway explains nothing; nothing was done.');
  const explain = EXPLAIN.get(given);
  if (explain !== undefined) return explain;
  throw new RequestError(400, '`x-caseway-explain` must be 1 or plan; nothing was done.');
}

/** Sets status and headers of Apollo Server's answer, and gives its text. */
function applyAnswer(
  { status = 200, headers, body }: HTTPGraphQLResponse,
  { id }: FastifyRequest,
  reply: FastifyReply,
): string {
  reply.code(status);
  for (const [name, value] of headers) reply.header(name, value);
  // Incremental delivery is not offered, so every answer is whole.
  const text = body.kind === 'complete' ? body.string : '';
  return status >= 400 ? withRequestId(text, id) : text;
}

interface GraphqlError {
  readonly extensions?: Readonly<Record<string, unknown>>;
}

/** Puts the request's id beside each error that has none: those of requests that Apollo Server does not execute. */
function withRequestId(text: string, requestId: string): string {
  const answer = JSON.parse(text) as { readonly errors?: readonly GraphqlError[] };
  if (answer.errors === undefined) return text;
  const errors = answer.errors.map((error) => ({ ...error, extensions: { requestId, ...error.extensions } }));
  return JSON.stringify({ ...answer, errors });
}

/** The content types of answers, by what clients accept. */
interface MediaTypes {
  get(accept: string | undefined): string | undefined;
  set(accept: string | undefined, type: string | undefined): void;
}

/** Clients say it in few ways, and shortly; the ways that were seen first go first. */
const MAX_MEDIA_TYPES = 100;
const MAX_ACCEPT_LENGTH = 300;

/** What nearly all clients send, known from the start, so that a burst of first requests runs prepared operations too. */
const USUAL_ACCEPT = ['', '*/*', 'application/json'];

/** Remembers how Apollo Server negotiates, so that its answer need not be worked out again. */
function createMediaTypes(): MediaTypes {
  const types = new Map(USUAL_ACCEPT.map((accept) => [accept, 'application/json; charset=utf-8']));
  return {
    get: (accept = '') => types.get(accept),
    set(accept = '', type) {
      if (type === undefined || accept.length > MAX_ACCEPT_LENGTH) return;
      types.set(accept, type);
      const [oldest = ''] = types.keys();
      if (types.size > MAX_MEDIA_TYPES) types.delete(oldest);
    },
  };
}
