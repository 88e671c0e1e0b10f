import { untilAborted } from '../core/abort.ts';
import { isOneOf, UpstreamError, type UpstreamFailure } from '../core/errors.ts';
import { type Call, type HttpResponse, type Interceptor, isRead, type Send } from './call.ts';

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
export function createCircuitBreaker(options: BreakerOptions = {}) {
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
  const watch = (next: Send, call: Call, opening?: number): Promise<HttpResponse> =>
    next(call).then(
      (response) => {
        answered();
        return response;
      },
      (error: unknown) => {
        // An answer that is no HTTP, or too large, is one all the same.
        if (isOneOf(['malformed', 'too-large'], error)) answered();
        if (isSilence(error, call)) notAnswered(call.startedAtMs ?? now(), opening);
        throw error;
      },
    );
  const probe = (next: Send, call: Call): Promise<HttpResponse> => {
    probing.add(call.caller);
    return watch(next, call, openings).finally(() => probing.delete(call.caller));
  };
  /**
   * Sends unless the breaker is open. Any HTTP status is an answer, also a 500; a cancelled call does not count.
   *
   * @throws {UpstreamError} `unavailable`, with nothing sent, while the breaker is open.
   */
  const intercept: Interceptor = (next) => (call) => {
    const { operation, caller, signal, work } = call;
    if (isOpen(caller)) {
      return Promise.reject(new UpstreamError('unavailable', { operation, isUnsent: true, isFinal: true }));
    }
    if (openUntilMs === undefined) return watch(next, call);
    // Whether a write was sent, only the client knows that sends it.
    if (signal === undefined || !isRead(call)) return probe(next, call);
    // A read serves all callers as a probe, and continues when its own is cancelled.
    work?.begin();
    const probed = probe(next, { ...call, signal: undefined }).finally(() => work?.finish());
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

/** Whether nothing answered. A call that timed out in the gateway's own queue says nothing about the host. */
const isSilence = (error: unknown, { startedAtMs }: Call): boolean =>
  isOneOf(SILENT, error) && (startedAtMs !== undefined || !isOneOf(['timeout'], error));
