import { UpstreamError } from '../core/errors.ts';
import { type BudgetShare, createMemoryCounters, createShare } from './call-counter.ts';

/** A kind of reads that has a share of the budget of its own, taken off that of all other reads. */
export interface ReadKind {
  readonly name: string;
  /** It is limited even where the budget is not. */
  readonly callsPerMinute: number;
}

/** How many calls the gateway may make. Shared by all callers: the limit is the API's. */
export interface CallBudget {
  /**
   * Takes one call. Gives 0 when it may be made, at once for a kind without a limit, or how long until the next one may be, in
   * milliseconds.
   *
   * @param kind `read`, `write`, `sign-in`, `renewal` of the gateway's own token, or the name of a kind of reads.
   * @param caller whose call it is; `undefined` for the gateway itself, which may use all of it.
   */
  take(kind: string, caller: string | undefined): 0 | Promise<number>;
  /** How many calls may still be made in this window, by share. */
  left(): Promise<Readonly<Record<string, number>>>;
}

const SHARES = { read: 0.8, write: 0.1, 'sign-in': 0.1 };
/** Kinds that take from several shares, in order. Strangers who sign in must not keep the gateway from its token. */
const SHARES_OF: ReadonlyMap<string, readonly string[]> = new Map([
  ['write', ['write', 'read']],
  ['renewal', ['sign-in', 'read']],
]);

/**
 * Makes a budget of fixed windows of ten seconds, each from its first call on, with a sixth of the calls. Any 60 seconds touch at
 * most seven windows, so that at most 7/6 of the budget are used within a minute. Each share has at least one call.
 * Without calls a minute, only the kinds that are given have a limit.
 */
export function createCallBudget(
  callsPerMinute: number | undefined,
  kinds: readonly ReadKind[] = [],
  createCounter = createMemoryCounters(),
): CallBudget {
  const shares = new Map<string, BudgetShare>();
  const add = (share: string, calls: number) => shares.set(share, createShare(share, calls, createCounter));
  if (callsPerMinute !== undefined) {
    const ofKinds = kinds.reduce((sum, kind) => sum + kind.callsPerMinute, 0);
    add('read', callsPerMinute * SHARES.read - ofKinds);
    add('write', callsPerMinute * SHARES.write);
    add('sign-in', callsPerMinute * SHARES['sign-in']);
  }
  for (const kind of kinds) add(kind.name, kind.callsPerMinute);
  const takeFrom = async (ofKind: readonly BudgetShare[], caller: string | undefined): Promise<number> => {
    let waitMs = 0;
    for (const share of ofKind) {
      waitMs = await share.take(caller);
      if (waitMs === 0) break;
    }
    return waitMs;
  };

  return {
    take(kind, caller) {
      const ofKind = (SHARES_OF.get(kind) ?? [kind]).flatMap((share) => shares.get(share) ?? []);
      return ofKind.length === 0 ? 0 : takeFrom(ofKind, caller);
    },
    async left() {
      const left = [...shares].map(async ([share, { limit, taken }]) => [share, Math.max(0, limit - (await taken()))]);
      return Object.fromEntries(await Promise.all(left));
    },
  };
}

/** Stops calls while the platform's request limit is exceeded. */
export interface RateLimitPause {
  /**
   * The pause as one caller sees it: its own, and the one that is for everybody.
   *
   * @param nameOf gives the caller's name, `undefined` being the gateway itself. Equal names are one caller.
   */
  forCaller(nameOf: () => string | undefined): CallerPause;
  /** The remaining time of the global pause in milliseconds; 0 without a pause. */
  restMs(): number;
}

/** Told of each call of one caller. */
export interface CallerPause {
  /** @throws {UpstreamError} `rate-limited`, with nothing sent, while a pause lasts. */
  check(operation: string): void;
  succeeded(): void;
  failed(error: unknown): void;
}

/** How gateways in front of one platform share a pause that is for everybody. */
export interface SharedPause {
  /** Starts the pause in the others, for so many milliseconds from now. Does not wait for them. */
  publish(restMs: number): void;
  /** Calls back when another one starts it. */
  subscribe(listener: (restMs: number) => void): void;
}

/** The longest pause, in milliseconds. */
const MAX_PAUSE_MS = 60_000;
/** This many limited callers within the window, and no call that succeeds between, mean a platform-wide limit. */
const PLATFORM_WIDE_CALLERS = 3;
const PLATFORM_WIDE_WITHIN_MS = 5_000;

/**
 * Makes the pause of one platform, as long as that says. The interface does not say whether its limit is on users or on the
 * API, so a pause is the caller's who met the limit; it is for everybody when the gateway itself meets it, or several callers do
 * while no caller is served.
 */
export function createRateLimitPause(
  shared?: SharedPause,
  now: () => number = () => performance.now(),
): RateLimitPause {
  const metAtMs = new Map<string, number>();
  let untilMs = Number.NEGATIVE_INFINITY;
  const pauseAll = (restMs: number) => {
    untilMs = Math.max(untilMs, now() + Math.min(restMs, MAX_PAUSE_MS));
  };
  shared?.subscribe(pauseAll);

  /** By name: one person with several sessions is one caller. */
  const isMetBySeveral = (caller: string): boolean => {
    metAtMs.set(caller, now());
    for (const [other, atMs] of metAtMs) if (now() - atMs > PLATFORM_WIDE_WITHIN_MS) metAtMs.delete(other);
    return metAtMs.size >= PLATFORM_WIDE_CALLERS;
  };

  return {
    restMs: () => Math.max(0, untilMs - now()),
    forCaller(nameOf) {
      let ownUntilMs = Number.NEGATIVE_INFINITY;
      const pause = (retryAfterMs: number) => {
        ownUntilMs = Math.max(ownUntilMs, now() + Math.min(retryAfterMs, MAX_PAUSE_MS));
        const name = nameOf();
        if (name !== undefined && !isMetBySeveral(name)) return;
        pauseAll(ownUntilMs - now());
        shared?.publish(untilMs - now());
      };
      return {
        check(operation) {
          const restMs = Math.max(ownUntilMs, untilMs) - now();
          if (restMs > 0) throw limited(operation, restMs);
        },
        succeeded: () => metAtMs.clear(),
        failed(error) {
          // A refusal by the gateway's own budget says nothing about the platform.
          const isMet = error instanceof UpstreamError && error.failure === 'rate-limited' && !error.isUnsent;
          if (isMet) pause(error.retryAfterMs ?? 0);
        },
      };
    },
  };
}

/** The failure of a call that is not made. */
export function limited(operation: string, waitMs: number): UpstreamError {
  const retryAfterMs = Math.max(1, Math.ceil(waitMs));
  return new UpstreamError('rate-limited', { operation, retryAfterMs, isUnsent: true, isFinal: true });
}
