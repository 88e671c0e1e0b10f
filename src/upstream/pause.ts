import { UpstreamError } from '../core/errors.ts';
import { type Call, type Interceptor, isRead } from './call.ts';
import { MINUTE_MS } from './call-buckets.ts';
import { limited } from './call-budget.ts';

/** Stops calls while the platform's request limit is exceeded. */
export type RateLimitPause = ReturnType<typeof createRateLimitPause>;

/** The longest pause, in milliseconds; other waits are a minute at most. */
export const MAX_PAUSE_MS = 3_600_000;
/** How long a pause lasts before a read probes whether the limit still holds, and between two probes. */
const PROBE_MS = MINUTE_MS;
/** This many limited callers within the window, and no call that succeeds between, mean a platform-wide limit. */
const PLATFORM_WIDE_CALLERS = 3;
const PLATFORM_WIDE_WITHIN_MS = 5_000;

/**
 * Makes the pause of one platform, as long as that says. The interface does not say whether its limit is on users or on the
 * API, so a pause is the caller's who met the limit; it is for everybody when the gateway itself meets it, or several callers do
 * while no caller is served.
 */
export function createRateLimitPause(now: () => number = () => performance.now()) {
  const metAtMs = new Map<string, number>();
  const ofAll = createPause(now);

  /** By name: one person with several sessions is one caller. */
  const isMetBySeveral = (caller: string): boolean => {
    metAtMs.set(caller, now());
    for (const [other, atMs] of metAtMs) if (now() - atMs > PLATFORM_WIDE_WITHIN_MS) metAtMs.delete(other);
    return metAtMs.size >= PLATFORM_WIDE_CALLERS;
  };

  return {
    /** The remaining time of the global pause in milliseconds; 0 without a pause. */
    restMs: ofAll.restMs,
    /**
     * The pause as one caller sees it: its own, and the one that is for everybody.
     *
     * @param nameOf gives the caller's name, `undefined` being the gateway itself. Equal names are one caller.
     */
    forCaller(nameOf: () => string | undefined): Interceptor {
      const own = createPause(now);
      const succeeded = (isProbe: boolean) => {
        metAtMs.clear();
        if (isProbe) for (const pause of [own, ofAll]) pause.end();
      };
      const failed = (error: unknown) => {
        // A refusal by the gateway's own budget says nothing about the platform.
        if (!(error instanceof UpstreamError) || error.failure !== 'rate-limited' || error.isUnsent) return;
        const name = nameOf();
        const pause = name === undefined || isMetBySeveral(name) ? ofAll : own;
        pause.start(error.retryAfterMs ?? 0);
      };
      /** Lets a call probe a long pause where that is due; the pause ends when it succeeds. */
      const beginProbe = (call: Call): boolean => {
        const isProbe = isRead(call) && own.isProbeDue() && ofAll.isProbeDue();
        if (isProbe) for (const pause of [own, ofAll]) pause.start(0);
        return isProbe;
      };
      return (next) => (call) => {
        const restMs = Math.max(own.restMs(), ofAll.restMs());
        const isProbe = restMs > 0 && beginProbe(call);
        if (restMs > 0 && !isProbe) return Promise.reject(limited(call.operation, restMs, { of: 'platform' }));
        const sent = next(call);
        sent.then(() => succeeded(isProbe), failed);
        return sent;
      };
    },
  };
}

function createPause(now: () => number) {
  let untilMs = Number.NEGATIVE_INFINITY;
  let probeAtMs = Number.NEGATIVE_INFINITY;
  return {
    restMs: () => Math.max(0, untilMs - now()),
    isProbeDue: () => now() >= probeAtMs || now() >= untilMs,
    /** Starts or extends it. The next probe is a minute from now. */
    start(forMs: number): void {
      untilMs = Math.max(untilMs, now() + Math.min(forMs, MAX_PAUSE_MS));
      probeAtMs = now() + PROBE_MS;
    },
    end(): void {
      untilMs = Number.NEGATIVE_INFINITY;
    },
  };
}
