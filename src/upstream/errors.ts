/** Why an upstream call failed, in the gateway's words. */
export type UpstreamFailure =
  | 'cancelled' // nobody waits for the answer any more
  | 'failed' // 5xx
  | 'forbidden' // 403: the caller may not do this
  | 'malformed' // an answer that is not what the interface promises
  | 'not-found' // 404
  | 'outcome-unknown' // a write left, and its answer was lost
  | 'overloaded' // too many calls are waiting already; nothing was sent
  | 'rate-limited' // 403 with REQUEST_LIMIT_EXCEEDED, or 429
  | 'rejected' // 400, and any other 4xx
  | 'signed-out' // the caller has no token, or one that has ended or is refused
  | 'stopped' // the gateway stops, and waits no longer
  | 'timeout' // no full answer within the deadline
  | 'unauthenticated' // 401 again, with a new token; or no token at all
  | 'unavailable'; // no connection

interface UpstreamErrorDetails extends ErrorOptions {
  readonly operation: string;
  readonly status?: number | undefined;
  readonly errorCode?: string | undefined;
  readonly reason?: string | undefined;
  readonly retryAfterMs?: number | undefined;
  readonly isUnsent?: boolean;
  readonly isFinal?: boolean;
}

/**
 * A call to the upstream that failed. It carries no token, header, address or body,
 * so it is safe to log as a whole; `reason` is the upstream's own message for people.
 */
export class UpstreamError extends Error {
  override readonly name = 'UpstreamError';
  readonly failure: UpstreamFailure;
  /** The operation's name in the upstream's interface, spelled as there. */
  readonly operation: string;
  /** The HTTP status, or `undefined` when there was no answer. */
  readonly status: number | undefined;
  /** The upstream's `errorCode`, when its body had one. */
  readonly errorCode: string | undefined;
  /** The upstream's `message`, when its body had one; passed on to clients for `rejected` only. */
  readonly reason: string | undefined;
  /** How long to wait before asking again, in milliseconds, where the platform said so; always for `rate-limited`. */
  readonly retryAfterMs: number | undefined;
  /** Whether not a byte of the request has left. */
  readonly isUnsent: boolean;
  /** Whether asking again at once would change nothing. */
  readonly isFinal: boolean;

  constructor(failure: UpstreamFailure, details: UpstreamErrorDetails) {
    const { operation, status, errorCode, reason, retryAfterMs, isUnsent = false, isFinal = false, cause } = details;
    super(`${operation}: ${failure}${status === undefined ? '' : ` (HTTP ${status})`}`, { cause });
    this.failure = failure;
    this.operation = operation;
    this.status = status;
    this.errorCode = errorCode;
    this.reason = reason;
    this.retryAfterMs = retryAfterMs;
    this.isUnsent = isUnsent;
    this.isFinal = isFinal;
  }
}

/** Maps an answer that is not 2xx to a failure. Source: the interface's "Errors" and "Limits". */
export function classify(status: number, errorCode: string | undefined): UpstreamFailure {
  if (status === 401) return 'unauthenticated';
  if (status === 403) return errorCode === 'REQUEST_LIMIT_EXCEEDED' ? 'rate-limited' : 'forbidden';
  if (status === 404) return 'not-found';
  if (status === 429) return 'rate-limited';
  if (status >= 500) return 'failed';
  return status >= 400 ? 'rejected' : 'malformed';
}

/** An argument that cannot be said to the upstream at all. Its message is meant for the client. */
export class InputError extends Error {
  override readonly name = 'InputError';
}

/** Whether an error says that there is no such thing, which for a read is an answer. */
export function isNotFound(error: unknown): boolean {
  return error instanceof UpstreamError && error.failure === 'not-found';
}
