import { isRetryable, type RequestKind, retryAfterMs } from './errors.ts';

export interface RetryOptions {
  /**
   * How often a request is sent.
   * @default 3
   */
  readonly attempts?: number;
  /**
   * The longest wait before a repeat, in milliseconds. If the gateway names a longer one, the
   * request is not repeated.
   * @default 30_000
   */
  readonly maxWaitMs?: number;
}

/**
 * Sends a request, and repeats it if it may be repeated: reads and keyed writes. A write without a
 * key is sent once.
 *
 * @throws the error of the last attempt.
 * @example
 * const data = await retry('read', () => request(document, variables));
 */
export async function retry<Result>(
  kind: RequestKind,
  send: () => Promise<Result>,
  options: RetryOptions & { readonly signal?: AbortSignal } = {},
): Promise<Result> {
  const waits = createWaits(kind, options);
  for (;;) {
    try {
      return await send();
    } catch (error) {
      const waitMs = waits.next(error);
      if (waitMs === undefined) throw error;
      await sleep(waitMs, options.signal);
      // A device may sleep during the wait.
      if (options.signal?.aborted || !waits.isInTime()) throw error;
    }
  }
}

/** The waits between the attempts of one request. */
export interface Waits {
  /**
   * Returns the time to wait before the next attempt, in milliseconds. `undefined` if the request
   * must not be sent again.
   */
  next(error: unknown): number | undefined;
  /** Returns whether the gateway still remembers the key of a keyed write. */
  isInTime(): boolean;
}

/** One minute less than the shortest time for which the gateway remembers a key. */
export const KEY_LIFETIME_MS = 540_000;
const FIRST_WAIT_MS = 500;

/** Creates the waits between the attempts of one request. */
export function createWaits(
  kind: RequestKind,
  { attempts = 3, maxWaitMs = 30_000 }: RetryOptions,
): Waits {
  const startedAtMs = Date.now();
  let sent = 1;
  return {
    next(error) {
      const waitMs = Math.max(retryAfterMs(error), backoffMs(sent));
      if (kind === 'write' || sent >= attempts || waitMs > maxWaitMs) return undefined;
      if (!isRetryable(error, kind)) return undefined;
      sent += 1;
      return waitMs;
    },
    isInTime: () => kind !== 'keyed-write' || Date.now() - startedAtMs < KEY_LIFETIME_MS,
  };
}

/** The longest wait before a lost stream is opened again. */
const MAX_BACKOFF_MS = 30_000;

/** Returns the wait after this number of attempts. It is random, so that clients spread. */
export const backoffMs = (sent: number): number =>
  Math.min(MAX_BACKOFF_MS, FIRST_WAIT_MS * 2 ** (sent - 1)) * (0.5 + Math.random() / 2);

/** Waits, or until the signal is aborted. */
export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve();
    const end = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal?.addEventListener('abort', end);
  });
}
