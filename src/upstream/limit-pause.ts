import { UpstreamError } from './errors.ts';
import { createRequestLimit } from './request-limit.ts';

interface Asked {
  readonly operation: string;
  readonly isRead: boolean;
  /** How long it may wait, in milliseconds. */
  readonly restMs: number;
}

/** Keeps from asking while the platform's request limit is exceeded. Shared by all callers: the limit is the API's. */
export interface LimitPause {
  /**
   * Makes one call, unless a pause lasts. A read is then refused; a write waits for the end of the pause, where that
   * comes in time, and goes before any read. After a pause one call tries; while it goes well, ever more follow.
   *
   * @throws {UpstreamError} `rate-limited`, with nothing sent, and what `call` throws.
   */
  pass<T>(asked: Asked, call: () => Promise<T>): Promise<T>;
}

/** How gateways in front of one platform tell each other of its limit, which is on them all. */
export interface PauseNews {
  /** Tells the others that a pause lasts for so long from now, in milliseconds. Does not wait for them. */
  tell(restMs: number): void;
  /** Calls back when another one tells it. */
  hear(listener: (restMs: number) => void): void;
}

interface LimitPauseOptions {
  /** The longest pause, in milliseconds. */
  readonly maxMs: number;
  /** Where there are others. */
  readonly news?: PauseNews | undefined;
  /** A clock that never goes back, in milliseconds. */
  readonly now?: () => number;
  /** Calls back after so many milliseconds, unless the given function is called before. */
  readonly after?: (ms: number, callback: () => void) => () => void;
}

/** So many writes wait at most; more are refused like reads. */
const WAITING_AT_MOST = 256;
/** What a read is told that comes while few calls try. */
const RETRY_SOON_MS = 250;

/** Makes the pause of one platform. */
export function createLimitPause(options: LimitPauseOptions): LimitPause {
  const { maxMs, news, now = monotonic, after = afterTimeout } = options;
  const limit = createRequestLimit(maxMs, now);
  const waiting = new Set<() => void>();

  const refusal = (operation: string) => {
    const retryAfterMs = Math.ceil(Math.max(limit.restMs(), RETRY_SOON_MS));
    return new UpstreamError('rate-limited', { operation, retryAfterMs, isUnsent: true, isFinal: true });
  };
  // One at a time: each that is let in takes room before the next one looks.
  const letIn = () => {
    const [first] = waiting;
    if (first !== undefined && limit.hasRoom()) first();
  };
  // A timer may come early by its own clock; then the pause still lasts, and nobody else would wake those who wait.
  const letInAfterPause = () => {
    after(Math.ceil(limit.restMs()), () => {
      if (limit.restMs() > 0) letInAfterPause();
      else letIn();
    });
  };
  const wait = ({ operation, restMs }: Asked) => {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    waiting.add(resolve);
    const forget = after(restMs, () => reject(refusal(operation)));
    return promise.finally(() => {
      forget();
      waiting.delete(resolve);
    });
  };
  const enter = async (asked: Asked) => {
    const isFree = limit.hasRoom() && (waiting.size === 0 || !asked.isRead);
    if (!isFree) {
      if (asked.isRead || limit.restMs() >= asked.restMs || waiting.size >= WAITING_AT_MOST) {
        throw refusal(asked.operation);
      }
      await wait(asked);
    }
    return limit.enter();
  };

  news?.hear((restMs) => {
    limit.heard(restMs);
    letInAfterPause();
  });

  return {
    async pass(asked, call) {
      const passage = await enter(asked);
      letIn();
      try {
        const given = await call();
        passage.wentWell();
        return given;
      } catch (error) {
        // What the gateway refused itself says nothing of the platform.
        if (error instanceof UpstreamError && error.failure === 'rate-limited' && !error.isUnsent) {
          const isNew = passage.exceeded(error.retryAfterMs ?? 0);
          letInAfterPause();
          if (isNew) news?.tell(limit.restMs());
        }
        throw error;
      } finally {
        passage.leave();
        letIn();
      }
    },
  };
}

/** Never pauses. */
export const noPause: LimitPause = { pass: (_asked, call) => call() };

const monotonic = (): number => performance.now();

function afterTimeout(ms: number, callback: () => void): () => void {
  const timer = setTimeout(callback, ms).unref();
  return () => clearTimeout(timer);
}
