import type { Settings } from '../config/settings.ts';
import { type Limit, type LimitOf, UpstreamError } from '../core/errors.ts';
import {
  type Bucket,
  type Buckets,
  createMemoryBuckets,
  createShares,
  MINUTE_MS,
  type Share,
  type Shortage,
} from './call-buckets.ts';
import type { Operation } from './operations.ts';

/** A kind of reads that has a share of its own within that of all reads. */
export interface ReadKind {
  readonly name: string;
  /** What a refusal says of it. */
  readonly limitOf: LimitOf;
  /** It is limited even where the budget is not. */
  readonly callsPerMinute: number;
}

/** How many calls the gateway may make. Shared by all callers: the limit is the API's. */
export type CallBudget = ReturnType<typeof createCallBudget>;

/** The limits of the calls to a platform: either, both or none. */
type CallLimits = Partial<Pick<Settings, 'UPSTREAM_CALLS_PER_MINUTE' | 'UPSTREAM_CALLS_PER_HOUR'>>;

/** Gives the stricter of the limits, in calls per minute. */
export function stricterOf(limits: CallLimits): number | undefined {
  const { UPSTREAM_CALLS_PER_MINUTE: perMinute = Infinity, UPSTREAM_CALLS_PER_HOUR: perHour = Infinity } = limits;
  const stricter = Math.min(perMinute, perHour / HOUR_MINUTES);
  return Number.isFinite(stricter) ? stricter : undefined;
}

const HOUR_MINUTES = 60;
const SHARES = { read: 0.8, write: 0.1, 'sign-in': 0.1 };
/** A write may use the reads' share as well. */
const WRITE_SHARES = ['write', 'read'];

/**
 * Makes a budget of calls a minute, an hour, or both, of which a call takes from each or from none. Each grants at most 7/6 of
 * itself in any minute or hour. Without any, only the kinds that are given have a limit.
 */
export function createCallBudget(
  { UPSTREAM_CALLS_PER_MINUTE: perMinute, UPSTREAM_CALLS_PER_HOUR: perHour }: CallLimits,
  kinds: readonly ReadKind[] = [],
  buckets: Buckets = createMemoryBuckets(),
  now?: () => number,
) {
  const minute = sharesOf(perMinute, kinds);
  const hour = perHour === undefined ? new Map() : sharesOf(perHour, kinds, HOUR_MINUTES);
  const ofMinute = createShares({ name: 'minute', calls: perMinute, shares: minute, now });
  const ofHour = createShares({ name: 'hour', calls: perHour, shares: hour, per: 'hour', now });

  const takeFirst = async (tries: readonly (readonly Bucket[])[]): Promise<Shortage | undefined> => {
    let shortest: Shortage | undefined;
    for (const each of tries) {
      const shortage = await buckets.take(each);
      if (shortage === undefined) return undefined;
      if (shortest === undefined || shortage.waitMs < shortest.waitMs) shortest = shortage;
    }
    return shortest;
  };
  const leftOf = async (named: string, of: readonly Bucket[]) =>
    [named, Math.max(0, Math.floor(await buckets.level(of)))] as const;
  return {
    /**
     * Takes one call. Gives `undefined` when it may be made, at once for a kind without a limit, or the limit that leaves none.
     *
     * @param kind `read`, `write`, `sign-in`, `renewal` of the gateway's own token, or the name of a kind of reads.
     * @param caller whose call it is; `undefined` for the gateway itself, which may use all of it.
     */
    take(kind: string, caller: string | undefined): undefined | Promise<Shortage | undefined> {
      const shares = kind === 'write' ? WRITE_SHARES : [kind];
      const tries = shares.map((share) => [...ofMinute(share, caller), ...ofHour(share, caller)]);
      return tries.every(({ length }) => length === 0) ? undefined : takeFirst(tries);
    },
    /** How many calls may be made now, by share. */
    async left(): Promise<Readonly<Record<string, number>>> {
      const ofMinutes = [...minute.keys()].map((share) => leftOf(share, ofMinute(share)));
      const ofHours = [...hour.keys()].map((share) => leftOf(`hourly ${share}`, ofHour(share)));
      return Object.fromEntries(await Promise.all([...ofMinutes, ...ofHours]));
    },
  };
}

/** The shares of a limit; without one, of the kinds alone. */
function sharesOf(calls: number | undefined, kinds: readonly ReadKind[], minutes = 1): ReadonlyMap<string, Share> {
  const shares = new Map<string, Share>();
  for (const { name, limitOf, callsPerMinute } of kinds) {
    shares.set(name, { of: limitOf, calls: callsPerMinute * minutes, within: 'read' });
  }
  if (calls === undefined) return shares;
  for (const [name, part] of Object.entries(SHARES)) shares.set(name, { of: 'gateway', calls: calls * part });
  return shares;
}

/** Stops calls while the platform's request limit is exceeded. */
export type RateLimitPause = ReturnType<typeof createRateLimitPause>;
/** Told of each call of one caller. */
export type CallerPause = ReturnType<RateLimitPause['forCaller']>;

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
    forCaller(nameOf: () => string | undefined) {
      const own = createPause(now);
      const pause = (retryAfterMs: number) => {
        const name = nameOf();
        if (name !== undefined && !isMetBySeveral(name)) return own.start(retryAfterMs);
        ofAll.start(retryAfterMs);
      };
      return {
        /**
         * Gives whether the call probes a long pause, which its success ends.
         *
         * @throws {UpstreamError} `rate-limited`, with nothing sent, while a pause lasts.
         */
        check({ name, isRead }: Pick<Operation, 'name' | 'isRead'>): boolean {
          const restMs = Math.max(own.restMs(), ofAll.restMs());
          if (restMs <= 0) return false;
          if (!isRead || !own.isProbeDue() || !ofAll.isProbeDue()) throw limited(name, restMs, { of: 'platform' });
          own.start(0);
          ofAll.start(0);
          return true;
        },
        succeeded(isProbe: boolean): void {
          metAtMs.clear();
          if (!isProbe) return;
          own.end();
          ofAll.end();
        },
        failed(error: unknown): void {
          // A refusal by the gateway's own budget says nothing about the platform.
          const isMet = error instanceof UpstreamError && error.failure === 'rate-limited' && !error.isUnsent;
          if (isMet) pause(error.retryAfterMs ?? 0);
        },
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

/** The failure of a call that is not made. */
export function limited(operation: string, waitMs: number, limit: Limit, advice?: string): UpstreamError {
  const retryAfterMs = Math.max(1, Math.ceil(waitMs));
  return new UpstreamError('rate-limited', { operation, limit, advice, retryAfterMs, isUnsent: true, isFinal: true });
}
