import type { Standing } from './leases.ts';

/** What replicas may take while they cannot ask, by what was last heard of all. */
export interface FairShare {
  /** Told with each lease, and how much of the total is this replica's own. */
  heard(standing: Standing, own: number): void;
  /** How many of `ceiling` calls within a minute are this replica's. */
  of(ceiling: number): number;
  /** How many calls the others have made in the last minute; more than was heard where they too were `alone` since. */
  ofOthers(limit: number, wasAlone: boolean): number;
}

/** For so long calls stay counted in Redis. */
const COUNTED_MS = 62_000;

/** Makes the share of one replica. Until it hears of others it takes itself for the only one. */
export function createFairShare(now: () => number): FairShare {
  let standing: Standing & { readonly own: number } = { atMs: -COUNTED_MS, total: 0, replicas: 1, own: 0 };
  const isRecent = () => now() - standing.atMs < COUNTED_MS;

  return {
    heard(seen, own) {
      standing = { ...seen, own };
    },
    of(ceiling) {
      const share = Math.max(1, Math.floor(ceiling / standing.replicas));
      if (!isRecent()) return share;
      // What others had taken is gone: each takes its part of the rest.
      const left = Math.floor(Math.max(0, ceiling - standing.total) / standing.replicas);
      return Math.min(share, standing.own + left);
    },
    ofOthers(limit, wasAlone) {
      const known = isRecent() ? standing.total - standing.own : 0;
      const shares = Math.floor(limit / standing.replicas) * (standing.replicas - 1);
      return Math.max(known, wasAlone ? shares : 0);
    },
  };
}
