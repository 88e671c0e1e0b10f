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
   */
  take(kind: string, caller: string | undefined): undefined | Promise<Shortage | undefined>;
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
  const minute = sharesOf(perMinute, kinds);
  const hour = perHour === undefined ? new Map() : sharesOf(perHour, kinds, HOUR_MINUTES);
  const ofMinute = createShares({ name: 'minute', calls: perMinute, shares: minute, now });
  const ofHour = createShares({ name: 'hour', calls: perHour, shares: hour, per: 'hour', now });

  const takeFirst = async (
    tries: readonly (readonly Bucket[])[],
  ): Promise<Shortage | undefined> => {
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
    take(kind, caller) {
      const isLimited = perMinute !== undefined || perHour !== undefined || minute.has(kind);
      if (!isLimited) return undefined;
      const shares = kind === 'write' ? WRITE_SHARES : [kind];
      return takeFirst(
        shares.map((share) => [...ofMinute(share, caller), ...ofHour(share, caller)]),
      );
    },
    async left() {
      const ofMinutes = [...minute.keys()].map((share) => leftOf(share, ofMinute(share)));
      const ofHours = [...hour.keys()].map((share) => leftOf(`hourly ${share}`, ofHour(share)));
      return Object.fromEntries(await Promise.all([...ofMinutes, ...ofHours]));
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
    const taken = budget.take(call.kind, call.caller);
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
