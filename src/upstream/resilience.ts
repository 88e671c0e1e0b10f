import { setTimeout as sleep } from 'node:timers/promises';

import { untilAborted } from '../core/abort.ts';
import { isOneOf, UpstreamError, type UpstreamFailure } from '../core/errors.ts';
import {
  type Call,
  type HttpResponse,
  type Interceptor,
  isRead,
  type Send,
  whenEnded,
} from './call.ts';
import { MINUTE_MS } from './call-buckets.ts';
import { limited } from './call-budget.ts';

/** Stops calls while the platform's request limit is exceeded. */
export interface RateLimitBackoff {
  /** Returns the remaining time of the global backoff in milliseconds. 0 without a backoff. */
  restMs(): number;
  /**
   * Creates the interceptor of one caller. It applies the caller's backoff and the global one.
   *
   * @param nameOf returns the caller's name; `undefined` for the gateway itself. Equal names
   *   are one caller.
   */
  forCaller(nameOf: () => string | undefined): Interceptor;
}

/** The longest backoff in milliseconds. Other waits are at most a minute. */
export const MAX_BACKOFF_MS = 3_600_000;
/** The time before a read probes a long backoff, and between two probes. */
const PROBE_MS = MINUTE_MS;
/**
 * This many limited callers within the window, without a successful call, mean a platform-wide
 * limit.
 */
const PLATFORM_WIDE_CALLERS = 3;
const PLATFORM_WIDE_WITHIN_MS = 5_000;

/**
 * Creates the backoff of one platform. The interface does not define whether its limit applies to
 * users or to the API. So the backoff applies to the limited caller. It becomes global if the
 * gateway's own call was limited, or several callers were limited and no call succeeded.
 */
export function createRateLimitBackoff(
  now: () => number = () => performance.now(),
): RateLimitBackoff {
  const limitedAtMs = new Map<string, number>();
  const globalBackoff = createBackoff(now);

  /** Callers are counted by name. A user with several sessions counts once. */
  const areSeveralLimited = (caller: string): boolean => {
    limitedAtMs.set(caller, now());
    for (const [other, atMs] of limitedAtMs) {
      if (now() - atMs > PLATFORM_WIDE_WITHIN_MS) limitedAtMs.delete(other);
    }
    return limitedAtMs.size >= PLATFORM_WIDE_CALLERS;
  };

  return {
    restMs: globalBackoff.restMs,
    forCaller(nameOf) {
      const callerBackoff = createBackoff(now);
      const succeeded = (isProbe: boolean) => {
        limitedAtMs.clear();
        if (!isProbe) return;
        callerBackoff.end();
        globalBackoff.end();
      };
      const failed = (error: unknown) => {
        if (!(error instanceof UpstreamError) || error.failure !== 'rate-limited') return;
        // The gateway's own budget has refused the call. The platform is not involved.
        if (error.isUnsent) return;
        const name = nameOf();
        const isGlobal = name === undefined || areSeveralLimited(name);
        const backoff = isGlobal ? globalBackoff : callerBackoff;
        backoff.start(error.retryAfterMs ?? 0);
      };
      /** Lets a due call probe a long backoff. If the probe succeeds, the backoff ends. */
      const beginProbe = (call: Call): boolean => {
        const isProbe = isRead(call) && callerBackoff.isProbeDue() && globalBackoff.isProbeDue();
        if (!isProbe) return false;
        callerBackoff.start(0);
        globalBackoff.start(0);
        return true;
      };

      return (next) => (call) => {
        const restMs = Math.max(callerBackoff.restMs(), globalBackoff.restMs());
        const isProbe = restMs > 0 && beginProbe(call);
        if (restMs > 0 && !isProbe) {
          return Promise.reject(limited(call.operation, restMs, { of: 'platform' }));
        }
        const sent = next(call);
        sent.then(() => succeeded(isProbe), failed);
        return sent;
      };
    },
  };
}

function createBackoff(now: () => number) {
  let untilMs = Number.NEGATIVE_INFINITY;
  let probeAtMs = Number.NEGATIVE_INFINITY;
  return {
    restMs: () => Math.max(0, untilMs - now()),
    isProbeDue: () => now() >= probeAtMs || now() >= untilMs,
    /** Starts or extends the backoff. The next probe is due in a minute. */
    start(forMs: number): void {
      untilMs = Math.max(untilMs, now() + Math.min(forMs, MAX_BACKOFF_MS));
      probeAtMs = now() + PROBE_MS;
    },
    end(): void {
      untilMs = Number.NEGATIVE_INFINITY;
    },
  };
}

/** The number of consecutive calls without a response that opens the breaker … */
const UNANSWERED = 20;
/**
 * … if no response was received for this many milliseconds. A burst of broken connections is no
 * outage.
 */
const SILENCE_MS = 2_000;
/**
 * The time before probes in milliseconds, counted from the opening or from the start of a failed
 * probe.
 */
const OPEN_MS = 150;
/** The highest number of callers that probe at the same time. */
const MAX_PROBES = 8;
/** Failures without a response. */
const SILENT: readonly UpstreamFailure[] = ['timeout', 'unavailable', 'outcome-unknown'];

/**
 * Creates a circuit breaker for the calls to one host. While it is open, single calls probe the
 * host. Each caller has at most one probe at a time, so that a caller with hanging calls does not
 * use up the others' probes.
 *
 * @param onChange runs when the breaker opens, and when it closes again.
 * @param now a monotonic clock in milliseconds.
 */
export function createCircuitBreaker(
  onChange: (isOpen: boolean) => void,
  now = () => performance.now(),
) {
  let unanswered = 0;
  let silentSinceMs = 0;
  let openUntilMs: number | undefined;
  /** The callers with a probe in flight. `undefined` is the gateway itself. */
  const probing = new Set<string | undefined>();

  const isOpen = (caller?: string): boolean => {
    if (openUntilMs === undefined) return false;
    const mayProbe = now() >= openUntilMs && !probing.has(caller) && probing.size < MAX_PROBES;
    return !mayProbe;
  };
  const answered = () => {
    unanswered = 0;
    silentSinceMs = now();
    if (openUntilMs !== undefined) onChange(false);
    openUntilMs = undefined;
  };
  const notAnswered = (startedAtMs: number) => {
    if (unanswered === 0) silentSinceMs = Math.max(silentSinceMs, startedAtMs);
    unanswered++;
    if (openUntilMs !== undefined) return;
    if (unanswered < UNANSWERED || now() - silentSinceMs < SILENCE_MS) return;
    openUntilMs = now() + OPEN_MS;
    onChange(true);
  };
  /** If another call has already closed the breaker, leave it closed. */
  const probeNotAnswered = (startedAtMs: number) => {
    if (openUntilMs !== undefined) openUntilMs = Math.max(openUntilMs, startedAtMs + OPEN_MS);
  };
  const watch = (next: Send, call: Call, onSilence = notAnswered): Promise<HttpResponse> =>
    next(call).then(
      (response) => {
        answered();
        return response;
      },
      (error: unknown) => {
        if (isAnswer(error)) answered();
        else if (isSilence(error, call)) onSilence(call.startedAtMs ?? now());
        throw error;
      },
    );
  const probe = (next: Send, call: Call): Promise<HttpResponse> => {
    probing.add(call.caller);
    return whenEnded(watch(next, call, probeNotAnswered), () => probing.delete(call.caller));
  };
  /**
   * Sends the call unless the breaker is open. Any HTTP status counts as a response, including 500.
   * Cancelled calls do not count.
   *
   * @throws {UpstreamError} `unavailable` while the breaker is open. Nothing is sent.
   */
  const intercept: Interceptor = (next) => (call) => {
    const { operation, caller, signal, requestState } = call;
    if (isOpen(caller)) {
      return Promise.reject(
        new UpstreamError('unavailable', { operation, isUnsent: true, isFinal: true }),
      );
    }
    if (openUntilMs === undefined) return watch(next, call);
    // A write keeps its own signal, because only the HTTP client knows whether it was sent.
    if (signal === undefined || !isRead(call)) return probe(next, call);
    // A probe serves all callers, so a read continues when its own request is cancelled.
    requestState?.begin();
    const probed = whenEnded(probe(next, { ...call, signal: undefined }), () =>
      requestState?.finish(),
    );
    return untilAborted(probed, operation, signal);
  };

  return {
    /** Returns whether a call of this caller would be refused now. */
    isOpen,
    /**
     * Returns whether the host has not responded since the breaker opened. Also true between two
     * probes.
     */
    isTripped: () => openUntilMs !== undefined,
    intercept,
  };
}

/** Returns whether a failed call got a response, for example a malformed or oversized one. */
function isAnswer(error: unknown): boolean {
  if (!(error instanceof UpstreamError) || error.isUnsent) return false;
  return error.status !== undefined || isOneOf(['malformed', 'too-large'], error);
}

/**
 * Returns whether the host did not respond. A timeout in the gateway's own queue does not count.
 */
function isSilence(error: unknown, { startedAtMs }: Call): boolean {
  const isQueued = startedAtMs === undefined;
  if (isQueued && isOneOf(['timeout'], error)) return false;
  return isOneOf(SILENT, error);
}

/** The part of the deadline for the first attempt of a read, so that a second one has time. */
const FIRST_TRY_SHARE = 0.5;
/**
 * The part that a second attempt needs: half of the deadline, minus the backoff and the delay of
 * timers.
 */
const SECOND_TRY_SHARE = 0.25;
/** The random delay of a second attempt, so that failed reads do not return together. */
const BACKOFF_FROM_MS = 50;
const BACKOFF_TO_MS = 250;
/**
 * The retry budget: a tenth of the successful calls plus ten. Retries must not make an outage
 * worse.
 */
const RETRIES_MAX = 10;
const RETRIES_PER_CALL = 0.1;

/**
 * Runs a call, and for a read a second attempt if that may help.
 *
 * @throws {UpstreamError} of the last attempt.
 */
type Retry = <T>(next: (call: Call) => Promise<T>) => (call: Call) => Promise<T>;

/**
 * Creates the deadline and retry of calls to one host. All its callers share the retry budget.
 *
 * @param timeoutMs the timeout of all attempts together.
 * @param isOpen returns whether the circuit breaker would refuse a caller's second attempt.
 */
export function createRetry(timeoutMs: number, isOpen: (caller?: string) => boolean): Retry {
  let budget = RETRIES_MAX;

  /** Returns the delay of a second attempt in milliseconds; `undefined` for no second attempt. */
  const delayOf = (call: Call, error: unknown, restMs: number): number | undefined => {
    if (!isRead(call) || !isTransient(error)) return undefined;
    // A failed sign-in has already had its own retry.
    if (error.operation !== call.operation) return undefined;
    if (call.signal?.aborted || isOpen(call.caller) || budget < 1) return undefined;
    const delayMs = backoffMs(error);
    const isTimeLeft = restMs - delayMs >= timeoutMs * SECOND_TRY_SHARE;
    return isTimeLeft ? delayMs : undefined;
  };

  return (next) => (call) => {
    const startedAtMs = performance.now();
    const mayRepeat = isRead(call) && budget >= 1;
    const firstTimeoutMs = mayRepeat ? Math.ceil(timeoutMs * FIRST_TRY_SHARE) : timeoutMs;
    call.endsAtMs = startedAtMs + firstTimeoutMs;
    return next(call).then(
      (result) => {
        budget = Math.min(RETRIES_MAX, budget + RETRIES_PER_CALL);
        return result;
      },
      async (error: unknown) => {
        call.endsAtMs = startedAtMs + timeoutMs;
        call.startedAtMs = undefined;
        const delayMs = delayOf(call, error, call.endsAtMs - performance.now());
        if (delayMs === undefined) throw error;
        budget--;
        const { signal } = call;
        // If the caller disconnects in the meantime, the second attempt fails at once.
        if (delayMs > 0) {
          await sleep(delayMs, undefined, signal && { signal }).catch(() => undefined);
        }
        return next(call);
      },
    );
  };
}

/** Returns whether a second attempt may succeed. */
const isTransient = (error: unknown): error is UpstreamError =>
  error instanceof UpstreamError &&
  !error.isFinal &&
  ['failed', 'malformed', 'timeout', 'unavailable'].includes(error.failure);

function backoffMs({ failure, isUnsent, retryAfterMs = 0 }: UpstreamError): number {
  // The connection was most likely closed while idle. A new one is available at once.
  if (failure === 'unavailable' && !isUnsent) return retryAfterMs;
  const randomMs = BACKOFF_FROM_MS + (BACKOFF_TO_MS - BACKOFF_FROM_MS) * Math.random();
  return Math.max(randomMs, retryAfterMs);
}
