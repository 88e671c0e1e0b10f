import type { Settings } from '../config/settings.ts';
import { type Limit, type LimitOf, UpstreamError } from '../core/errors.ts';
import { type Interceptor, untilEnd, whenEnded } from './call.ts';
import {
  type Bucket,
  type Buckets,
  createMemoryBuckets,
  createShares,
  type Share,
  type Shortage,
} from './call-buckets.ts';

/** A kind of reads with its own limit within the share of reads. */
export interface ReadKind {
  readonly name: string;
  /** The owner of the limit in refusals. */
  readonly limitOf: LimitOf;
  /** This limit also applies without a budget. */
  readonly callsPerMinute: number;
}

/**
 * The gateway's budget of calls. All callers share it, because the platform limits the whole API.
 */
export interface CallBudget {
  /**
   * Takes one call. Returns `undefined` if the call may be made, synchronously for a kind without a
   * limit. Otherwise resolves to the exhausted limit.
   *
   * @param kind `read`, `write`, `sign-in`, `renewal` for the gateway's own token, or a kind of
   *   reads.
   * @param caller the caller's key. `undefined` for the gateway itself, which has no cap.
   * @param role the caller's role, which may have a reserve.
   */
  take(
    kind: string,
    caller: string | undefined,
    role?: string,
  ): undefined | Promise<Shortage | undefined>;
  /** Reserves calls per minute for the callers of roles, in place of earlier reserves. */
  reserve(callsByRole: ReadonlyMap<string, number>): void;
  /** Returns the number of available calls by share. */
  left(): Promise<Readonly<Record<string, number>>>;
}

/** The limits of calls to a platform. Each is optional. */
interface CallLimits {
  readonly UPSTREAM_CALLS_PER_MINUTE?: Settings['UPSTREAM_CALLS_PER_MINUTE'];
  readonly UPSTREAM_CALLS_PER_HOUR?: Settings['UPSTREAM_CALLS_PER_HOUR'];
}

/** Returns the stricter limit in calls per minute. `undefined` without a limit. */
export function stricterOf(limits: CallLimits): number | undefined {
  const {
    UPSTREAM_CALLS_PER_MINUTE: perMinute = Infinity,
    UPSTREAM_CALLS_PER_HOUR: perHour = Infinity,
  } = limits;
  const stricter = Math.min(perMinute, perHour / HOUR_MINUTES);
  return Number.isFinite(stricter) ? stricter : undefined;
}

const HOUR_MINUTES = 60;
const SHARES = { read: 0.8, write: 0.1, 'sign-in': 0.1 };
/** A write may also use the share of reads. */
const WRITE_SHARES = ['write', 'read'];

/**
 * Creates a budget of calls per minute, per hour, or both. A call draws from both or is refused.
 * Each limit allows at most 7/6 of itself in any period. Without limits, only the given `kinds` are
 * limited.
 */
export function createCallBudget(
  { UPSTREAM_CALLS_PER_MINUTE: perMinute, UPSTREAM_CALLS_PER_HOUR: perHour }: CallLimits,
  kinds: readonly ReadKind[] = [],
  buckets: Buckets = createMemoryBuckets(),
  now?: () => number,
): CallBudget {
  const minute = createPeriod('minute', perMinute, kinds, now);
  const periods = [minute];
  if (perHour !== undefined) periods.push(createPeriod('hour', perHour, kinds, now));
  let reserved: ReadonlyMap<string, number> = new Map();

  /** Takes from the first buckets that have a call. Resolves to the shortest shortage. */
  const takeFirst = async (
    tries: readonly (readonly Bucket[])[],
  ): Promise<Shortage | undefined> => {
    let shortest: Shortage | undefined;
    for (const drawn of tries) {
      const shortage = await buckets.take(drawn);
      if (shortage === undefined) return undefined;
      if (shortest === undefined || shortage.waitMs < shortest.waitMs) shortest = shortage;
    }
    return shortest;
  };

  return {
    take(kind, caller, role = '') {
      const isUnlimited = perMinute === undefined && perHour === undefined;
      if (isUnlimited && !minute.shares.has(kind)) return undefined;

      const tries: (readonly Bucket[])[] = [];
      // A reserve is a part of the reads, also for writes, and has no cap for one caller.
      if (reserved.has(role) && WRITE_SHARES.includes(kind)) {
        tries.push(periods.flatMap(({ bucketsOf }) => bucketsOf('read', undefined, role)));
      }
      for (const share of kind === 'write' ? WRITE_SHARES : [kind]) {
        tries.push(periods.flatMap(({ bucketsOf }) => bucketsOf(share, caller)));
      }
      return takeFirst(tries);
    },
    reserve(callsByRole) {
      reserved = callsByRole;
      for (const { reserve } of periods) reserve(callsByRole);
    },
    async left() {
      const left: Record<string, number> = {};
      for (const { prefix, shares, bucketsOf } of periods) {
        for (const share of shares.keys()) {
          const level = await buckets.level(bucketsOf(share));
          left[prefix + share] = Math.max(0, Math.floor(level));
        }
      }
      return left;
    },
  };
}

/**
 * Creates the buckets of a period.
 *
 * @param calls the calls of the period. `undefined` without a limit.
 */
function createPeriod(
  per: 'minute' | 'hour',
  calls: number | undefined,
  kinds: readonly ReadKind[],
  now: (() => number) | undefined,
) {
  const minutes = per === 'hour' ? HOUR_MINUTES : 1;
  const shares = sharesOf(calls, kinds, minutes);
  const listBuckets = createShares({ name: per, calls, shares, per, isDivided: true, now });
  const reserves = new Map<string, readonly Bucket[]>();
  /** The buckets that reserved calls draw from. */
  const reservedParts = [`${per}:all`, `${per}:read`];

  return {
    /** The prefix of its shares in metrics. */
    prefix: per === 'hour' ? 'hourly ' : '',
    shares,
    /** Lists the buckets of a call. `reserveOf` is the role whose reserve the call uses. */
    bucketsOf(share: string, caller?: string, reserveOf = ''): readonly Bucket[] {
      const drawn = listBuckets(share, caller);
      if (reserves.size === 0 || share === 'renewal') return drawn;

      const keeps = [...reserves].flatMap(([role, own]) => (role === reserveOf ? [] : own));
      const keeping = drawn.map((bucket) =>
        reservedParts.includes(bucket.name) ? { ...bucket, keeps } : bucket,
      );
      return [...keeping, ...(reserves.get(reserveOf) ?? [])];
    },
    /** Replaces the reserves. */
    reserve(callsByRole: ReadonlyMap<string, number>): void {
      reserves.clear();
      if (calls === undefined) return;
      for (const [role, callsPerMinute] of callsByRole) {
        const share = { of: 'gateway', calls: callsPerMinute * minutes } as const;
        const name = `${per}:reserve`;
        const shares = new Map([[role, share]]);
        reserves.set(role, createShares({ name, shares, per, isDivided: true })(role));
      }
    },
  };
}

/** Returns the shares of a limit. Without a limit, returns the kinds alone. */
function sharesOf(
  calls: number | undefined,
  kinds: readonly ReadKind[],
  minutes = 1,
): ReadonlyMap<string, Share> {
  const shares = new Map<string, Share>();
  for (const { name, limitOf, callsPerMinute } of kinds) {
    shares.set(name, { of: limitOf, calls: callsPerMinute * minutes, within: 'read' });
  }
  if (calls === undefined) return shares;
  for (const [name, part] of Object.entries(SHARES))
    shares.set(name, { of: 'gateway', calls: calls * part });
  return shares;
}

/**
 * Creates the step that draws each attempt from the budget, including retries and repeats after a
 * 401. An exhausted budget fails the call as `rate-limited`, and nothing is sent.
 */
export const spend =
  (budget: Pick<CallBudget, 'take'>): Interceptor =>
  (next) =>
  (call) => {
    const taken = budget.take(call.kind, call.caller, call.role);
    if (taken === undefined) return next(call);
    return taken.then((shortage) => {
      if (shortage) throw limited(call.operation, shortage.waitMs, shortage.limit);
      return next(call);
    });
  };

/** Creates the failure of a call that was not sent because of a limit. */
export function limited(
  operation: string,
  waitMs: number,
  limit: Limit,
  advice?: string,
): UpstreamError {
  const retryAfterMs = Math.max(1, Math.ceil(waitMs));
  return new UpstreamError('rate-limited', {
    operation,
    limit,
    advice,
    retryAfterMs,
    isUnsent: true,
    isFinal: true,
  });
}

/**
 * The highest number of concurrent calls per caller: half of the connections, so that one caller
 * cannot block the others.
 */
const MAX_OF_ONE = 128;
/**
 * The highest number of waiting calls per caller. Further calls fail at once, because they would
 * time out later.
 */
const MAX_WAITING = 15 * MAX_OF_ONE;

interface CallerCalls {
  sent: number;
  readonly waiting: Set<() => void>;
}

/**
 * Creates the step that limits the concurrent calls of each caller. Waiting calls are sent in
 * order. The gateway counts as a caller.
 */
export function createConnectionSlots(): Interceptor {
  const callers = new Map<string, CallerCalls>();
  /** Passes a free slot to the caller's next call. */
  const release = (caller: string, calls: CallerCalls): void => {
    const [next] = calls.waiting;
    if (next === undefined) calls.sent--;
    else calls.waiting.delete(next);
    next?.();
    if (calls.sent === 0) callers.delete(caller);
  };

  return (next) => (call) => {
    // All sign-ins share one caller's slots, because the callers are not yet known.
    const caller = call.kind === 'sign-in' ? call.kind : (call.caller ?? '');
    const calls = callers.get(caller) ?? { sent: 0, waiting: new Set() };
    const send = () => whenEnded(next(call), () => release(caller, calls));
    if (calls.sent < MAX_OF_ONE) {
      callers.set(caller, calls);
      calls.sent++;
      return send();
    }
    const { operation } = call;
    if (calls.waiting.size >= MAX_WAITING)
      return Promise.reject(new UpstreamError('overloaded', { operation, isUnsent: true }));
    const { promise: granted, resolve: grant } = Promise.withResolvers<void>();
    calls.waiting.add(grant);
    return untilEnd(granted, call).then(send, (error: unknown) => {
      if (!calls.waiting.delete(grant)) release(caller, calls);
      throw error;
    });
  };
}
