import { inspect } from 'node:util';

import type { JsonObject } from './json.ts';

/** The reason why an upstream call failed. */
export type UpstreamFailure =
  | 'cancelled' // the client has disconnected
  | 'failed' // 5xx; for getToken also any 4xx that does not refuse the credentials
  | 'forbidden' // 403: the caller may not do this
  | 'malformed' // the response differs from the interface
  | 'not-found' // 404 or 410
  | 'outcome-unknown' // a write was sent, and its response was lost or does not confirm it
  | 'overloaded' // too many calls are waiting already, or too many bytes of responses are in memory
  | 'rate-limited' // 403 with REQUEST_LIMIT_EXCEEDED, 429, or a limit of the gateway (see `limit`)
  | 'rejected' // 400, or another 4xx
  | 'signed-out' // the caller has no token, or the token has expired or was refused
  | 'stopped' // the gateway is shutting down
  | 'too-large' // more responses than one operation may receive
  | 'timeout' // no complete response within the deadline
  | 'unauthenticated' // a second 401 after a new token, or no token was available
  | 'unrecorded' // an entry that must precede the write was not recorded; nothing was sent
  | 'unavailable'; // no connection, or the circuit breaker is open

/** The owner of a limit: the platform, the gateway's call budget, or a part of that budget. */
export type LimitOf = 'platform' | 'gateway' | 'role' | 'caller' | 'signIns' | 'tools' | 'live';

/** A limit of calls or requests. */
export interface Limit {
  readonly of: LimitOf;
  /** The period of the limit. `undefined` for the platform's limit, whose period is unknown. */
  readonly per?: 'minute' | 'hour';
}

/** The platform's error for one field. */
export interface FieldRefusal {
  /** The platform's name of the field. */
  readonly field: string;
  /** The platform's message about the field. */
  readonly message: string;
}

/** The known members of an `UpstreamError`, and its cause. */
interface UpstreamErrorDetails extends ErrorOptions {
  readonly operation: string;
  readonly status?: number | undefined;
  readonly errorCode?: string | undefined;
  readonly reason?: string | undefined;
  readonly fields?: readonly FieldRefusal[];
  readonly advice?: string | undefined;
  readonly clientCode?: string | undefined;
  readonly limit?: Limit | undefined;
  readonly retryAfterMs?: number | undefined;
  readonly isUnsent?: boolean;
  readonly isFinal?: boolean;
  readonly isOncePerList?: boolean;
}

/**
 * A failed call to the upstream. It contains no token, header, address or body, so it can be logged
 * without its `cause`. Of the cause, log `causeCode` only. `reason` is the upstream's own message.
 */
export class UpstreamError extends Error {
  override readonly name = 'UpstreamError';
  readonly failure: UpstreamFailure;
  /** The operation's name in the upstream's interface, with its spelling. */
  readonly operation: string;
  readonly status: number | undefined;
  /** The `errorCode` of the upstream's body, if there is one. */
  readonly errorCode: string | undefined;
  /** The `message` of the upstream's body, if there is one. Clients get it for `rejected` only. */
  readonly reason: string | undefined;
  /**
   * The refused fields that the upstream's body names. Clients get them in the same cases as
   * `reason`.
   */
  readonly fields: readonly FieldRefusal[];
  /** The problem and the setting to change, in the gateway's words. For the log and for clients. */
  readonly advice: string | undefined;
  /**
   * The error code for clients if a feature could not record the call. By default it follows from
   * `failure`.
   */
  readonly clientCode: string | undefined;
  /** The limit that was exceeded. For `rate-limited` the default is the platform's limit. */
  readonly limit: Limit | undefined;
  /**
   * Milliseconds until the next try, if the platform sent them. Always present for `rate-limited`.
   */
  readonly retryAfterMs: number | undefined;
  /** Whether no byte of the request was sent. */
  readonly isUnsent: boolean;
  /** Whether an immediate retry would fail in the same way. */
  readonly isFinal: boolean;
  /** Whether a list reports this error of a field once instead of in each row. */
  readonly isOncePerList: boolean;
  /**
   * The code of the connection error from Node or OpenSSL: `ENOTFOUND`, `ECONNREFUSED`,
   * `CERT_HAS_EXPIRED`.
   */
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

  /** Returns a failure of a read that came before a change, so that the change was not sent. */
  asUnsent(): UpstreamError {
    return new UpstreamError(this.failure, { ...this, cause: this.cause, isUnsent: true });
  }

  /** Returns the same failure with the refused fields renamed by this map. */
  withFieldNames(names: ReadonlyMap<string, string>): UpstreamError {
    const fields = this.fields.map(({ field, message }) => ({
      field: names.get(field) ?? field,
      message,
    }));
    return new UpstreamError(this.failure, { ...this, cause: this.cause, fields });
  }
}

/** The error code from the interface's section "Limits". */
export const LIMIT_EXCEEDED = 'REQUEST_LIMIT_EXCEEDED';

/**
 * Returns the failure for a status that is not 2xx. Source: the interface's "Errors" and "Limits".
 */
export function classify(status: number, errorCode: string | undefined): UpstreamFailure {
  if (status === 401) return 'unauthenticated';
  if (status >= 400 && errorCode === LIMIT_EXCEEDED) return 'rate-limited';
  if (status === 403) return 'forbidden';
  if (status === 404 || status === 410) return 'not-found';
  if (status === 429) return 'rate-limited';
  if (status >= 500) return 'failed';
  return status >= 400 ? 'rejected' : 'malformed';
}

/** The platform no longer accepts the caller. The caller's cached data must not be served. */
export const REVOKED: readonly UpstreamFailure[] = ['signed-out', 'unauthenticated'];
/** The platform would no longer return this data to the caller. */
export const DENIED: readonly UpstreamFailure[] = ['forbidden', 'not-found', 'rejected'];

/**
 * An argument that cannot be sent to the upstream. Clients get its message. It has no stack trace,
 * because the trace is the expensive part and one cause may fail thousands of fields.
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

/** An idempotency key that was used before with another mutation. */
export class KeyReusedError extends InputError {}

/** A change that was not sent, because the instance has other values than the client expects. */
export class ConflictError extends InputError {
  /** The fields that differ, by their names in the input. */
  readonly fields: readonly string[];
  /** The instance as the platform has it now. */
  readonly record: unknown;
  /** The values that the client selected of it, by their names in the response. */
  readonly current: JsonObject | undefined;

  constructor(fields: readonly string[], record: unknown, current?: JsonObject) {
    const others = fields.length > MAX_NAMED_FIELDS ? ' and others' : '';
    super(
      `The instance has other values than expected: ${fields.slice(0, MAX_NAMED_FIELDS).join(', ')}${others}. ` +
        'Nothing was sent. If an earlier response was lost, this may be your own change.',
    );
    this.fields = fields;
    this.record = record;
    this.current = current;
  }

  /** Returns the same conflict with other names for its fields. */
  withFieldNames(names: ReadonlyMap<string, string>): ConflictError {
    const renamed = this.fields.map((field) => names.get(field) ?? field);
    return new ConflictError(renamed, this.record, this.current);
  }
}

const MAX_NAMED_FIELDS = 10;

/** Returns an error with other names for the fields that it is about. */
export const withFieldNames = (error: unknown, names: ReadonlyMap<string, string>): unknown =>
  error instanceof UpstreamError || error instanceof ConflictError
    ? error.withFieldNames(names)
    : error;

/** Returns whether an error is a failed call with one of these failures. */
export function isOneOf(failures: readonly UpstreamFailure[], error: unknown): boolean {
  return error instanceof UpstreamError && failures.includes(error.failure);
}

/** A message can quote a value of any length. */
const MAX_MESSAGE_LENGTH = 1_000;

/** Returns an error's message, or the text of another thrown value, cut to 1,000 characters. */
export const messageOf = (thrown: unknown): string =>
  (thrown instanceof Error ? thrown.message : inspect(thrown)).slice(0, MAX_MESSAGE_LENGTH);

/** Returns the code of an error or of its cause. Without a code, returns the message. */
export const codeOrMessage = (thrown: unknown): string => codeOf(thrown) ?? messageOf(thrown);

/** Returns the result of `read`, or `undefined` if it throws. */
export function orUndefined<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

/**
 * Returns the code of a system or protocol error. The innermost cause has precedence. `undefined`
 * if the error and its causes have no code.
 */
export function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  return (
    codeOf(error.cause) ??
    ('code' in error && typeof error.code === 'string' ? error.code : undefined)
  );
}
