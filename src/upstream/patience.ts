import { setTimeout as sleep } from 'node:timers/promises';

import { type Breaker, breakerOpen } from './breaker.ts';
import { type Deadline, startDeadline } from './deadline.ts';
import { UpstreamError } from './errors.ts';
import type { LimitPause } from './limit-pause.ts';
import type { RetryBudget } from './retry-budget.ts';

/** What is to be done: the operation, and whether it may be done twice. */
export interface Task {
  readonly operation: string;
  /** Whether it has no effect. Said by the operations table, never by the method. */
  readonly isRead: boolean;
  readonly signal?: AbortSignal | undefined;
}

/** How long a call is tried, how often, and when it is not even begun. */
export interface Patience {
  /**
   * Makes one try, and a second one where that does no harm and may help: of a read that found no answer or one of a
   * broken platform; of a write only when not a byte of it had left.
   *
   * @throws {UpstreamError} what the last try throws; `unavailable` or `rate-limited` when none was begun.
   */
  run<T>(task: Task, attempt: (deadline: Deadline) => Promise<T>): Promise<T>;
}

interface PatienceOptions {
  /** For all tries together, in milliseconds. */
  readonly timeoutMs: number;
  /** For the first try of a read, which a second one may follow, in milliseconds. */
  readonly tryTimeoutMs: number;
  readonly budget: RetryBudget;
  readonly breaker: Pick<Breaker, 'isOpen'>;
  readonly pause: LimitPause;
  readonly now?: () => number;
  /** From 0 up to 1, for the spread of second tries. */
  readonly random?: () => number;
  readonly wait?: (ms: number, signal: AbortSignal | undefined) => Promise<unknown>;
}

/** A second try comes so much later, by chance, so that those who failed together do not come back together. */
const BACKOFF_FROM_MS = 50;
const BACKOFF_TO_MS = 250;
/** The share that the latest answer has in what an answer usually takes. */
const LATEST_SHARE = 0.1;

/** Makes the patience with one platform. All its callers share it. */
export function createPatience(options: PatienceOptions): Patience {
  const { timeoutMs, tryTimeoutMs, budget, breaker, pause } = options;
  const { now = () => performance.now(), random = Math.random, wait = waitFor } = options;
  let usualMs = 0;

  const tryOnce = async <T>(task: Task, deadline: Deadline, attempt: (deadline: Deadline) => Promise<T>) => {
    if (breaker.isOpen()) throw breakerOpen(task.operation);
    const startedAtMs = now();
    const given = await pause.pass({ ...task, restMs: deadline.restMs() }, () => attempt(deadline));
    usualMs += (now() - startedAtMs - usualMs) * LATEST_SHARE;
    return given;
  };

  /** How long to wait before a second try, in milliseconds; `undefined` when there is none. */
  const secondTryIn = (task: Task, deadline: Deadline, error: unknown): number | undefined => {
    if (!isWorthRepeating(task, error) || breaker.isOpen()) return undefined;
    // A connection that broke without an answer was most likely closed while idle: another one is there at once.
    const backoffMs = isConnectionLost(error) ? 0 : BACKOFF_FROM_MS + (BACKOFF_TO_MS - BACKOFF_FROM_MS) * random();
    const delayMs = Math.max(backoffMs, error.retryAfterMs ?? 0);
    return delayMs + usualMs < deadline.restMs() && budget.spend() ? delayMs : undefined;
  };

  return {
    async run(task, attempt) {
      const deadline = startDeadline(timeoutMs, now);
      const firstTry = task.isRead ? startDeadline(Math.min(tryTimeoutMs, timeoutMs), now) : deadline;
      budget.asked();
      try {
        return await tryOnce(task, firstTry, attempt);
      } catch (error) {
        const delayMs = secondTryIn(task, deadline, error);
        if (delayMs === undefined) throw error;
        if (delayMs > 0) await wait(delayMs, task.signal);
        return tryOnce(task, deadline, attempt);
      }
    },
  };
}

/** Failures of a read that a second try may mend. */
const PASSING: readonly string[] = ['failed', 'malformed', 'timeout', 'unavailable'];

function isWorthRepeating({ operation, isRead, signal }: Task, error: unknown): error is UpstreamError {
  if (!(error instanceof UpstreamError) || error.isFinal || signal?.aborted) return false;
  // A token has been asked for with a patience of its own.
  if (error.operation !== operation) return false;
  return isRead ? PASSING.includes(error.failure) : error.failure === 'unavailable' && error.isUnsent;
}

const isConnectionLost = ({ failure, isUnsent }: UpstreamError): boolean => failure === 'unavailable' && !isUnsent;

// Who gives up while waiting is told so by the next try.
const waitFor = (ms: number, signal: AbortSignal | undefined): Promise<unknown> =>
  sleep(ms, undefined, { signal }).catch(() => undefined);
