import { setTimeout as sleep } from 'node:timers/promises';

import { toAbortSignal } from '../core/abort.ts';
import { UpstreamError } from '../core/errors.ts';
import { type Call, isRead } from './call.ts';

/** The share of the deadline that the first try of a read may take where a second one may follow, so that it has time. */
const FIRST_TRY_SHARE = 0.5;
/** The share that a second try needs: half of the deadline, less the backoff and the lateness of timers. */
const SECOND_TRY_SHARE = 0.25;
/** A second try comes so much later, by chance, so that reads which failed together do not come back together. */
const BACKOFF_FROM_MS = 50;
const BACKOFF_TO_MS = 250;
/** Second tries are at most a tenth of the calls that succeed, and ten more, so that an outage is not made worse by them. */
const RETRIES_MAX = 10;
const RETRIES_PER_CALL = 0.1;

/** Makes one try of a call, and for a read a second one where it may help. @throws {UpstreamError} what the last try throws. */
type Retry = <T>(next: (call: Call) => Promise<T>) => (call: Call) => Promise<T>;

/**
 * Makes the deadline and the second try of calls to one host. All its callers share the retry budget.
 *
 * @param timeoutMs for all tries together.
 * @param isOpen whether the circuit breaker would refuse a caller's second try.
 */
export function createRetry(timeoutMs: number, isOpen: (caller?: string) => boolean): Retry {
  let budget = RETRIES_MAX;

  /** How long to wait before a second try, in milliseconds; `undefined` when there is none. */
  const delayOf = (call: Call, error: unknown, restMs: number): number | undefined => {
    // A failed sign-in has had a second try of its own.
    const isRepeatable = isRead(call) && isTransient(error) && error.operation === call.operation;
    if (!isRepeatable || call.signal?.aborted || isOpen(call.caller) || budget < 1) return undefined;
    const delayMs = backoffMs(error);
    return restMs - delayMs >= timeoutMs * SECOND_TRY_SHARE ? delayMs : undefined;
  };

  const sendBy = async <T>(next: (call: Call) => Promise<T>, call: Call): Promise<T> => {
    const { signal } = call;
    const startedAtMs = performance.now();
    const firstMs = isRead(call) && budget >= 1 ? Math.ceil(timeoutMs * FIRST_TRY_SHARE) : timeoutMs;
    try {
      call.endsAtMs = startedAtMs + firstMs;
      const result = await next(call);
      budget = Math.min(RETRIES_MAX, budget + RETRIES_PER_CALL);
      return result;
    } catch (error) {
      call.endsAtMs = startedAtMs + timeoutMs;
      const delayMs = delayOf(call, error, call.endsAtMs - performance.now());
      if (delayMs === undefined) throw error;
      budget--;
      // Where the caller leaves meanwhile, the second try fails at once.
      if (delayMs > 0)
        await sleep(delayMs, undefined, signal && { signal: toAbortSignal(signal) }).catch(() => undefined);
      return next(call);
    }
  };
  return (next) => (call) => sendBy(next, call);
}

/** Whether a second try may end better. */
const isTransient = (error: unknown): error is UpstreamError =>
  error instanceof UpstreamError &&
  !error.isFinal &&
  ['failed', 'malformed', 'timeout', 'unavailable'].includes(error.failure);

function backoffMs({ failure, isUnsent, retryAfterMs = 0 }: UpstreamError): number {
  // A connection that broke without an answer was most likely closed while idle: another one is there at once.
  if (failure === 'unavailable' && !isUnsent) return retryAfterMs;
  return Math.max(BACKOFF_FROM_MS + (BACKOFF_TO_MS - BACKOFF_FROM_MS) * Math.random(), retryAfterMs);
}
