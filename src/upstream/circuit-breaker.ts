import { UpstreamError, untilAborted } from './errors.ts';
import type { HttpRequest, Send } from './http.ts';

/** Stops calls to a host that does not answer, and finds out by single calls when it does again. */
export interface CircuitBreaker {
  /** Whether a call would be refused now. */
  isOpen(): boolean;
  /**
   * Sends unless the breaker is open. Any HTTP status is an answer, also a 500; a call whose caller has gone counts neither way.
   *
   * @throws {UpstreamError} `unavailable`, with nothing sent, while the breaker is open.
   */
  readonly send: Send;
}

/** So many calls in a row without an answer open the breaker … */
const UNANSWERED = 20;
/** … once nothing has answered for so long, in milliseconds: a burst of broken connections is no outage. */
const SILENCE_MS = 2_000;
/** How long the breaker stays open before a half-open probe, in milliseconds. */
const OPEN_MS = 150;
/** The share by which that is shorter or longer, by chance, so that gateways do not probe together. */
const JITTER = 0.1;

/** Makes the breaker of one host, for all callers. */
export function createCircuitBreaker(send: Send, now: () => number = () => performance.now()): CircuitBreaker {
  let unanswered = 0;
  let silentSinceMs = 0;
  let openUntilMs: number | undefined;
  let isProbing = false;

  const isOpen = () => openUntilMs !== undefined && (isProbing || now() < openUntilMs);
  const answered = () => {
    unanswered = 0;
    silentSinceMs = now();
    openUntilMs = undefined;
  };
  const notAnswered = (startedAtMs: number, isProbe: boolean) => {
    if (unanswered === 0) silentSinceMs = Math.max(silentSinceMs, startedAtMs);
    unanswered++;
    const isSilent = unanswered >= UNANSWERED && now() - silentSinceMs >= SILENCE_MS;
    if (isProbe || (isSilent && openUntilMs === undefined)) {
      openUntilMs = now() + OPEN_MS * (1 - JITTER + 2 * JITTER * Math.random());
    }
  };
  const watch = async (request: HttpRequest, isProbe: boolean) => {
    const startedAtMs = now();
    try {
      const response = await send(request);
      answered();
      return response;
    } catch (error) {
      const outcome = outcomeOf(error);
      if (outcome === 'answered') answered();
      if (outcome === 'silent') notAnswered(startedAtMs, isProbe);
      throw error;
    } finally {
      if (isProbe) isProbing = false;
    }
  };

  return {
    isOpen,
    async send(request) {
      const { operation, signal } = request;
      if (isOpen()) throw new UpstreamError('unavailable', { operation, isUnsent: true, isFinal: true });
      if (openUntilMs === undefined) return watch(request, false);
      isProbing = true;
      // The probe is for everybody, and goes on when its caller leaves.
      const probe = watch({ ...request, signal: undefined }, true);
      return signal === undefined ? probe : untilAborted(probe, operation, signal);
    },
  };
}

const SILENT: readonly string[] = ['timeout', 'unavailable', 'outcome-unknown'];

/** What a failed call shows of the host; `undefined` when it shows nothing, as where its caller has gone. */
function outcomeOf(error: unknown): 'answered' | 'silent' | undefined {
  if (!(error instanceof UpstreamError)) return undefined;
  // An answer that is no HTTP, or too large, is one all the same.
  if (error.failure === 'malformed') return 'answered';
  return SILENT.includes(error.failure) ? 'silent' : undefined;
}
