import { STATUS_CODES } from 'node:http';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { LimitOf } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import type { Observers, RequestIds } from '../core/observers.ts';
import { limitMessage } from '../graphql/errors.ts';
import type { Violation } from '../graphql/violations.ts';
import type { Shortage } from '../upstream/call-buckets.ts';
import { createRefusalLog } from './refusal-log.ts';

interface RequestErrorDetails {
  /** Additional headers of the response. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The `extensions.code` for clients. By default it depends on the status. */
  readonly code?: string;
  /** The owner of the exceeded limit. */
  readonly limitOf?: LimitOf;
  /** Whether a retry may succeed. By default it depends on the status. */
  readonly retryable?: boolean;
  /** Milliseconds until a retry may succeed. Also sent as `Retry-After`. */
  readonly retryAfterMs?: number;
  /** Why a caller was refused. Only operators read it. */
  readonly cause?: string;
  /** The invalid values. */
  readonly violations?: readonly Violation[];
}

/**
 * A request that is refused before it reaches the graph. Clients get the message and the extensions
 * except `http`.
 */
export class RequestError extends Error {
  override readonly name = 'RequestError';
  readonly extensions: Omit<RequestErrorDetails, 'headers' | 'cause'> & {
    readonly http: { readonly status: number; readonly headers?: Readonly<Record<string, string>> };
  };

  constructor(
    status: number,
    message: string,
    { headers, cause, ...given }: RequestErrorDetails = {},
  ) {
    super(message, { cause });
    const { retryAfterMs } = given;
    const retryAfter =
      retryAfterMs === undefined ? {} : { 'retry-after': String(Math.ceil(retryAfterMs / 1_000)) };
    const retryable = status === 429 || status >= 500;
    this.extensions = {
      code: CODES[status] ?? 'BAD_USER_INPUT',
      retryable,
      ...given,
      http: { status, headers: { ...headers, ...retryAfter } },
    };
  }
}

/** Returns the error for an exceeded request limit. */
export const limitExceeded = ({ limit, waitMs }: Shortage) =>
  new RequestError(429, limitMessage(limit), {
    limitOf: limit.of,
    retryAfterMs: Math.ceil(waitMs),
  });

const CODES: Readonly<Record<number, string>> = {
  401: 'UNAUTHENTICATED',
  403: 'FORBIDDEN',
  429: 'RATE_LIMITED',
};

/** The messages for requests that Fastify refuses, by status. */
const MESSAGES: Readonly<Record<number, string>> = {
  400: 'The request is malformed.',
  413: 'The request body is too large: at most 262144 bytes are allowed.',
  415: 'Send the request body as application/json.',
};

/** The default headers of every response. Routes may replace them. */
export const STANDARD_HEADERS = {
  'cache-control': 'no-store',
  vary: 'Authorization, Cookie',
  'x-content-type-options': 'nosniff',
};

/**
 * Registers handlers that answer all errors outside the graph in the graph's format: JSON with a
 * code, without stack traces.
 */
export function registerErrorHandlers(app: FastifyInstance, log: Log, observers: Observers): void {
  const logRefusal = createRefusalLog(log);
  app.setErrorHandler((error: FastifyError | Refusal, { id, current, caller }, reply) => {
    const ids = current?.ids ?? { requestId: id };
    const refusal = 'extensions' in error ? error : toRequestError(error);
    const { code = '', limitOf, http } = refusal.extensions;
    if (code === 'INTERNAL_SERVER_ERROR') log.error({ err: error, ...ids }, 'unexpected error');
    // Something that the gateway lacks, such as a connection to the platform.
    else if (http.status >= 500 && code !== 'OVERLOADED') log.warn(ids, refusal.message);
    // A caller that is not let in has a line of its own, with the reason.
    else if (typeof refusal.cause === 'string') observers.callerRefused(refusal.cause, ids);
    else {
      const line = { ...ids, ...describeRefusal(refusal), caller: caller?.scope.caller };
      logRefusal(code, line, 'request refused');
    }
    observers.refusal(code, limitOf);
    reply.code(http.status).headers(http.headers ?? {});
    return reply.send(toBody(refusal, ids));
  });

  app.setNotFoundHandler(({ id }, reply) =>
    reply
      .code(404)
      .send(toBody(new RequestError(404, NOTHING_HERE, { code: 'NOT_FOUND' }), { requestId: id })),
  );
}

/** Answers a request with an invalid path. Fastify's own response would quote it. */
export function answerUnreadablePath(
  _error: FastifyError,
  { id }: FastifyRequest,
  reply: FastifyReply,
): void {
  const body = toBody(new RequestError(400, 'The path of the request is malformed.'), {
    requestId: id,
  });
  reply
    .code(400)
    .headers({ ...STANDARD_HEADERS, 'x-request-id': id })
    .send(body);
}

/** Errors of the graph before execution have the same extensions. */
type Refusal = Pick<RequestError, 'message' | 'cause' | 'extensions'>;

/** Returns the members of a log line about a refused request. */
function describeRefusal({ message, extensions }: Refusal) {
  const { code = '', limitOf, http } = extensions;
  return { code, status: http.status, limitOf, refusal: message };
}

function toRequestError({ statusCode = 500 }: FastifyError): RequestError {
  if (statusCode >= 400 && statusCode < 500) {
    return new RequestError(statusCode, MESSAGES[statusCode] ?? 'The request cannot be served.');
  }
  return new RequestError(500, 'Internal server error', {
    code: 'INTERNAL_SERVER_ERROR',
    retryable: false,
  });
}

const NOTHING_HERE = 'There is nothing here; the API is at /graphql.';

const toBody = (
  { message, extensions: { http: _, code, ...more } }: Refusal,
  ids?: RequestIds,
) => ({
  errors: [{ message, extensions: { code, retryable: false, ...more, ...ids } }],
});

/**
 * Formats an error as the last bytes of a connection. For requests that are unreadable, so Fastify
 * does not see them.
 */
export function toLastBytes(error: RequestError): string {
  const { status } = error.extensions.http;
  const body = `${JSON.stringify(toBody(error))}\n`;
  const headers = {
    'content-type': 'application/json; charset=utf-8',
    'content-length': String(Buffer.byteLength(body)),
    connection: 'close',
    ...STANDARD_HEADERS,
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`;
}
