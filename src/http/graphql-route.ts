import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import { LRUCache } from 'lru-cache';
import Negotiator from 'negotiator';

import type { Settings } from '../config/settings.ts';
import { failureOfAbort } from '../core/abort.ts';
import type { ClientName, CurrentRequest, Observers, OperationReport } from '../core/observers.ts';
import type { RequestState } from '../core/request-state.ts';
import type { PersistedDocuments } from '../graphql/admission/persisted-documents.ts';
import {
  isRefused,
  type Refused,
  type SchemaManager,
  type SchemaVersion,
} from '../graphql/apollo-server.ts';
import { createContext, type Explain, type OperationContext } from '../graphql/context.ts';
import { isDocumentFault } from '../graphql/errors.ts';
import {
  type Answered,
  answerOperation,
  type PreparedOperation,
  reportOperation,
} from '../graphql/operations.ts';
import type { Caller } from './auth/identity.ts';
import { RequestError } from './errors.ts';
import { acceptsStream, type RequestParameters, readParameters } from './request-body.ts';

/** A route for callers of the graph. */
export interface CallerRoute extends Pick<RouteOptions, 'method' | 'url' | 'onSend'> {
  handle(
    request: FastifyRequest,
    reply: FastifyReply,
    arrived: {
      readonly caller: Caller;
      readonly current: CurrentRequest;
      readonly requestState: RequestState;
    },
  ): Promise<unknown>;
}

/** A request with an admitted operation, before its execution. */
export interface AdmittedRequest extends Pick<RequestParameters, 'variables'> {
  readonly version: SchemaVersion;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly context: OperationContext;
  readonly caller: Caller;
  readonly operation: PreparedOperation;
  /** Returns whether the document is still trusted. `undefined` if it needs no trust. */
  readonly isTrusted: (() => boolean) | undefined;
}

/** The response: JSON or a stream. */
interface Answer extends Omit<Answered, 'body' | 'report'> {
  readonly body: Readable | string;
  /** `undefined` for a response without a body, which answers no operation. */
  readonly report: OperationReport | undefined;
}

/**
 * Executes operations of one kind and returns the response.
 *
 * @throws {RequestError} 406 if `Accept` does not allow it.
 */
export type AnswerOperation = (admitted: AdmittedRequest) => Answer | Promise<Answer>;

export interface GraphqlRouteOptions {
  readonly settings: Settings;
  /** Already started. */
  readonly graph: SchemaManager;
  readonly documents: PersistedDocuments;
  readonly observers: Observers;
  /** By kind of operation. Other kinds are executed once and get JSON. */
  readonly answers: ReadonlyMap<string, AnswerOperation>;
  /** Whether clients may request explanations of their operations' cost. */
  readonly isExplorable: boolean;
}

/** Refuses all other methods with 405. */
export function refuseOtherMethods(app: FastifyInstance): void {
  app.route({
    method: ['PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE'],
    url: '/graphql',
    handler: () => {
      throw new RequestError(405, 'Send GraphQL requests by GET or POST.', {
        headers: { allow: 'GET, POST' },
      });
    },
  });
}

/**
 * Serves GraphQL over HTTP at `/graphql`: queries and subscriptions by GET and POST, mutations by
 * POST.
 */
export function createGraphqlRoute(options: GraphqlRouteOptions): CallerRoute {
  const { settings, graph, observers, answers, isExplorable } = options;
  const { IDEMPOTENCY_KEEP_MS: keptMs } = settings;
  const negotiate = createNegotiation();

  const handle: CallerRoute['handle'] = async (
    request,
    reply,
    { caller, current, requestState },
  ) => {
    const { ids } = current;
    const { scope, session, clearRefusedCookie, documents = options.documents } = caller;
    const version = graph.current();
    const parameters = readParameters(request);
    const { operationName, variables } = parameters;
    const { text, onValid, isTrusted, isFromOperator = false } = documents.find(parameters, ids);
    const explain = readExplain(request.headers, isExplorable);
    const client = clientOf(request.headers);
    const context = createContext({
      ids,
      client,
      requestState,
      scope,
      session,
      explain,
      isFromOperator,
      observers,
    });
    const type = negotiate(request.headers.accept);

    /**
     * @throws {RequestError} 406 if `Accept` does not allow the response. Nothing is executed
     *   then.
     */
    const runAdmitted = (operation: PreparedOperation): Answer | Promise<Answer> => {
      const answer = answers.get(operation.kind);
      if (answer) {
        return answer({
          version,
          request,
          reply,
          context,
          caller,
          operation,
          variables,
          isTrusted,
        });
      }
      if (type === undefined) throw notAcceptable();
      return answerOperation(operation, variables, context);
    };

    const method = request.method === 'GET' ? 'GET' : 'POST';
    const admission = version.admit({
      text,
      operationName,
      method,
      acceptsStream: acceptsStream(request.headers),
    });
    const admitted = admission instanceof Promise ? await admission : admission;
    const answer = isRefused(admitted)
      ? answerRefused(admitted, context)
      : await runAdmitted(admitted);
    if (context.operation) onValid?.();
    clearRefusedCookie?.();
    if (answer.report) observers.operation(answer.report, current);
    if (context.isKeyed)
      reply.header('caseway-idempotency-keep', String(Math.floor(keptMs / 1_000)));
    return send(answer, type, reply, requestState);
  };
  return { method: ['GET', 'POST'], url: '/graphql', handle };
}

/**
 * Returns the answer to a request whose operation is not admitted, also to a client that accepts no
 * JSON. @throws {RequestError} 405 for a mutation by GET.
 */
function answerRefused(refused: Refused, context: OperationContext): Answered {
  const { status, headers, kind, errors, clientErrors } = refused;
  if (status === 405 && kind) throw notByGet(kind);
  const codes = clientErrors.map(({ extensions }) => extensions?.['code']);
  const report = reportOperation(context, refused, { errors, codes, hasData: false });
  return { body: `${JSON.stringify({ errors: clientErrors })}\n`, status, headers, report };
}

/**
 * Sets the status and headers of a response, and returns its body.
 *
 * @param type the content type of JSON. `undefined` if the client does not accept JSON.
 */
function send(
  { body, status, headers, report }: Answer,
  type: string | undefined,
  reply: FastifyReply,
  requestState: RequestState,
): Readable | string | undefined {
  if (report === undefined) {
    reply.code(status).send();
    return undefined;
  }
  reply.code(statusFor(status, report, reply.request));
  if (headers) reply.headers(Object.fromEntries(headers));
  // Load balancers then use another replica.
  if (isStopped(report, requestState)) reply.code(503).header('retry-after', '1');
  if (typeof body !== 'string') return body;
  reply.header('content-type', type ?? GRAPHQL_TYPE);
  const isWhole = report.outcome === 'ok' && requestState.stale.length === 0;
  return isWhole ? withCacheHeaders(body, reply, requestState) : body;
}

/**
 * Returns whether a response is incomplete because the gateway is shutting down. False for
 * mutations, which may have happened.
 */
const isStopped = (report: OperationReport, requestState: RequestState): boolean =>
  report.kind !== 'mutation' &&
  report.codes.includes('SHUTTING_DOWN') &&
  requestState.signal.aborted &&
  failureOfAbort(requestState.signal.reason) === 'stopped';

const EXPLAIN: ReadonlyMap<unknown, Explain> = new Map([
  ['1', 'calls'],
  ['plan', 'plan'],
]);

/**
 * Reads the requested explanation. An invalid request is refused, so it executes nothing.
 *
 * @throws {RequestError} 400 for an unknown value, 403 if explanations are disabled.
 */
function readExplain(
  { 'x-caseway-explain': given }: IncomingHttpHeaders,
  isAllowed: boolean,
): Explain | undefined {
  if (given === undefined) return undefined;
  if (!isAllowed)
    throw new RequestError(
      403,
      'Explain is disabled on this gateway; the request was not executed.',
    );
  const explain = EXPLAIN.get(given);
  if (explain !== undefined) return explain;
  throw new RequestError(400, '`x-caseway-explain` must be 1 or plan; nothing was done.');
}

const JSON_TYPE = 'application/json; charset=utf-8';
const GRAPHQL_TYPE = 'application/graphql-response+json; charset=utf-8';
/** The highest number of cached `Accept` headers. Clients send few different ones. */
const MAX_KNOWN_ACCEPTS = 100;

/**
 * Creates a function that returns the content type of a JSON response for an `Accept` header.
 * `undefined` if it allows neither type.
 */
function createNegotiation(): (accept: string | undefined) => string | undefined {
  const known = new LRUCache<string, { readonly type: string | undefined }>({
    max: MAX_KNOWN_ACCEPTS,
  });
  return (accept) => {
    if (!accept) return JSON_TYPE;
    const before = known.get(accept);
    if (before) return before.type;
    const type = new Negotiator({ headers: { accept } }).mediaType([JSON_TYPE, GRAPHQL_TYPE]);
    known.set(accept, { type });
    return type;
  };
}

const notByGet = (kind: string) =>
  new RequestError(
    405,
    kind === 'subscription'
      ? 'Send a subscription by POST, or with `Accept: text/event-stream`.'
      : `Send a ${kind} by POST.`,
    { headers: { allow: 'POST' } },
  );
const notAcceptable = () =>
  new RequestError(
    406,
    'Accept application/graphql-response+json or application/json; nothing was executed.',
  );

/**
 * Returns the status of a response. An invalid document gets 200 if the client accepts only
 * `application/json`, by the GraphQL over HTTP specification.
 */
function statusFor(
  status: number,
  report: OperationReport,
  { headers: { accept } }: FastifyRequest,
): number {
  if (status !== 400 || !accept || !report.errors.every(isDocumentFault)) return status;
  const types = new Negotiator({ headers: { accept } }).mediaTypes();
  return types.includes('application/json') && !types.includes('application/graphql-response+json')
    ? 200
    : status;
}

/** Request headers that change a response, apart from credentials. Caches need them in `Vary`. */
const VARIES_BY = 'Accept, X-Api-Key, X-Caseway-Explain';
/**
 * Sets the cache headers of a response. The response to a GET may be cached as long as the
 * gateway's own copies are fresh. After that it is revalidated by ETag; a matching `If-None-Match`
 * gets 304. A response is not cached if it has errors, explanations, stale data or a new session,
 * or if the method is POST.
 *
 * @returns the body to send. `undefined` after a 304, which has no content type, because caches
 *   would replace their own with it.
 */
function withCacheHeaders(body: string, reply: FastifyReply, requestState: RequestState) {
  const { method, headers } = reply.request;
  if (method !== 'GET' || reply.statusCode !== 200 || reply.hasHeader('set-cookie')) return body;
  if ('x-caseway-explain' in headers) return body;

  const etag = `"${createHash('sha256').update(body).digest('base64url')}"`;
  const freshForSeconds = Math.floor(requestState.maxAgeMs() / 1_000);
  reply.header(
    'cache-control',
    `private, ${freshForSeconds > 0 ? `max-age=${freshForSeconds}` : 'no-cache'}`,
  );
  reply.header('vary', `${reply.getHeader('vary')}, ${VARIES_BY}`);
  reply.header('etag', etag);
  if (!matches(etag, headers['if-none-match'])) return body;
  reply.code(304).removeHeader('content-type').removeHeader('content-length').send();
  return undefined;
}

/** Returns whether the client has a body with this ETag. A proxy may have made the ETag weak. */
const matches = (etag: string, given: string | undefined): boolean =>
  given?.split(',').some((one) => one.trim() === '*' || one.trim().replace(/^W\//, '') === etag) ??
  false;

/** The allowed client names: npm package names, versions and plain words. */
const CLIENT_NAME = /^[\w .:/@+()-]{1,64}$/;

/**
 * Returns the client's name and version from the headers of Apollo and other clients. A missing or
 * invalid one is `undefined`.
 */
function clientOf(headers: IncomingHttpHeaders): ClientName {
  const read = (part: 'name' | 'version'): string | undefined => {
    const given = headers[`apollographql-client-${part}`] ?? headers[`graphql-client-${part}`];
    return typeof given === 'string' && CLIENT_NAME.test(given) ? given : undefined;
  };
  return { name: read('name'), version: read('version') };
}
