import { type BudgetShare, CALLER_SHARE, MAX_COUNTED, WINDOWS_PER_MINUTE } from './call-counter.ts';

/** A bucket of calls, which refills evenly. */
interface Bucket {
  readonly name: string;
  /** How many calls it holds at most, how many when it is first used, and how many at least: below 0 it is in debt. */
  readonly max: number;
  readonly start: number;
  readonly least: number;
  readonly callsPerMs: number;
}

/** The calls that buckets hold. It never rejects, as counters do not. */
export interface Buckets {
  /** Takes one call from each, or none. Gives 0, or how long until each has one, in milliseconds. */
  take(buckets: readonly Bucket[]): number | Promise<number>;
  /** How many calls a bucket holds. */
  level(bucket: Bucket): number | Promise<number>;
}

/** A wait that is no more than a rounding, in milliseconds. */
const ROUNDING_MS = 0.001;

/** Holds calls in the memory of this process. `spend` takes calls that are made whatever the buckets hold. */
export function createMemoryBuckets(now: () => number = () => performance.now()) {
  const beganAtMs = now();
  const levels = new Map<string, { readonly calls: number; readonly atMs: number }>();
  const level = ({ name, max, start, callsPerMs }: Bucket): number => {
    const { calls, atMs } = levels.get(name) ?? { calls: start, atMs: beganAtMs };
    return Math.min(max, calls + (now() - atMs) * callsPerMs);
  };
  const spend = (buckets: readonly Bucket[]): void => {
    for (const bucket of buckets) {
      const calls = level(bucket) - 1;
      levels.delete(bucket.name);
      levels.set(bucket.name, { calls, atMs: now() });
      const [oldest = ''] = levels.keys();
      if (levels.size > MAX_COUNTED) levels.delete(oldest);
    }
  };
  return {
    level,
    spend,
    take(buckets: readonly Bucket[]): number {
      const waits = buckets.map((bucket) => (1 + bucket.least - level(bucket)) / bucket.callsPerMs);
      const waitMs = Math.max(...waits);
      if (waitMs > ROUNDING_MS) return waitMs;
      spend(buckets);
      return 0;
    },
  };
}

interface BucketOptions {
  readonly name: string;
  /** How many calls a period has, and each share of them. */
  readonly calls: number;
  readonly shares: ReadonlyMap<string, number>;
  readonly periodMs: number;
  /** How many calls there are at the start of a process; as many as are held where absent. */
  readonly start?: number;
  readonly buckets: Buckets;
}

/**
 * Makes shares of one bucket, which holds a sixth of its period's calls. Each share has a bucket of its own beside it, and each
 * caller one of half as many. The last call is a renewal's, which may be in debt where the bucket holds no more than one.
 */
export function createBucketShares(options: BucketOptions): Map<string, BudgetShare> {
  const { name, calls, shares, periodMs, start = calls, buckets } = options;
  const create = (of: string, own: number, kept = 0): Bucket => {
    const max = Math.max(1, own / WINDOWS_PER_MINUTE - kept);
    const first = Math.min(max, Math.max(1, (start * own) / calls));
    return { name: `${name}:${of}`, max, start: first, least: 0, callsPerMs: own / periodMs };
  };
  const all = create('all', calls, 1);
  const shareOf = (share: string, own: number): BudgetShare => {
    const bucket = create(share, own);
    return {
      limit: bucket.max,
      take(caller) {
        const ofCaller = caller === undefined ? [] : [create(`${share}:${caller}`, own * CALLER_SHARE)];
        return buckets.take([all, bucket, ...ofCaller]);
      },
      taken: async () => bucket.max - Math.floor(Math.min(await buckets.level(bucket), await buckets.level(all))),
    };
  };
  const renewal: BudgetShare = {
    limit: all.max,
    take: () => buckets.take([{ ...all, least: -1 }]),
    taken: async () => all.max - Math.floor(await buckets.level(all)),
  };
  return new Map([...shares].map(([share, own]) => [share, shareOf(share, own)] as const)).set('renewal', renewal);
}
