import { STATUS_CODES } from 'node:http';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { GraphQLError } from 'graphql';
import type { LimitOf } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import type { Observers, RequestIds } from '../core/observers.ts';
import { limitMessage } from '../graphql/errors.ts';
import type { Violation } from '../graphql/violations.ts';
import type { Shortage } from '../upstream/call-buckets.ts';

type RequestErrorDetails = Partial<Omit<RequestError, keyof Error | 'statusCode'>> & {
  /** Why a caller was not let in, in a word that only operators read. */
  readonly cause?: string;
};

/** A request that is refused before it reaches the graph. Its message is meant for the client. */
export class RequestError extends Error {
  override readonly name = 'RequestError';
  readonly statusCode: number;
  /** Sent with the answer. */
  readonly headers: Readonly<Record<string, string>>;
  /** The `extensions.code` for clients; it goes by the status where it is not given. */
  readonly code: string;
  /** Whose limit was met, of a request that exceeds one. */
  readonly limitOf: LimitOf | undefined;
  /** Whether the same request may succeed later. */
  readonly retryable: boolean;
  /** After how long it may, in milliseconds; also sent as `Retry-After`. */
  readonly retryAfterMs: number | undefined;
  /** The values that cannot be taken. */
  readonly violations: readonly Violation[] | undefined;

  constructor(
    statusCode: number,
    message: string,
    { headers = {}, code, limitOf, retryable, retryAfterMs, cause, violations }: RequestErrorDetails = {},
  ) {
    super(message, { cause });
    const retryAfter = retryAfterMs === undefined ? {} : { 'retry-after': String(Math.ceil(retryAfterMs / 1_000)) };
    this.statusCode = statusCode;
    this.headers = { ...headers, ...retryAfter };
    this.limitOf = limitOf;
    this.retryAfterMs = retryAfterMs;
    this.violations = violations;
    this.code = code ?? CODES[statusCode] ?? 'BAD_USER_INPUT';
    this.retryable = retryable ?? statusCode >= 500;
  }
}

/** The refusal of a request whose caller, or what it uses, exceeds a limit. */
export const limitExceeded = ({ limit, waitMs }: Shortage) =>
  new RequestError(429, limitMessage(limit), {
    code: 'RATE_LIMITED',
    limitOf: limit.of,
    retryable: true,
    retryAfterMs: Math.ceil(waitMs),
  });

const CODES: Readonly<Record<number, string>> = { 401: 'UNAUTHENTICATED', 403: 'FORBIDDEN' };

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
  app.setErrorHandler((error: FastifyError | GraphQLError | RequestError, { id, current }, reply) => {
    const ids = current?.ids ?? { requestId: id };
    const known = error instanceof RequestError ? error : toRequestError(error);
    if (known.code === 'INTERNAL_SERVER_ERROR') log.error({ err: error, ...ids }, 'unexpected error');
    // A client's error is the client's to know; what the gateway lacks is its operator's. Overload would be a flood of lines.
    else if (known.statusCode >= 500 && known.code !== 'OVERLOADED') log.warn(ids, known.message);
    observers.refusal(known.code, known.limitOf);
    if (typeof known.cause === 'string') observers.callerRefused(known.cause, ids);
    reply.code(known.statusCode).headers(known.headers);
    return reply.send(toBody(known, ids));
  });

  app.setNotFoundHandler(({ id }, reply) =>
    reply.code(404).send(toBody(new RequestError(404, NOTHING_HERE, { code: 'NOT_FOUND' }), { requestId: id })),
  );
}

/** Answers a request whose path cannot be decoded, which Fastify would quote. */
export function answerUnreadablePath(_error: FastifyError, { id }: FastifyRequest, reply: FastifyReply): void {
  const body = toBody(new RequestError(400, 'The path of the request is malformed.'), { requestId: id });
  reply
    .code(400)
    .headers({ ...STANDARD_HEADERS, 'x-request-id': id })
    .send(body);
}

function toRequestError(error: FastifyError | GraphQLError): RequestError {
  // The graph refuses a document before an operation runs, and names status and code.
  if (error instanceof GraphQLError) {
    const { code, http } = error.extensions as { readonly code: string; readonly http: { readonly status: number } };
    return new RequestError(http.status, error.message, { code, retryable: false });
  }
  const { statusCode = 500 } = error;
  if (statusCode >= 400 && statusCode < 500) {
    return new RequestError(statusCode, MESSAGES[statusCode] ?? 'The request cannot be served.');
  }
  return new RequestError(500, 'Internal server error', { code: 'INTERNAL_SERVER_ERROR', retryable: false });
}

const NOTHING_HERE = 'There is nothing here; the API is at /graphql.';

const toBody = ({ message, code, limitOf, retryable, retryAfterMs, violations }: RequestError, ids?: RequestIds) => ({
  errors: [{ message, extensions: { code, limitOf, retryable, retryAfterMs, violations, ...ids } }],
});

/** Writes an error as the last bytes of a connection whose request cannot be read, before Fastify sees one. */
export function toLastBytes(error: RequestError): string {
  const body = `${JSON.stringify(toBody(error))}\n`;
  const headers = {
    'content-type': 'application/json; charset=utf-8',
    'content-length': String(Buffer.byteLength(body)),
    connection: 'close',
    ...STANDARD_HEADERS,
    ...error.headers,
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${error.statusCode} ${STATUS_CODES[error.statusCode]}\r\n${lines.join('')}\r\n${body}`;
}
