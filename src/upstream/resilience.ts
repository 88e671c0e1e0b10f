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
export type RateLimitPause = ReturnType<typeof createRateLimitPause>;

/** The longest pause, in milliseconds; other waits are a minute at most. */
export const MAX_PAUSE_MS = 3_600_000;
/** How long a pause lasts before a read probes whether the limit still holds, and between two probes. */
const PROBE_MS = MINUTE_MS;
/** This many limited callers within the window, and no call that succeeds between, mean a platform-wide limit. */
const PLATFORM_WIDE_CALLERS = 3;
const PLATFORM_WIDE_WITHIN_MS = 5_000;

/**
 * Makes the pause of one platform, as long as that says. The interface does not say whether its limit is on users or on the
 * API, so a pause is the caller's who met the limit; it is for everybody when the gateway itself meets it, or several callers do
 * while no caller is served.
 */
export function createRateLimitPause(now: () => number = () => performance.now()) {
  const metAtMs = new Map<string, number>();
  const ofAll = createPause(now);

  /** By name: one person with several sessions is one caller. */
  const isMetBySeveral = (caller: string): boolean => {
    metAtMs.set(caller, now());
    for (const [other, atMs] of metAtMs)
      if (now() - atMs > PLATFORM_WIDE_WITHIN_MS) metAtMs.delete(other);
    return metAtMs.size >= PLATFORM_WIDE_CALLERS;
  };

  return {
    /** The remaining time of the global pause in milliseconds; 0 without a pause. */
    restMs: ofAll.restMs,
    /**
     * The pause as one caller sees it: its own, and the one that is for everybody.
     *
     * @param nameOf gives the caller's name, `undefined` being the gateway itself. Equal names are one caller.
     */
    forCaller(nameOf: () => string | undefined): Interceptor {
      const own = createPause(now);
      const succeeded = (isProbe: boolean) => {
        metAtMs.clear();
        if (isProbe) for (const pause of [own, ofAll]) pause.end();
      };
      const failed = (error: unknown) => {
        // A refusal by the gateway's own budget says nothing about the platform.
        if (!(error instanceof UpstreamError) || error.failure !== 'rate-limited' || error.isUnsent)
          return;
        const name = nameOf();
        const pause = name === undefined || isMetBySeveral(name) ? ofAll : own;
        pause.start(error.retryAfterMs ?? 0);
      };
      /** Lets a call probe a long pause where that is due; the pause ends when it succeeds. */
      const beginProbe = (call: Call): boolean => {
        const isProbe = isRead(call) && own.isProbeDue() && ofAll.isProbeDue();
        if (isProbe) for (const pause of [own, ofAll]) pause.start(0);
        return isProbe;
      };
      return (next) => (call) => {
        const restMs = Math.max(own.restMs(), ofAll.restMs());
        const isProbe = restMs > 0 && beginProbe(call);
        if (restMs > 0 && !isProbe)
          return Promise.reject(limited(call.operation, restMs, { of: 'platform' }));
        const sent = next(call);
        sent.then(() => succeeded(isProbe), failed);
        return sent;
      };
    },
  };
}

function createPause(now: () => number) {
  let untilMs = Number.NEGATIVE_INFINITY;
  let probeAtMs = Number.NEGATIVE_INFINITY;
  return {
    restMs: () => Math.max(0, untilMs - now()),
    isProbeDue: () => now() >= probeAtMs || now() >= untilMs,
    /** Starts or extends it. The next probe is a minute from now. */
    start(forMs: number): void {
      untilMs = Math.max(untilMs, now() + Math.min(forMs, MAX_PAUSE_MS));
      probeAtMs = now() + PROBE_MS;
    },
    end(): void {
      untilMs = Number.NEGATIVE_INFINITY;
    },
  };
}

/** So many calls in a row without an answer open the breaker … */
const UNANSWERED = 20;
/** … once nothing has answered for so long, in milliseconds: a burst of broken connections is no outage. */
const SILENCE_MS = 2_000;
/** How long the breaker stays open before half-open probes, in milliseconds, also from the start of a probe that fails. */
const OPEN_MS = 150;
/** So many callers may probe at a time. */
const MAX_PROBES = 8;
/** Failures that no answer came with. */
const SILENT: readonly UpstreamFailure[] = ['timeout', 'unavailable', 'outcome-unknown'];

/**
 * Stops all callers' calls to a host that does not answer, and finds out by single calls when it does again: one of each caller
 * at a time, so that a caller whose calls are never answered does not use up the probes of the others.
 *
 * @param onChange called when the breaker opens, and when it closes after that.
 * @param now a clock that never goes back, in milliseconds.
 */
export function createCircuitBreaker(
  onChange: (isOpen: boolean) => void,
  now = () => performance.now(),
) {
  let unanswered = 0;
  let silentSinceMs = 0;
  let openUntilMs: number | undefined;
  /** The callers whose probe is in flight; `undefined` is the gateway itself. */
  const probing = new Set<string | undefined>();

  const isOpen = (caller?: string) =>
    openUntilMs !== undefined &&
    (now() < openUntilMs || probing.has(caller) || probing.size >= MAX_PROBES);
  const answered = () => {
    unanswered = 0;
    silentSinceMs = now();
    if (openUntilMs !== undefined) onChange(false);
    openUntilMs = undefined;
  };
  const notAnswered = (startedAtMs: number) => {
    if (unanswered === 0) silentSinceMs = Math.max(silentSinceMs, startedAtMs);
    unanswered++;
    if (openUntilMs !== undefined || unanswered < UNANSWERED || now() - silentSinceMs < SILENCE_MS)
      return;
    openUntilMs = now() + OPEN_MS;
    onChange(true);
  };
  /** What another call's answer has closed stays closed. */
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
   * Sends unless the breaker is open. Any HTTP status is an answer, also a 500; a cancelled call does not count.
   *
   * @throws {UpstreamError} `unavailable`, with nothing sent, while the breaker is open.
   */
  const intercept: Interceptor = (next) => (call) => {
    const { operation, caller, signal, work } = call;
    if (isOpen(caller)) {
      return Promise.reject(
        new UpstreamError('unavailable', { operation, isUnsent: true, isFinal: true }),
      );
    }
    if (openUntilMs === undefined) return watch(next, call);
    // Whether a write was sent, only the client knows that sends it.
    if (signal === undefined || !isRead(call)) return probe(next, call);
    // A read serves all callers as a probe, and continues when its own is cancelled.
    work?.begin();
    const probed = whenEnded(probe(next, { ...call, signal: undefined }), () => work?.finish());
    return untilAborted(probed, operation, signal);
  };

  return {
    /** Whether a call of this caller would be refused now. */
    isOpen,
    /** Whether nothing has answered since it opened; between two probes it is not open. */
    isTripped: () => openUntilMs !== undefined,
    intercept,
  };
}

/** Whether a failed call was answered, perhaps by a response that is malformed, too large, or not understood. */
const isAnswer = (error: unknown): boolean =>
  error instanceof UpstreamError &&
  !error.isUnsent &&
  (error.status !== undefined || isOneOf(['malformed', 'too-large'], error));

/** Whether nothing answered. A call that timed out in the gateway's own queue says nothing about the host. */
const isSilence = (error: unknown, { startedAtMs }: Call): boolean =>
  isOneOf(SILENT, error) && (startedAtMs !== undefined || !isOneOf(['timeout'], error));

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
    if (!isRepeatable || call.signal?.aborted || isOpen(call.caller) || budget < 1)
      return undefined;
    const delayMs = backoffMs(error);
    return restMs - delayMs >= timeoutMs * SECOND_TRY_SHARE ? delayMs : undefined;
  };

  return (next) => (call) => {
    const startedAtMs = performance.now();
    const mayRepeat = isRead(call) && budget >= 1;
    call.endsAtMs = startedAtMs + (mayRepeat ? Math.ceil(timeoutMs * FIRST_TRY_SHARE) : timeoutMs);
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
        // Where the caller leaves meanwhile, the second try fails at once.
        if (delayMs > 0)
          await sleep(delayMs, undefined, signal && { signal }).catch(() => undefined);
        return next(call);
      },
    );
  };
}

/** Whether a second try may end better. */
const isTransient = (error: unknown): error is UpstreamError =>
  error instanceof UpstreamError &&
  !error.isFinal &&
  ['failed', 'malformed', 'timeout', 'unavailable'].includes(error.failure);

function backoffMs({ failure, isUnsent, retryAfterMs = 0 }: UpstreamError): number {
  // A connection that broke without an answer was most likely closed while idle: another one is there at once.
  if (failure === 'unavailable' && !isUnsent) return retryAfterMs;
  return Math.max(
    BACKOFF_FROM_MS + (BACKOFF_TO_MS - BACKOFF_FROM_MS) * Math.random(),
    retryAfterMs,
  );
}
