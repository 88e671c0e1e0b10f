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
  const {
    UPSTREAM_CALLS_PER_MINUTE: perMinute = Infinity,
    UPSTREAM_CALLS_PER_HOUR: perHour = Infinity,
  } = limits;
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
    /**
     * Takes one call. Gives `undefined` when it may be made, at once for a kind without a limit, or the limit that leaves none.
     *
     * @param kind `read`, `write`, `sign-in`, `renewal` of the gateway's own token, or the name of a kind of reads.
     * @param caller whose call it is; `undefined` for the gateway itself, which may use all of it.
     */
    take(kind: string, caller: string | undefined): undefined | Promise<Shortage | undefined> {
      if (perMinute === undefined && perHour === undefined && !minute.has(kind)) return undefined;
      const shares = kind === 'write' ? WRITE_SHARES : [kind];
      return takeFirst(
        shares.map((share) => [...ofMinute(share, caller), ...ofHour(share, caller)]),
      );
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
 * Counts each call against the budget: second tries, repeats after a 401, and `getToken` too, since the interface's limit is on
 * all operations. Where nothing is left of it, nothing is sent: `rate-limited`.
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

/** The failure of a call that is not made. */
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

/** How many calls of one caller are sent at a time: half of the connections, so that no caller alone makes the others wait. */
const MAX_OF_ONE = 128;
/** How many more of one caller wait; others are refused at once, as they would only time out later. */
const MAX_WAITING = 15 * MAX_OF_ONE;

interface CallerCalls {
  sent: number;
  readonly waiting: Set<() => void>;
}

/** Gives the calls to one host their permits, each caller's in their order. The gateway itself is a caller like any other. */
export function createPermits(): Interceptor {
  const callers = new Map<string, CallerCalls>();
  /** Gives a permit to the caller's next call. */
  const release = (caller: string, calls: CallerCalls): void => {
    const [next] = calls.waiting;
    if (next === undefined) calls.sent--;
    else calls.waiting.delete(next);
    next?.();
    if (calls.sent === 0) callers.delete(caller);
  };

  return (next) => (call) => {
    // All who sign in share as one caller: they are strangers yet.
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
