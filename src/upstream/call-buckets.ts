export const MINUTE_MS = 60_000;
/** How many buckets are held at a time, most of them of callers. */
const MAX_BUCKETS = 10_000;

/** A bucket of calls, which refills evenly. */
export interface Bucket {
  readonly name: string;
  /** How many calls it holds at most, how many when it is first used, and how many at least: below 0 it is in debt. */
  readonly max: number;
  readonly start: number;
  readonly least: number;
  readonly callsPerMs: number;
}

/** The calls that buckets hold. It never rejects: what others cannot be asked, each process counts by itself. */
export interface Buckets {
  /** Takes one call from each, or none. Gives 0, or how long until each has one, in milliseconds. */
  take(buckets: readonly Bucket[]): number | Promise<number>;
  /** How many calls may be taken from all of them. */
  level(buckets: readonly Bucket[]): number | Promise<number>;
}

/** The part of its calls that a bucket holds, so that at most 7/6 of them are taken within any period. */
const BURST_SHARE = 1 / 6;
/** The part of a share that one caller may use. */
const CALLER_SHARE = 0.5;
/** A wait that is no more than a rounding, in milliseconds. */
const ROUNDING_MS = 0.001;

/** Holds calls in the memory of this process. */
export function createMemoryBuckets(now: () => number = () => performance.now()) {
  const beganAtMs = now();
  const levels = new Map<string, { readonly calls: number; readonly atMs: number }>();
  const levelOf = ({ name, max, start, callsPerMs }: Bucket): number => {
    const { calls, atMs } = levels.get(name) ?? { calls: start, atMs: beganAtMs };
    return Math.min(max, calls + (now() - atMs) * callsPerMs);
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
    take(buckets: readonly Bucket[]): number {
      const waits = buckets.map((bucket) => (1 + bucket.least - levelOf(bucket)) / bucket.callsPerMs);
      const waitMs = Math.max(...waits);
      if (waitMs > ROUNDING_MS) return waitMs;
      for (const bucket of buckets) set(bucket, levelOf(bucket) - 1);
      return 0;
    },
  };
}

interface SharesOptions {
  readonly name: string;
  /** How many calls a period has, if they have a limit. */
  readonly calls?: number | undefined;
  readonly shares: ReadonlyMap<string, number>;
  readonly periodMs?: number;
  /** How many calls there are at the start of a process; as many as are held where absent. */
  readonly start?: number;
}

/**
 * Makes what gives the buckets that a call takes from: that of all, that of its share, and one of half the share for its caller;
 * none for a share without a limit. The last call of all is kept for a `renewal`, which takes from no other.
 */
export function createShares({ name, calls, shares, periodMs = MINUTE_MS, start }: SharesOptions) {
  const create = (of: string, own: number): Bucket => {
    const max = Math.max(1, own * BURST_SHARE);
    const first = start === undefined ? max : Math.min(max, Math.max(1, (start * own) / (calls ?? own)));
    return { name: `${name}:${of}`, max, start: first, least: 0, callsPerMs: own / periodMs };
  };
  const all = calls === undefined ? [] : [keepOne(create('all', calls), periodMs)];
  const ofShares = new Map([...shares].map(([share, own]) => [share, [...all, create(share, own)]]));
  const ofRenewal = all.map((bucket) => ({ ...bucket, least: -1 }));
  return (share: string, caller?: string): readonly Bucket[] => {
    const own = shares.get(share);
    const buckets = share === 'renewal' ? ofRenewal : (ofShares.get(share) ?? []);
    if (caller === undefined || own === undefined) return buckets;
    return [...buckets, create(`${share}:${caller}`, own * CALLER_SHARE)];
  };
}

/** Keeps one call besides the others. Where both are more than a sixth of a small number, fewer come back. */
function keepOne(bucket: Bucket, periodMs: number): Bucket {
  const max = Math.max(1, bucket.max - 1);
  const excess = Math.max(0, max + 1 - bucket.callsPerMs * periodMs * BURST_SHARE);
  return { ...bucket, max, start: Math.min(max, bucket.start), callsPerMs: bucket.callsPerMs - excess / periodMs };
}
