import { UpstreamError, type UpstreamFailure } from './errors.ts';

/** The abort reason of a request's signal. Calls that end by the abort report its failure. */
export class AbortReason extends Error {
  override readonly name = 'AbortReason';
  readonly failure: UpstreamFailure;

  /**
   * @param failure `cancelled`: the client has disconnected. `timeout`: the request's deadline
   *   has passed. `stopped`: the gateway is shutting down.
   */
  constructor(failure: Extract<UpstreamFailure, 'cancelled' | 'timeout' | 'stopped'>) {
    super(failure);
    this.failure = failure;
  }
}

/**
 * Returns the failure for an abort reason. `AbortSignal.timeout` leads to `timeout`; a reason that
 * is not an `AbortReason` leads to `cancelled`.
 */
export function failureOfAbort(reason: unknown): UpstreamFailure {
  if (reason instanceof AbortReason) return reason.failure;
  return reason instanceof DOMException && reason.name === 'TimeoutError' ? 'timeout' : 'cancelled';
}

/** Returns the error of a call whose signal is aborted. It counts as unsent. */
export function toAbortError(operation: string, { reason }: AbortSignal): UpstreamError {
  return new UpstreamError(failureOfAbort(reason), { operation, cause: reason, isUnsent: true });
}

/**
 * Settles like `promise`, or rejects as soon as the signal aborts. An abort does not stop the work
 * behind `promise`: other callers may wait for it.
 *
 * @param onEnd called once, when the promise settles or the signal aborts.
 * @throws {UpstreamError} from `toAbortError`, if the signal aborts first.
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
