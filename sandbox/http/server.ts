import {
  createServer as createHttpServer,
  type IncomingHttpHeaders,
  type RequestListener,
} from 'node:http';
import type { Socket } from 'node:net';
import { type FastifyInstance, type FastifyReply, type FastifyRequest, fastify } from 'fastify';

import { formatJson } from '../json.ts';
import type { User } from '../model.ts';
import type { Access } from './access.ts';
import {
  ApiError,
  answerClientError,
  describeError,
  fromFrameworkError,
  limitExceeded,
  noSuchOperation,
  unavailable,
} from './errors.ts';
import type { OperationRequest, Operations, Result } from './operation.ts';

/** A request and the status of its response. */
export interface AnsweredCall {
  /**
   * The interface's name of the operation, misspelled as there, or "unknown" for an unknown path.
   */
  readonly operation: string;
  readonly method: string;
  readonly url: string;
  readonly status: number;
  /** The name of the caller, once it is known. */
  readonly user: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly rawHeaders: string[];
  /** The cause of a 500, which the response does not show. */
  readonly error: unknown;
}

/**
 * A simulated failure of a request.
 * - 429: refused, as over the limit.
 * - 503: refused, as unavailable.
 * - "lost": the operation runs, but the connection is closed instead of a response.
 * - "slow": the operation runs, and its response is delayed.
 */
export type Fault = 429 | 503 | 'lost' | 'slow';

interface ServerOptions {
  readonly operations: Operations;
  readonly access: Access;
  readonly now: () => number;
  readonly faultOf: ((operation: string) => Fault | undefined) | undefined;
  readonly onAnswer: ((call: AnsweredCall) => void) | undefined;
  readonly onError: ((operation: string, cause: Error) => void) | undefined;
}

/** Returns the result of a request. Calls `setUser` as soon as the caller is known. */
type Run = (request: OperationRequest, setUser: (user: User) => void) => Result;

const MAX_BODY_BYTES = 1024 * 1024;
const MAX_SEGMENT_CHARACTERS = 2048;
const HTTP_OPTIONS = { requestTimeout: 30_000, keepAliveTimeout: 72_000, requireHostHeader: false };
const MAX_UNANSWERED = 16;
/** The delay of a slow response. */
const SLOW_MS = 2_000;

/** Creates the HTTP server of the operations. It does not listen yet. */
export function createServer({
  operations,
  access,
  now,
  faultOf,
  onAnswer,
  onError,
}: ServerOptions): FastifyInstance {
  const handler =
    (operation: string, run: Run) => (request: FastifyRequest, reply: FastifyReply) => {
      let user: string | undefined;
      const fault = faultOf?.(operation);
      const { status, headers, text, error } = settle(request, (operationRequest) => {
        if (fault === 429) throw limitExceeded();
        if (fault === 503) throw unavailable();
        return run(operationRequest, ({ username }) => {
          user = username;
        });
      });
      reply.code(status).headers({ server: 'caseway-sandbox', date: httpDate(now()), ...headers });
      const { method, url, raw } = request;
      onAnswer?.({
        operation,
        method,
        url,
        status,
        user,
        headers: raw.headers,
        rawHeaders: raw.rawHeaders,
        error,
      });
      if (error instanceof Error) onError?.(operation, error);
      if (fault === 'lost') request.socket.destroy();
      else if (fault === 'slow') setTimeout(() => reply.send(text), SLOW_MS).unref();
      else reply.send(text);
    };
  const errorHandler =
    (operation: string) => (error: unknown, request: FastifyRequest, reply: FastifyReply) =>
      handler(operation, () => {
        throw fromFrameworkError(error);
      })(request, reply);

  const server = fastify({
    bodyLimit: MAX_BODY_BYTES,
    routerOptions: { maxParamLength: MAX_SEGMENT_CHARACTERS },
    exposeHeadRoutes: false,
    // Kept-alive connections would delay the shutdown until their clients close them.
    forceCloseConnections: true,
    clientErrorHandler: answerClientError,
    frameworkErrors: errorHandler('unknown'),
    serverFactory: (listener) => createHttpServer(HTTP_OPTIONS, limitPipelining(listener)),
  });
  // Variant A sends `Content-Type: application/json` without a body, which Fastify's parser
  // rejects. Bodies stay text here and are parsed only after token, limit and permission were
  // checked.
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) =>
    done(null, body),
  );

  for (const [name, { method, url: urls, identify, run }] of Object.entries(operations)) {
    const runAs: Run = (request, setUser) => {
      const user = identify
        ? identify(request)
        : access.authenticate(request.headers.authorization);
      setUser(user);
      access.admit(user);
      return run({ ...request, user });
    };
    for (const url of [urls].flat()) {
      server.route({
        method,
        url,
        handler: handler(name, runAs),
        errorHandler: errorHandler(name),
      });
    }
  }
  server.setNotFoundHandler((request, reply) =>
    errorHandler('unknown')(noSuchOperation(), request, reply),
  );
  server.setErrorHandler(errorHandler('unknown'));
  return server;
}

/**
 * Closes a connection with too many unanswered requests: Node would parse and queue all of them.
 */
function limitPipelining(listener: RequestListener): RequestListener {
  const unanswered = new WeakMap<Socket, number>();
  return (request, response) => {
    const { socket } = request;
    const count = (unanswered.get(socket) ?? 0) + 1;
    if (count > MAX_UNANSWERED) return void socket.destroy();
    unanswered.set(socket, count);
    response.once('close', () => unanswered.set(socket, (unanswered.get(socket) ?? 1) - 1));
    listener(request, response);
  };
}

/**
 * Runs an operation and returns its response: its result, a 304, or the response to its error.
 * Never throws.
 */
function settle(
  { headers, params, query, body }: FastifyRequest,
  run: (request: OperationRequest) => Result,
) {
  const request: OperationRequest = {
    headers,
    params: params as OperationRequest['params'],
    query: query as OperationRequest['query'],
    text: typeof body === 'string' ? body : '',
  };
  try {
    const result = run(request);
    // After every check that could fail: a condition applies to a request that would succeed.
    const isSame = isUnmodified(result.changedAtMs, headers['if-modified-since']);
    const answer = isSame ? { ...result, status: 304, body: undefined } : result;
    return { ...serialize(answer), error: undefined };
  } catch (error) {
    const { status, headers, body } = describeError(error);
    const unexpected = error instanceof ApiError ? undefined : error;
    return { ...serialize({ status, headers, body: () => body }), error: unexpected };
  }
}

function serialize({ status, headers, changedAtMs, body }: Result) {
  const text = body && formatJson(body());
  const sent = { ...headers };
  if (changedAtMs !== undefined) sent['last-modified'] = httpDate(changedAtMs);
  if (text !== undefined) sent['content-type'] = 'application/json; charset=utf-8';
  return { status, headers: sent, text };
}

/**
 * Formats an HTTP date. It has whole seconds, so two changes within one second have the same date.
 */
const httpDate = (atMs: number) => new Date(atMs).toUTCString();

/**
 * Returns whether a read may be answered with 304. Ignores an invalid date. Source: the interface's
 * "Errors".
 */
function isUnmodified(changedAtMs: number | undefined, ifModifiedSince = ''): boolean {
  if (changedAtMs === undefined) return false;
  // The date is NaN if it is absent or invalid, and no comparison with NaN is true.
  return Math.floor(changedAtMs / 1000) * 1000 <= Date.parse(ifModifiedSince);
}
