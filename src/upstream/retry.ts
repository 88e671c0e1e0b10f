import { setTimeout as sleep } from 'node:timers/promises';

import { UpstreamError } from './errors.ts';

/** One call: the operation, and whether it may be made twice. */
export interface Task {
  readonly operation: string;
  /** Whether it has no effect, by the table of operations; never derived from the HTTP method. */
  readonly isRead: boolean;
  readonly signal?: AbortSignal | undefined;
}

/** Gives calls their deadline, and reads a second try. */
export interface RetryPolicy {
  /**
   * Makes one try, and for a read a second one where it may help. `deadline` aborts when a try's time is up.
   *
   * @throws {UpstreamError} what the last try throws.
   */
  run<T>(task: Task, attempt: (deadline: AbortSignal) => Promise<T>): Promise<T>;
}

interface RetryOptions {
  /** For all tries together, in milliseconds. */
  readonly timeoutMs: number;
  /** Whether the circuit breaker would refuse a second try. */
  readonly isOpen: () => boolean;
}

/** The share of the deadline that the first try of a read may take, so that a second one has time. */
const FIRST_TRY_SHARE = 0.5;
/** The share that a second try needs: half of the deadline, less the backoff and the lateness of timers. */
const SECOND_TRY_SHARE = 0.25;
/** A second try comes so much later, by chance, so that reads which failed together do not come back together. */
const BACKOFF_FROM_MS = 50;
const BACKOFF_TO_MS = 250;

/** Makes the policy for one host. All its callers share the retry budget. */
export function createRetryPolicy({ timeoutMs, isOpen }: RetryOptions): RetryPolicy {
  const budget = createRetryBudget();

  /** How long to wait before a second try, in milliseconds; `undefined` when there is none. */
  const delayOf = ({ operation, isRead, signal }: Task, error: unknown, restMs: number): number | undefined => {
    // A failed sign-in has had a second try of its own.
    const isRepeatable = isRead && isPassing(error) && error.operation === operation;
    if (!isRepeatable || signal?.aborted || isOpen()) return undefined;
    const delayMs = backoffMs(error);
    return restMs - delayMs >= timeoutMs * SECOND_TRY_SHARE && budget.spend() ? delayMs : undefined;
  };

  return {
    async run(task, attempt) {
      const endsAtMs = performance.now() + timeoutMs;
      const firstMs = task.isRead ? Math.ceil(timeoutMs * FIRST_TRY_SHARE) : timeoutMs;
      try {
        const result = await attempt(AbortSignal.timeout(firstMs));
        budget.earn();
        return result;
      } catch (error) {
        const delayMs = delayOf(task, error, endsAtMs - performance.now());
        if (delayMs === undefined) throw error;
        // Where the caller leaves meanwhile, the second try fails at once.
        if (delayMs > 0) await sleep(delayMs, undefined, { signal: task.signal }).catch(() => undefined);
        return attempt(AbortSignal.timeout(Math.max(0, Math.floor(endsAtMs - performance.now()))));
      }
    },
  };
}

/** Whether a second try may end better. */
const isPassing = (error: unknown): error is UpstreamError =>
  error instanceof UpstreamError &&
  !error.isFinal &&
  ['failed', 'malformed', 'timeout', 'unavailable'].includes(error.failure);

function backoffMs({ failure, isUnsent, retryAfterMs = 0 }: UpstreamError): number {
  // A connection that broke without an answer was most likely closed while idle: another one is there at once.
  if (failure === 'unavailable' && !isUnsent) return retryAfterMs;
  return Math.max(BACKOFF_FROM_MS + (BACKOFF_TO_MS - BACKOFF_FROM_MS) * Math.random(), retryAfterMs);
}

const RETRIES_MAX = 10;
const RETRIES_PER_CALL = 0.1;

/** Bounds second tries to a tenth of the calls that succeed, so that an outage is not made worse by retries. */
function createRetryBudget() {
  let retries = RETRIES_MAX;
  return {
    earn() {
      retries = Math.min(RETRIES_MAX, retries + RETRIES_PER_CALL);
    },
    spend(): boolean {
      if (retries < 1) return false;
      retries--;
      return true;
    },
  };
}
