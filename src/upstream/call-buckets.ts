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
 * Returns the longest shortage of these buckets at these levels. `undefined` if each has a call.
 */
export function shortageOf(
  buckets: readonly Bucket[],
  levels: readonly number[],
): Shortage | undefined {
  let longest: Shortage | undefined;
  for (const [index, { limit, least, callsPerMs }] of buckets.entries()) {
    const waitMs = (1 + least - (levels[index] ?? 0)) / callsPerMs;
    if (waitMs > (longest?.waitMs ?? ROUNDING_MS)) longest = { limit, waitMs };
  }
  return longest;
}

/** Creates buckets in the memory of this process. */
export function createMemoryBuckets(now: () => number = () => performance.now()) {
  const levels = new Map<string, { readonly calls: number; readonly atMs: number }>();
  const levelOf = ({ name, max, callsPerMs }: Bucket): number => {
    const known = levels.get(name);
    return known === undefined
      ? max
      : Math.min(max, known.calls + (now() - known.atMs) * callsPerMs);
  };
  const set = ({ name }: Bucket, calls: number): void => {
    levels.delete(name);
    levels.set(name, { calls, atMs: now() });
    const [oldest = ''] = levels.keys();
    if (levels.size > MAX_BUCKETS) levels.delete(oldest);
  };
  return {
    levelOf,
    set,
    isKnown: ({ name }: Bucket) => levels.has(name),
    level: (buckets: readonly Bucket[]) => Math.min(...buckets.map(levelOf)),
    take(buckets: readonly Bucket[]): Shortage | undefined {
      const held = buckets.map(levelOf);
      const shortage = shortageOf(buckets, held);
      if (shortage) return shortage;
      for (const [index, bucket] of buckets.entries()) {
        const left = (held[index] ?? 0) - 1;
        set(bucket, bucket.least === ONLY_COUNTS ? Math.max(0, left) : left);
      }
      return undefined;
    },
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
  /** A monotonic clock in milliseconds. */
  readonly now?: (() => number) | undefined;
}

/**
 * Returns a function that lists the buckets a call draws from: the global bucket, the bucket of its
 * share, and the caller's half of that share. The caller's half only counts while no other caller
 * is active. A share without a limit has no buckets. The last global call is reserved for a
 * `renewal`, which draws from the global bucket only.
 */
export function createShares({ name, calls, shares, per = 'minute', now }: SharesOptions) {
  const periodMs = per === 'hour' ? HOUR_MS : MINUTE_MS;
  const create = (part: string, of: LimitOf, own: number): Bucket => {
    const max = Math.max(1, own * BURST_SHARE);
    return {
      name: `${name}:${part}`,
      limit: { of, per },
      max,
      least: 0,
      callsPerMs: own / periodMs,
    };
  };
  const all = calls === undefined ? [] : [keepOne(create('all', 'gateway', calls), periodMs)];
  const bucketsOf = (share: string | undefined): readonly Bucket[] => {
    const own = share === undefined ? undefined : shares.get(share);
    return share === undefined || own === undefined
      ? all
      : [...bucketsOf(own.within), create(share, own.of, own.calls)];
  };
  const ofShares = new Map([...shares.keys()].map((share) => [share, bucketsOf(share)]));
  const ofRenewal = all.map((bucket) => ({ ...bucket, least: -1 }));
  const askers = new Map([...shares.keys()].map((share) => [share, createAskers(now)]));
  return (share: string, caller?: string): readonly Bucket[] => {
    const own = shares.get(share);
    const buckets = share === 'renewal' ? ofRenewal : (ofShares.get(share) ?? []);
    if (caller === undefined || own === undefined) return buckets;
    const half = create(`${share}:${caller}`, 'caller', own.calls * CALLER_SHARE);
    const isShared = askers.get(share)?.(caller);
    return [...buckets, isShared ? half : { ...half, least: ONLY_COUNTS }];
  };
}

/** How long a caller counts as active, in milliseconds. */
const ASKING_MS = MINUTE_MS;

/**
 * Returns a function that notes a caller as active, and returns whether another caller was active
 * lately. Callers with unaccepted tokens always share, because they are not told apart.
 */
function createAskers(now: () => number = () => performance.now()) {
  let last = { caller: '', atMs: Number.NEGATIVE_INFINITY };
  let lastOther = last;
  return (caller: string): boolean => {
    if (caller !== last.caller) lastOther = last;
    last = { caller, atMs: now() };
    return caller === UNACCEPTED || last.atMs - lastOther.atMs < ASKING_MS;
  };
}

/**
 * Reserves one call in addition to the others. If this exceeds a sixth of a small limit, the bucket
 * refills more slowly.
 */
function keepOne(bucket: Bucket, periodMs: number): Bucket {
  const max = Math.max(1, bucket.max - 1);
  const excess = Math.max(0, max + 1 - bucket.callsPerMs * periodMs * BURST_SHARE);
  return { ...bucket, max, callsPerMs: bucket.callsPerMs - excess / periodMs };
}
