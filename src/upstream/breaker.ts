import { UpstreamError } from './errors.ts';
import type { Exchanger } from './exchange.ts';
import { type CallHealth, createHealth } from './health.ts';
import type { WholeAnswer } from './reception.ts';

/** Stops asking a platform that does not answer, and finds out by single calls when it does again. */
export interface Breaker {
  /** Whether a call would be refused now. */
  isOpen(): boolean;
  /**
   * Speaks HTTP unless the breaker is open. A 5xx, a timeout and a lost connection count against the platform, a late
   * answer somewhat; any other answer, also a refusal, counts for it; a call that its caller gave up counts for nothing.
   *
   * @throws {UpstreamError} `unavailable`, with nothing sent, while the breaker is open.
   */
  readonly exchange: Exchanger;
}

interface BreakerOptions {
  /** How long nothing is asked before one call tries again, in milliseconds, give or take a tenth. */
  readonly openMs: number;
  /** From when on an answer is late, in milliseconds. */
  readonly slowMs: number;
  /** A clock that never goes back, in milliseconds. */
  readonly now?: () => number;
  /** From 0 up to 1, so that gateways that closed together do not try together. */
  readonly random?: () => number;
}

/** Puts a breaker around the function that speaks HTTP. One for each host, whoever asks it. */
export function createBreaker(exchange: Exchanger, options: BreakerOptions): Breaker {
  const { openMs, slowMs, now = () => performance.now(), random = Math.random } = options;
  const health = createHealth(now);
  let openUntilMs: number | undefined;
  let isProbing = false;

  const isOpen = () => openUntilMs !== undefined && (isProbing || now() < openUntilMs);
  const open = () => {
    openUntilMs = now() + openMs * (0.9 + 0.2 * random());
    health.clear();
  };
  const count = (call: CallHealth) => {
    // A call that left before the breaker opened says nothing new.
    if (openUntilMs !== undefined) return;
    health.add(call);
    if (health.isIll()) open();
  };
  const judge = (call: CallHealth | undefined, isProbe: boolean) => {
    if (isProbe) isProbing = false;
    if (call === undefined) return;
    if (!isProbe) count(call);
    else if (call === 'failed') open();
    else openUntilMs = undefined;
  };

  return {
    isOpen,
    async exchange(asked) {
      if (isOpen()) throw breakerOpen(asked.operation);
      const isProbe = openUntilMs !== undefined;
      if (isProbe) isProbing = true;
      const lateAtMs = now() + slowMs;
      return exchange(asked).then(
        (answer) => {
          judge(healthOf(answer, now() >= lateAtMs), isProbe);
          return answer;
        },
        (error: unknown) => {
          judge(asked.signal?.aborted ? undefined : healthOfError(error), isProbe);
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

const healthOf = ({ status }: WholeAnswer, isLate: boolean): CallHealth => {
  if (status >= 500) return 'failed';
  return isLate ? 'slow' : 'well';
};

/** What an error says of the platform; `undefined` when it says nothing of it. */
function healthOfError(error: unknown): CallHealth | undefined {
  if (!(error instanceof UpstreamError)) return undefined;
  if (SILENCE.includes(error.failure)) return 'failed';
  return error.failure === 'malformed' ? 'well' : undefined;
}
