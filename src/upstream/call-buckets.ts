import type { Limit, LimitOf } from '../core/errors.ts';
import { UNACCEPTED } from './token-provider.ts';

export const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
/** The highest number of buckets in memory. Most of them belong to callers. */
const MAX_BUCKETS = 10_000;

/** A token bucket of calls. It refills evenly. */
export interface Bucket {
  readonly name: string;
  /** The limit that a refusal names. */
  readonly limit: Limit;
  /**
   * The highest and lowest number of calls. A bucket starts full. Below 0 it is in debt. `least`
   * may also be `ONLY_COUNTS`.
   */
  readonly max: number;
  readonly least: number;
  readonly callsPerMs: number;
  /** Whether a replica has only its part of the calls while it runs standalone. */
  readonly isDivided?: boolean;
  /** The reserves of other callers. The bucket does not fall below the sum of their levels. */
  readonly keeps?: readonly Bucket[];
}

/** The `least` of a bucket that refuses nothing. Its level stops at 0, so calls count for later. */
export const ONLY_COUNTS = -1_000_000_000;

/** An exhausted limit, and the milliseconds until the next call. */
export interface Shortage {
  readonly limit: Limit;
  readonly waitMs: number;
}

/**
 * The levels of buckets. It never rejects: if the shared levels are unavailable, each process
 * counts on its own.
 */
export interface Buckets {
  /**
   * Takes one call from each bucket. If one of them is exhausted, it takes nothing and returns the
   * longest shortage.
   */
  take(buckets: readonly Bucket[]): Shortage | undefined | Promise<Shortage | undefined>;
  /** Returns how many calls all of these buckets allow. */
  level(buckets: readonly Bucket[]): number | Promise<number>;
}

/**
 * A bucket's capacity as a share of its calls per period. A period thus allows at most 7/6 of its
 * calls.
 */
const BURST_SHARE = 1 / 6;
/** The part of a share for one caller. */
const CALLER_SHARE = 0.5;
/** Shorter waits are rounding errors, in milliseconds. */
const ROUNDING_MS = 0.001;

/**
 * Returns the cost of one call. A replica that runs standalone pays for all replicas, so each of
 * them makes its part of the calls.
 */
const costOf = ({ isDivided }: Bucket, replicas: number): number => (isDivided ? replicas : 1);

/**
 * Returns the longest shortage of these buckets at these levels. `undefined` if each has a call.
 *
 * @param replicas the number of replicas that divide the calls among them.
 */
export function shortageOf(
  buckets: readonly Bucket[],
  levelOf: (bucket: Bucket) => number,
  replicas = 1,
): Shortage | undefined {
  let longest: Shortage | undefined;
  for (const bucket of buckets) {
    const { limit, max, callsPerMs, keeps = [] } = bucket;
    const cost = costOf(bucket, replicas);
    const least = bucket.least * cost;
    // A bucket that is smaller than the cost has one call when it is full.
    const needed = Math.min(cost, max - least);
    let kept = 0;
    // A reserve in debt has no calls to keep.
    for (const reserve of keeps) kept += Math.max(0, levelOf(reserve));
    kept = Math.min(kept, max - least - needed);
    const waitMs = (least + kept + needed - levelOf(bucket)) / callsPerMs;
    const longestMs = longest?.waitMs ?? ROUNDING_MS;
    if (waitMs > longestMs) longest = { limit, waitMs };
  }
  return longest;
}

/** Buckets in the memory of this process. */
export interface MemoryBuckets extends Buckets {
  /** @param replicas the number of replicas that divide the calls among them. Default 1. */
  take(buckets: readonly Bucket[], replicas?: number): Shortage | undefined;
  /** @param replicas the number of replicas that divide the calls among them. Default 1. */
  level(buckets: readonly Bucket[], replicas?: number): number;
  /** Returns the level of one bucket. A bucket that was never set is full. */
  levelOf(bucket: Bucket): number;
  /** Sets the level of a bucket. It refills from now on. */
  set(bucket: Bucket, level: number): void;
  /** Whether the level of a bucket was ever set, and is still in memory. */
  isKnown(bucket: Bucket): boolean;
}

/** Creates buckets in the memory of this process. */
export function createMemoryBuckets(now: () => number = () => performance.now()): MemoryBuckets {
  const known = new Map<string, { readonly level: number; readonly atMs: number }>();

  const levelOf = ({ name, max, callsPerMs }: Bucket): number => {
    const last = known.get(name);
    if (last === undefined) return max;
    const refilled = (now() - last.atMs) * callsPerMs;
    return Math.min(max, last.level + refilled);
  };
  const set = ({ name }: Bucket, level: number): void => {
    // The map is in order of the last change, so the oldest bucket comes first.
    known.delete(name);
    known.set(name, { level, atMs: now() });
    if (known.size <= MAX_BUCKETS) return;
    const [oldest = ''] = known.keys();
    known.delete(oldest);
  };
  const take = (buckets: readonly Bucket[], replicas = 1): Shortage | undefined => {
    const shortage = shortageOf(buckets, levelOf, replicas);
    if (shortage) return shortage;

    for (const bucket of buckets) {
      const left = levelOf(bucket) - costOf(bucket, replicas);
      set(bucket, bucket.least === ONLY_COUNTS ? Math.max(0, left) : left);
    }
    return undefined;
  };
  const callsOf = (bucket: Bucket, replicas: number): number => {
    const level = levelOf(bucket);
    const calls = level / costOf(bucket, replicas);
    return level < bucket.max ? calls : Math.max(1, calls);
  };

  return {
    take,
    level: (buckets, replicas = 1) =>
      Math.min(...buckets.map((bucket) => callsOf(bucket, replicas))),
    levelOf,
    set,
    isKnown: ({ name }) => known.has(name),
  };
}

/** A part of a period's calls. */
export interface Share extends Pick<Limit, 'of'> {
  readonly calls: number;
  /** The enclosing share. A call counts in both. */
  readonly within?: string;
}

interface SharesOptions {
  readonly name: string;
  /** The calls of a period. `undefined` without a limit. */
  readonly calls?: number | undefined;
  readonly shares: ReadonlyMap<string, Share>;
  readonly per?: 'minute' | 'hour';
  /** Whether a replica has only its part of the calls while it runs standalone. */
  readonly isDivided?: boolean;
  /** A monotonic clock in milliseconds. */
  readonly now?: (() => number) | undefined;
}

/**
 * Returns the buckets that a call draws from.
 *
 * @param share the name of a share, or `renewal`.
 * @param caller the caller's key. `undefined` for a caller without a cap.
 */
type ListBuckets = (share: string, caller?: string) => readonly Bucket[];

/**
 * Returns a function that lists the buckets a call draws from: the global bucket, the bucket of its
 * share, and the caller's half of that share. The caller's half only counts while no other caller
 * is active. A share without a limit has no buckets. The last global call is reserved for a
 * `renewal`, which draws from the global bucket only.
 */
export function createShares(options: SharesOptions): ListBuckets {
  const { name, calls, shares, per = 'minute', isDivided = false, now } = options;
  const periodMs = per === 'hour' ? HOUR_MS : MINUTE_MS;

  const createBucket = (part: string, of: LimitOf, callsOfPart: number): Bucket => ({
    name: `${name}:${part}`,
    limit: { of, per },
    max: Math.max(1, callsOfPart * BURST_SHARE),
    least: 0,
    callsPerMs: callsOfPart / periodMs,
    isDivided,
  });
  const globalBuckets: Bucket[] = [];
  if (calls !== undefined) {
    globalBuckets.push(reserveRenewal(createBucket('all', 'gateway', calls), periodMs));
  }
  const renewalBuckets = globalBuckets.map((bucket) => ({ ...bucket, least: -1 }));

  const bucketsOfShare = (shareName: string | undefined): readonly Bucket[] => {
    const share = shareName === undefined ? undefined : shares.get(shareName);
    if (shareName === undefined || share === undefined) return globalBuckets;
    return [...bucketsOfShare(share.within), createBucket(shareName, share.of, share.calls)];
  };
  const bucketsByShare = new Map<string, readonly Bucket[]>();
  const hasOtherCallers = new Map<string, (caller: string) => boolean>();
  for (const shareName of shares.keys()) {
    bucketsByShare.set(shareName, bucketsOfShare(shareName));
    hasOtherCallers.set(shareName, createCallerWatch(now));
  }

  return (shareName, caller) => {
    const share = shares.get(shareName);
    // A share may be named after a role, which may have any name.
    if (share === undefined && shareName === 'renewal') return renewalBuckets;
    const buckets = bucketsByShare.get(shareName) ?? [];
    if (caller === undefined || share === undefined) return buckets;

    const half = createBucket(`${shareName}:${caller}`, 'caller', share.calls * CALLER_SHARE);
    const isShared = hasOtherCallers.get(shareName)?.(caller);
    return [...buckets, isShared ? half : { ...half, least: ONLY_COUNTS }];
  };
}

/** How long a caller counts as active, in milliseconds. */
const ACTIVE_MS = MINUTE_MS;

/**
 * Returns a function that notes a caller as active, and returns whether another caller was active
 * lately. Callers with unaccepted tokens always share, because they are not told apart.
 */
function createCallerWatch(now: () => number = () => performance.now()) {
  let last = { caller: '', atMs: Number.NEGATIVE_INFINITY };
  let lastOther = last;
  return (caller: string): boolean => {
    if (caller !== last.caller) lastOther = last;
    last = { caller, atMs: now() };
    return caller === UNACCEPTED || last.atMs - lastOther.atMs < ACTIVE_MS;
  };
}

/**
 * Reserves one call in addition to the others. If this exceeds a sixth of a small limit, the bucket
 * refills more slowly.
 */
function reserveRenewal(bucket: Bucket, periodMs: number): Bucket {
  const max = Math.max(1, bucket.max - 1);
  const maxBurst = bucket.callsPerMs * periodMs * BURST_SHARE;
  const excess = Math.max(0, max + 1 - maxBurst);
  return { ...bucket, max, callsPerMs: bucket.callsPerMs - excess / periodMs };
}
