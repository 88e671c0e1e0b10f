import { UpstreamError, type UpstreamFailure } from './errors.ts';

/** The reason that a request's signal aborts with, so that every call that it ends can say why. */
export class AbortReason extends Error {
  override readonly name = 'AbortReason';
  readonly failure: UpstreamFailure;

  /** @param failure `cancelled`: the client has disconnected; `timeout`: the request's deadline; `stopped`: shutdown. */
  constructor(failure: Extract<UpstreamFailure, 'cancelled' | 'timeout' | 'stopped'>) {
    super(failure);
    this.failure = failure;
  }
}

/** Gives the failure that an abort means. `AbortSignal.timeout` is a timeout; any reason but ours, a cancellation. */
export function failureOfAbort(reason: unknown): UpstreamFailure {
  if (reason instanceof AbortReason) return reason.failure;
  return reason instanceof DOMException && reason.name === 'TimeoutError' ? 'timeout' : 'cancelled';
}

/** Makes the error of a call whose signal has aborted. */
export function toAbortError(operation: string, { reason }: AbortSignal): UpstreamError {
  return new UpstreamError(failureOfAbort(reason), { operation, cause: reason, isUnsent: true });
}

/**
 * Settles as `promise` does, or rejects as soon as the signal aborts. The awaited work continues for others waiting for it.
 *
 * @param onEnd called once, when nobody waits any more.
 * @throws {UpstreamError} as `toAbortError` words it.
 */
export function untilAborted<T>(
  promise: Promise<T>,
  operation: string,
  signal: AbortSignal,
  onEnd?: () => void,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const end = () => {
      signal.removeEventListener('abort', onAbort);
      onEnd?.();
    };
    const onAbort = () => {
      reject(toAbortError(operation, signal));
      end();
    };
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort);
    promise.then(
      (value) => {
        resolve(value);
        if (!signal.aborted) end();
      },
      (error) => {
        reject(error);
        if (!signal.aborted) end();
      },
    );
  });
}
