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
  /** Sent with the answer. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The `extensions.code` for clients; it goes by the status where it is not given. */
  readonly code?: string;
  /** Whose limit was met, of a request that exceeds one. */
  readonly limitOf?: LimitOf;
  /** Whether the same request may succeed later: by the status where it is not given. */
  readonly retryable?: boolean;
  /** After how long it may, in milliseconds; also sent as `Retry-After`. */
  readonly retryAfterMs?: number;
  /** Why a caller was not let in, in a word that only operators read. */
  readonly cause?: string;
  /** The values that cannot be taken. */
  readonly violations?: readonly Violation[];
}

/** A request that is refused before it reaches the graph. Its message is meant for the client, and so are its extensions but `http`. */
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

/** The refusal of a request whose caller, or what it uses, exceeds a limit. */
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

/** The messages of requests that Fastify refuses, by status. */
const MESSAGES: Readonly<Record<number, string>> = {
  400: 'The request is malformed.',
  413: 'The request body is too large: at most 262144 bytes are allowed.',
  415: 'Send the request body as application/json.',
};

/** Headers of every answer, unless its route says otherwise. */
export const STANDARD_HEADERS = {
  'cache-control': 'no-store',
  vary: 'Authorization, Cookie',
  'x-content-type-options': 'nosniff',
};

/** Answers every error outside the graph as the graph answers its own: JSON with a code, never a page or a stack. */
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
    else logRefusal({ ...ids, ...describeRefusal(refusal), caller: caller?.scope.caller });
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

/** Answers a request whose path cannot be decoded, which Fastify would quote. */
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

/** What the graph throws of a document before an operation runs has the same extensions. */
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

/** Writes an error as the last bytes of a connection whose request cannot be read, before Fastify sees one. */
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
