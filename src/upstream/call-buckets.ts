import type { Limit, LimitOf } from '../core/errors.ts';
import { UNACCEPTED } from './token-source.ts';

export const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
/** How many buckets are held at a time, most of them of callers. */
const MAX_BUCKETS = 10_000;

/** A bucket of calls, which refills evenly. */
export interface Bucket {
  readonly name: string;
  /** What a refusal says of it. */
  readonly limit: Limit;
  /** How many calls it holds at most, which it begins with, and how many at least: below 0 it is in debt, or `ONLY_COUNTS`. */
  readonly max: number;
  readonly least: number;
  readonly callsPerMs: number;
}

/** The least of a bucket that refuses nothing: what is taken from it counts for later, and it stays at 0. */
export const ONLY_COUNTS = -1_000_000_000;

/** A limit that leaves no call, and how long until there is one, in milliseconds. */
export interface Shortage {
  readonly limit: Limit;
  readonly waitMs: number;
}

/** The calls that buckets hold. It never rejects: what others cannot be asked, each process counts by itself. */
export interface Buckets {
  /** Takes one call from each, or none where one of them is short of calls. */
  take(buckets: readonly Bucket[]): Shortage | undefined | Promise<Shortage | undefined>;
  /** How many calls may be taken from all of them. */
  level(buckets: readonly Bucket[]): number | Promise<number>;
}

/** The part of its calls that a bucket holds, so that at most 7/6 of them are taken within any period. */
const BURST_SHARE = 1 / 6;
/** The part of a share that one caller may use. */
const CALLER_SHARE = 0.5;
/** A wait that is no more than a rounding, in milliseconds. */
const ROUNDING_MS = 0.001;

/** Gives the bucket that is short of calls for longest, by what each holds. */
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

/** Holds calls in the memory of this process. */
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

/** A part of the calls of a period. */
export interface Share extends Pick<Limit, 'of'> {
  readonly calls: number;
  /** Another share whose calls these are as well. */
  readonly within?: string;
}

interface SharesOptions {
  readonly name: string;
  /** How many calls a period has, if they have a limit. */
  readonly calls?: number | undefined;
  readonly shares: ReadonlyMap<string, Share>;
  readonly per?: 'minute' | 'hour';
  /** A clock that never goes back, in milliseconds. */
  readonly now?: (() => number) | undefined;
}

/**
 * Makes what gives the buckets that a call takes from: that of all, those of its share, and one of half the share for its caller,
 * which refuses nothing while nobody else asks; none for a share without a limit. The last call of all is kept for a `renewal`,
 * which takes from no other.
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

/** How long a caller counts as one who asks, in milliseconds. */
const ASKING_MS = MINUTE_MS;

/** Notes a caller who asks this process, and gives whether another one has asked lately. Those whom nobody knows are never alone. */
function createAskers(now: () => number = () => performance.now()) {
  let last = { caller: '', atMs: Number.NEGATIVE_INFINITY };
  let lastOther = last;
  return (caller: string): boolean => {
    if (caller !== last.caller) lastOther = last;
    last = { caller, atMs: now() };
    return caller === UNACCEPTED || last.atMs - lastOther.atMs < ASKING_MS;
  };
}

/** Keeps one call besides the others. Where both are more than a sixth of a small number, fewer come back. */
function keepOne(bucket: Bucket, periodMs: number): Bucket {
  const max = Math.max(1, bucket.max - 1);
  const excess = Math.max(0, max + 1 - bucket.callsPerMs * periodMs * BURST_SHARE);
  return { ...bucket, max, callsPerMs: bucket.callsPerMs - excess / periodMs };
}
