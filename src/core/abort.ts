import { UpstreamError, type UpstreamFailure } from './errors.ts';

/** What ends early, as far as it must be asked or listened to: an `AbortSignal`, or one of ours. */
export interface Signal extends Pick<AbortSignal, 'aborted' | 'reason'> {
  addEventListener(type: 'abort', listener: () => void): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}

/**
 * A signal and its controller in one. Each read has two of them and hardly any aborts, so they have no events and are
 * no targets of any: an `AbortController` is made for those who need a real signal. No listener may throw.
 */
export class Aborter implements Signal {
  aborted = false;
  reason: AbortReason | undefined;
  readonly #listeners: (() => void)[] = [];
  #controller: AbortController | undefined;

  abort(reason: AbortReason): void {
    if (this.aborted) return;
    this.aborted = true;
    this.reason = reason;
    this.#controller?.abort(reason);
    for (const listener of this.#listeners.splice(0)) listener();
  }

  addEventListener(_type: 'abort', listener: () => void): void {
    this.#listeners.push(listener);
  }

  removeEventListener(_type: 'abort', listener: () => void): void {
    const at = this.#listeners.indexOf(listener);
    if (at !== -1) this.#listeners.splice(at, 1);
  }

  /** The same for `fetch` and timers. */
  toAbortSignal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.aborted) this.#controller.abort(this.reason);
    return this.#controller.signal;
  }
}

/** Gives the signal for `fetch` and timers. */
export const toAbortSignal = (signal: Signal): AbortSignal =>
  signal instanceof Aborter ? signal.toAbortSignal() : (signal as AbortSignal);

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
export function toAbortError(operation: string, { reason }: Signal): UpstreamError {
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
  signal: Signal,
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
