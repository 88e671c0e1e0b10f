import { inspect } from 'node:util';

/** Why an upstream call failed. */
export type UpstreamFailure =
  | 'cancelled' // the client has disconnected
  | 'failed' // 5xx, and of getToken any 4xx that does not refuse the credentials
  | 'forbidden' // 403: the caller may not do this
  | 'malformed' // an answer that is not what the interface promises
  | 'not-found' // 404 or 410
  | 'outcome-unknown' // a write was sent, and its answer was lost or does not confirm it
  | 'overloaded' // too many calls are waiting already, or too many bytes of responses are in memory
  | 'rate-limited' // 403 with REQUEST_LIMIT_EXCEEDED, 429, or a limit of the gateway's own, as `limit` says
  | 'rejected' // 400, and any other 4xx
  | 'signed-out' // the caller has no token, or one that has expired or was refused
  | 'stopped' // the gateway is shutting down
  | 'too-large' // more responses than one operation may receive
  | 'timeout' // no complete answer within the deadline
  | 'unauthenticated' // 401 again, with a new token; or no token at all
  | 'unrecorded' // what must be recorded before a write could not be; nothing was sent
  | 'unavailable'; // no connection, or the circuit breaker is open

/** Whose limit was met: the platform's, the gateway's own call budget, or a part of that. */
export type LimitOf = 'platform' | 'gateway' | 'role' | 'caller' | 'signIns' | 'tools' | 'live';

/** A limit of calls or requests. */
export interface Limit {
  readonly of: LimitOf;
  /** The period that it counts; `undefined` for the platform's, which does not say. */
  readonly per?: 'minute' | 'hour';
}

/** The platform's complaint about one field. */
export interface FieldRefusal {
  /** The platform's name of it. */
  readonly field: string;
  /** The display name. */
  readonly message: string;
}

/** Its members as far as they are known, and what has caused it. */
type UpstreamErrorDetails = Pick<UpstreamError, 'operation'> &
  Partial<Omit<UpstreamError, keyof Error | 'failure' | 'causeCode' | 'withFieldNames'>> &
  ErrorOptions;

/**
 * A call to the upstream that failed. It carries no token, header, address or body, so it is safe to log as a whole but for
 * its `cause`, of which `causeCode` is safe; `reason` is the upstream's own message.
 */
export class UpstreamError extends Error {
  override readonly name = 'UpstreamError';
  readonly failure: UpstreamFailure;
  /** The operation's name in the upstream's interface, spelled as there. */
  readonly operation: string;
  readonly status: number | undefined;
  /** The upstream's `errorCode`, when its body had one. */
  readonly errorCode: string | undefined;
  /** The upstream's `message`, when its body had one; passed on to clients for `rejected` only. */
  readonly reason: string | undefined;
  /** The fields that the upstream refused, where its body named any; passed on like `reason`. */
  readonly fields: readonly FieldRefusal[];
  /** The problem and what to set, in the gateway's own words: for the log, and for clients. */
  readonly advice: string | undefined;
  /** The code for clients of what a feature could not record; that of the failure where absent. */
  readonly clientCode: string | undefined;
  /** Which limit was met: for `rate-limited`, the platform's where absent. */
  readonly limit: Limit | undefined;
  /** How long to wait before the next try, in milliseconds, where the platform said so; always for `rate-limited`. */
  readonly retryAfterMs: number | undefined;
  /** Whether not a byte of the request was sent. */
  readonly isUnsent: boolean;
  /** Whether the same call would fail again at once. */
  readonly isFinal: boolean;
  /** Whether a list shows this error of a field once, and not in each row. */
  readonly isOncePerList: boolean;
  /** The code of the broken connection, as Node or OpenSSL names it: `ENOTFOUND`, `ECONNREFUSED`, `CERT_HAS_EXPIRED`. */
  readonly causeCode: string | undefined;

  constructor(failure: UpstreamFailure, details: UpstreamErrorDetails) {
    const {
      operation,
      status,
      errorCode,
      reason,
      fields = [],
      advice,
      clientCode,
      cause,
    } = details;
    const {
      limit,
      retryAfterMs,
      isUnsent = false,
      isFinal = false,
      isOncePerList = false,
    } = details;
    super(`${operation}: ${failure}${status === undefined ? '' : ` (HTTP ${status})`}`, { cause });
    this.failure = failure;
    this.operation = operation;
    this.status = status;
    this.errorCode = errorCode;
    this.reason = reason;
    this.fields = fields;
    this.advice = advice;
    this.clientCode = clientCode;
    this.limit = limit ?? (failure === 'rate-limited' ? { of: 'platform' } : undefined);
    this.retryAfterMs = retryAfterMs;
    this.isUnsent = isUnsent;
    this.isFinal = isFinal;
    this.isOncePerList = isOncePerList;
    this.causeCode = codeOf(cause);
  }

  /** Gives the same failure with other names for the fields that were refused. */
  withFieldNames(names: ReadonlyMap<string, string>): UpstreamError {
    const fields = this.fields.map(({ field, message }) => ({
      field: names.get(field) ?? field,
      message,
    }));
    return new UpstreamError(this.failure, { ...this, cause: this.cause, fields });
  }
}

/** The error code of the interface's "Limits". */
export const LIMIT_EXCEEDED = 'REQUEST_LIMIT_EXCEEDED';

/** Maps an answer that is not 2xx to a failure. Source: the interface's "Errors" and "Limits". */
export function classify(status: number, errorCode: string | undefined): UpstreamFailure {
  if (status === 401) return 'unauthenticated';
  if (status >= 400 && errorCode === LIMIT_EXCEEDED) return 'rate-limited';
  if (status === 403) return 'forbidden';
  if (status === 404 || status === 410) return 'not-found';
  if (status === 429) return 'rate-limited';
  if (status >= 500) return 'failed';
  return status >= 400 ? 'rejected' : 'malformed';
}

/** The platform does not accept the caller (any more): none of their cached data may be served. */
export const REVOKED: readonly UpstreamFailure[] = ['signed-out', 'unauthenticated'];
/** The platform would not give this to the caller any more. */
export const DENIED: readonly UpstreamFailure[] = ['forbidden', 'not-found', 'rejected'];

/**
 * An argument that cannot be sent to the upstream at all. Its message is meant for the client. It has
 * no stack trace, which costs most of an error: thousands of fields may fail for one reason.
 */
export class InputError extends Error {
  override readonly name = 'InputError';

  constructor(message: string) {
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    super(message);
    Error.stackTraceLimit = stackTraceLimit;
  }
}

/** A condition on the target of a reference that too many instances meet. */
export class FilterTooWideError extends InputError {
  /** The number of these instances; `undefined` if the platform does not state it. */
  readonly found: number | undefined;
  /** The limit that was exceeded: of instances, or of characters. */
  readonly limit: number;

  constructor(message: string, { found, limit }: Pick<FilterTooWideError, 'found' | 'limit'>) {
    super(message);
    this.found = found;
    this.limit = limit;
  }
}

/** An idempotency key that has come with another mutation before. */
export class KeyReusedError extends InputError {}

/** Whether an error is a failed call of one of these kinds. */
export function isOneOf(failures: readonly UpstreamFailure[], error: unknown): boolean {
  return error instanceof UpstreamError && failures.includes(error.failure);
}

/** A message that quotes a value may be as long as the value. */
const MAX_MESSAGE_LENGTH = 1_000;

/** Returns the message of an error, or the text of another thrown value, cut to 1,000 characters. */
export const messageOf = (thrown: unknown): string =>
  (thrown instanceof Error ? thrown.message : inspect(thrown)).slice(0, MAX_MESSAGE_LENGTH);

/** Returns the result of `read`, and `undefined` where it throws. */
export function orUndefined<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

/** Gives the code of a system or protocol error, that of its innermost cause first; `undefined` when none has one. */
export function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  return (
    codeOf(error.cause) ??
    ('code' in error && typeof error.code === 'string' ? error.code : undefined)
  );
}
