import { UpstreamError, type UpstreamFailure } from './errors.ts';

/** The reason that a signal aborts with, so that whatever it ends can say why. */
export class Ending extends Error {
  override readonly name = 'Ending';
  readonly failure: UpstreamFailure;

  /** @param failure `cancelled`: nobody waits; `timeout`: the request's time is up; `stopped`: the gateway stops. */
  constructor(failure: Extract<UpstreamFailure, 'cancelled' | 'timeout' | 'stopped'>) {
    super(failure);
    this.failure = failure;
  }
}

/** Words what a call fails with when its signal has aborted. */
export function toEnded(operation: string, { reason }: AbortSignal): UpstreamError {
  return new UpstreamError(failureOf(reason), { operation, cause: reason });
}

/** Gives the failure that an abort stands for; one without a reason of ours means that nobody waits any more. */
export function failureOf(reason: unknown): UpstreamFailure {
  return reason instanceof Ending ? reason.failure : 'cancelled';
}

/**
 * Settles as `promise` does, or rejects as soon as the signal aborts.
 *
 * @throws {UpstreamError} as `toEnded` words it.
 */
export async function unlessEnded<T>(promise: Promise<T>, operation: string, signal: AbortSignal): Promise<T> {
  const { promise: ended, reject } = Promise.withResolvers<never>();
  const leave = () => reject(toEnded(operation, signal));
  if (signal.aborted) leave();
  signal.addEventListener('abort', leave, { once: true });
  try {
    return await Promise.race([promise, ended]);
  } finally {
    signal.removeEventListener('abort', leave);
  }
}
