import { UpstreamError } from './errors.ts';
import type { Exchanger } from './exchange.ts';
import { createSlidingCount } from './sliding-count.ts';

/** Stops asking a platform that does not answer, and finds out by single calls when it does again. */
export interface Breaker {
  /** Whether a call would be refused now. */
  isOpen(): boolean;
  /**
   * Speaks HTTP unless the breaker is open. A 5xx, a timeout and a lost connection count against the platform; any
   * other answer, also a refusal, counts for it; a call that its caller gave up counts for nothing.
   *
   * @throws {UpstreamError} `unavailable`, with nothing sent, while the breaker is open.
   */
  readonly exchange: Exchanger;
}

interface BreakerOptions {
  /** How long nothing is asked before one call tries again, in milliseconds, give or take a tenth. */
  readonly openMs: number;
  /** A clock that never goes back, in milliseconds. */
  readonly now?: () => number;
  /** From 0 up to 1, so that gateways that closed together do not try together. */
  readonly random?: () => number;
}

/** Over this time, from so many calls on, this share of failures opens the breaker. */
const SPAN_MS = 10_000;
const CALLS_AT_LEAST = 20;
const FAILURE_SHARE = 0.5;

/** Puts a breaker around the function that speaks HTTP. One for each host, whoever asks it. */
export function createBreaker(exchange: Exchanger, options: BreakerOptions): Breaker {
  const { openMs, now = () => performance.now(), random = Math.random } = options;
  const calls = createSlidingCount(SPAN_MS, now);
  const failures = createSlidingCount(SPAN_MS, now);
  let openUntilMs: number | undefined;
  let isProbing = false;

  const isOpen = () => openUntilMs !== undefined && (isProbing || now() < openUntilMs);
  const open = () => {
    openUntilMs = now() + openMs * (0.9 + 0.2 * random());
    calls.clear();
    failures.clear();
  };
  const count = (isIll: boolean) => {
    // A call that left before the breaker opened says nothing new.
    if (openUntilMs !== undefined) return;
    calls.add();
    if (isIll) failures.add();
    if (calls.total() >= CALLS_AT_LEAST && failures.total() >= calls.total() * FAILURE_SHARE) open();
  };
  const judge = (isIll: boolean | undefined, isProbe: boolean) => {
    if (isProbe) isProbing = false;
    if (isIll === undefined) return;
    if (!isProbe) count(isIll);
    else if (isIll) open();
    else openUntilMs = undefined;
  };

  return {
    isOpen,
    async exchange(asked) {
      if (isOpen()) throw breakerOpen(asked.operation);
      const isProbe = openUntilMs !== undefined;
      if (isProbe) isProbing = true;
      return exchange(asked).then(
        (answer) => {
          judge(answer.status >= 500, isProbe);
          return answer;
        },
        (error: unknown) => {
          judge(asked.signal?.aborted ? undefined : isFailure(error), isProbe);
          throw error;
        },
      );
    },
  };
}

/** The refusal of a call while the breaker is open. */
export const breakerOpen = (operation: string): UpstreamError =>
  new UpstreamError('unavailable', { operation, isUnsent: true, isFinal: true });

const SILENCE: readonly string[] = ['timeout', 'unavailable', 'outcome-unknown'];

/** Whether an error speaks against the platform; `undefined` when it says nothing of it. */
function isFailure(error: unknown): boolean | undefined {
  if (!(error instanceof UpstreamError)) return undefined;
  if (SILENCE.includes(error.failure)) return true;
  return error.failure === 'malformed' ? false : undefined;
}
