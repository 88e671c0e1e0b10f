import { UpstreamError } from './errors.ts';

/** Stops calls while the platform's request limit is exceeded. */
export interface RateLimitPause {
  /** The pause as one caller sees it, `undefined` being the gateway itself: its own, and the one that is for everybody. */
  forCaller(caller: string | undefined): CallerPause;
}

/** The pause of one caller. */
export interface CallerPause {
  /**
   * Makes a call unless a pause lasts.
   *
   * @throws {UpstreamError} `rate-limited`, with nothing sent, and what `call` throws.
   */
  run<T>(operation: string, call: () => Promise<T>): Promise<T>;
}

/** How gateways in front of one platform share a pause that is for everybody. */
export interface SharedPause {
  /** Starts the pause in the others, for so many milliseconds from now. Does not wait for them. */
  publish(restMs: number): void;
  /** Calls back when another one starts it. */
  subscribe(listener: (restMs: number) => void): void;
}

interface RateLimitPauseOptions {
  readonly shared?: SharedPause | undefined;
  /** A clock that never goes back, in milliseconds. */
  readonly now?: () => number;
}

/** The longest pause, in milliseconds. */
const MAX_MS = 60_000;
/** So many callers that meet the limit within so many milliseconds meet one that is on them all. */
const SEVERAL = 3;
const SEVERAL_WITHIN_MS = 5_000;

/**
 * Makes the pause of one platform. The interface does not say whether its limit is on users or on the API, so a pause is the
 * caller's who met the limit; it is for everybody when the gateway itself or several callers meet it.
 */
export function createRateLimitPause(options: RateLimitPauseOptions = {}): RateLimitPause {
  const { shared, now = () => performance.now() } = options;
  const everybody = createPause(now);
  const metAtMs = new Map<string, number>();
  shared?.subscribe((restMs) => everybody.extend(restMs));

  /** By name: one person with several sessions is one caller. */
  const isMetBySeveral = (caller: string): boolean => {
    metAtMs.set(caller, now());
    for (const [other, atMs] of metAtMs) if (now() - atMs > SEVERAL_WITHIN_MS) metAtMs.delete(other);
    return metAtMs.size >= SEVERAL;
  };

  return {
    forCaller(caller) {
      const own = caller === undefined ? everybody : createPause(now);
      const start = (retryAfterMs: number, startedAtMs: number) => {
        own.start(retryAfterMs, startedAtMs);
        if (caller !== undefined && !isMetBySeveral(caller)) return;
        everybody.extend(own.restMs());
        shared?.publish(everybody.restMs());
      };
      return {
        async run(operation, call) {
          const restMs = Math.max(own.restMs(), everybody.restMs());
          if (restMs > 0) throw refusal(operation, restMs);
          const startedAtMs = now();
          try {
            const result = await call();
            own.passed(startedAtMs);
            return result;
          } catch (error) {
            if (isLimitMet(error)) start(error.retryAfterMs ?? 0, startedAtMs);
            throw error;
          }
        },
      };
    },
  };
}

const refusal = (operation: string, restMs: number): UpstreamError =>
  new UpstreamError('rate-limited', { operation, retryAfterMs: Math.ceil(restMs), isUnsent: true, isFinal: true });

// A refusal by the gateway's own budget tells nothing about the platform.
const isLimitMet = (error: unknown): error is UpstreamError =>
  error instanceof UpstreamError && error.failure === 'rate-limited' && !error.isUnsent;

/** One pause: as long as the platform says, and twice as long as the last one where that did not help. */
function createPause(now: () => number) {
  let startedAtMs = Number.NEGATIVE_INFINITY;
  let untilMs = Number.NEGATIVE_INFINITY;
  let lengthMs = 0;

  const extend = (ms: number) => {
    untilMs = Math.max(untilMs, now() + Math.min(ms, MAX_MS));
  };
  return {
    restMs: () => untilMs - now(),
    extend,
    start(retryAfterMs: number, callStartedAtMs: number) {
      // A call from before the pause began does not show that the pause was too short.
      if (callStartedAtMs <= startedAtMs) return extend(retryAfterMs);
      startedAtMs = now();
      lengthMs = Math.min(Math.max(retryAfterMs, lengthMs * 2), MAX_MS);
      extend(lengthMs);
    },
    passed(callStartedAtMs: number) {
      if (callStartedAtMs >= untilMs) lengthMs = 0;
    },
  };
}
