import { setTimeout as sleep } from 'node:timers/promises';

import { type Signal, toAbortSignal, untilAborted } from '../core/abort.ts';
import { isOneOf, UpstreamError, type UpstreamFailure } from '../core/errors.ts';
import type { HttpRequest, HttpResponse, Send } from './http.ts';

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

interface BreakerOptions {
  /** Called when the breaker opens, and when it closes after that. */
  readonly onChange?: ((isOpen: boolean) => void) | undefined;
  /** A clock that never goes back, in milliseconds. */
  readonly now?: () => number;
}

/**
 * Stops all callers' calls to a host that does not answer, and finds out by single calls when it does again: one of each caller
 * at a time, so that a caller whose calls are never answered does not use up the probes of the others.
 */
export function createCircuitBreaker(send: Send, options: BreakerOptions = {}) {
  const { onChange, now = () => performance.now() } = options;
  let unanswered = 0;
  let silentSinceMs = 0;
  let openUntilMs: number | undefined;
  let openings = 0;
  /** The callers whose probe is in flight; `undefined` is the gateway itself. */
  const probing = new Set<string | undefined>();

  const isOpen = (caller?: string) =>
    openUntilMs !== undefined && (now() < openUntilMs || probing.has(caller) || probing.size >= MAX_PROBES);
  const answered = () => {
    unanswered = 0;
    silentSinceMs = now();
    if (openUntilMs !== undefined) onChange?.(false);
    openUntilMs = undefined;
  };
  const notAnswered = (startedAtMs: number, opening: number | undefined) => {
    if (opening !== undefined) return probeNotAnswered(startedAtMs, opening);
    if (unanswered === 0) silentSinceMs = Math.max(silentSinceMs, startedAtMs);
    unanswered++;
    if (openUntilMs !== undefined || unanswered < UNANSWERED || now() - silentSinceMs < SILENCE_MS) return;
    openings++;
    openUntilMs = now() + OPEN_MS;
    onChange?.(true);
  };
  /** What another call's answer has closed stays closed. */
  const probeNotAnswered = (startedAtMs: number, opening: number) => {
    if (openUntilMs === undefined || opening !== openings) return;
    openUntilMs = Math.max(openUntilMs, startedAtMs + OPEN_MS);
  };
  /** `opening` is the one that the call is a probe of. */
  const watch = (request: HttpRequest, opening?: number): Promise<HttpResponse> => {
    return send(request).then(
      (response) => {
        answered();
        return response;
      },
      (error: unknown) => {
        // An answer that is no HTTP, or too large, is one all the same.
        if (isOneOf(['malformed', 'too-large'], error)) answered();
        if (isSilence(error, request)) notAnswered(request.startedAtMs ?? now(), opening);
        throw error;
      },
    );
  };
  const probe = (request: HttpRequest): Promise<HttpResponse> => {
    probing.add(request.caller);
    return watch(request, openings).finally(() => probing.delete(request.caller));
  };

  return {
    /** Whether a call of this caller would be refused now. */
    isOpen,
    /** Whether nothing has answered since it opened; between two probes it is not open. */
    isTripped: () => openUntilMs !== undefined,
    /**
     * Sends unless the breaker is open. Any HTTP status is an answer, also a 500; a cancelled call does not count.
     *
     * @throws {UpstreamError} `unavailable`, with nothing sent, while the breaker is open.
     */
    send(request: HttpRequest): Promise<HttpResponse> {
      const { operation, caller, signal } = request;
      const details = { operation, isUnsent: true, isFinal: true };
      if (isOpen(caller)) return Promise.reject(new UpstreamError('unavailable', details));
      if (openUntilMs === undefined) return watch(request);
      // Whether a write was sent, only the client knows that sends it.
      if (signal === undefined || request.kind === 'write') return probe(request);
      // A read serves all callers as a probe, and continues when its own is cancelled.
      request.work?.begin();
      const probed = probe({ ...request, signal: undefined }).finally(() => request.work?.finish());
      return untilAborted(probed, operation, signal);
    },
  };
}

/** Whether nothing answered. A call that timed out in the gateway's own queue says nothing about the host. */
const isSilence = (error: unknown, { startedAtMs }: HttpRequest): boolean =>
  isOneOf(SILENT, error) && (startedAtMs !== undefined || !isOneOf(['timeout'], error));

/** One call: the operation, and whether it may be made twice. */
interface Task {
  readonly operation: string;
  /** Whether it has no effect, by the table of operations; never derived from the HTTP method. */
  readonly isRead: boolean;
  /** Whose call it is; `undefined` for the gateway itself. */
  readonly caller?: string | undefined;
  readonly signal?: Signal | undefined;
}

/**
 * Makes one try of a call, and for a read a second one where it may help, each with the time when its answer must be there.
 *
 * @throws {UpstreamError} what the last try throws.
 */
export type Retry = <T>(task: Task, attempt: (endsAtMs: number) => Promise<T>) => Promise<T>;

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

/**
 * Makes the deadline and the second try of calls to one host. All its callers share the retry budget.
 *
 * @param timeoutMs for all tries together.
 * @param isOpen whether the circuit breaker would refuse a caller's second try.
 */
export function createRetry(timeoutMs: number, isOpen: (caller?: string) => boolean): Retry {
  let budget = RETRIES_MAX;

  /** How long to wait before a second try, in milliseconds; `undefined` when there is none. */
  const delayOf = ({ operation, isRead, caller, signal }: Task, error: unknown, restMs: number): number | undefined => {
    // A failed sign-in has had a second try of its own.
    const isRepeatable = isRead && isTransient(error) && error.operation === operation;
    if (!isRepeatable || signal?.aborted || isOpen(caller) || budget < 1) return undefined;
    const delayMs = backoffMs(error);
    return restMs - delayMs >= timeoutMs * SECOND_TRY_SHARE ? delayMs : undefined;
  };

  return async (task, attempt) => {
    const { signal } = task;
    const startedAtMs = performance.now();
    const endsAtMs = startedAtMs + timeoutMs;
    const firstMs = task.isRead && budget >= 1 ? Math.ceil(timeoutMs * FIRST_TRY_SHARE) : timeoutMs;
    try {
      const result = await attempt(startedAtMs + firstMs);
      budget = Math.min(RETRIES_MAX, budget + RETRIES_PER_CALL);
      return result;
    } catch (error) {
      const delayMs = delayOf(task, error, endsAtMs - performance.now());
      if (delayMs === undefined) throw error;
      budget--;
      // Where the caller leaves meanwhile, the second try fails at once.
      if (delayMs > 0)
        await sleep(delayMs, undefined, signal && { signal: toAbortSignal(signal) }).catch(() => undefined);
      return attempt(endsAtMs);
    }
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
  return Math.max(BACKOFF_FROM_MS + (BACKOFF_TO_MS - BACKOFF_FROM_MS) * Math.random(), retryAfterMs);
}
