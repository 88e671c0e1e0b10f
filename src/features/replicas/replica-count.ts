/**
 * How long a replica must be missing before it no longer counts, in milliseconds. After a restart
 * of Redis the replicas connect one after the other, and the first must not count itself alone.
 */
const MISSING_MS = 60_000;

/** Creates the count of replicas. It grows at once, and shrinks after a minute. */
export function createReplicaCount(now: () => number = () => performance.now()) {
  let count = 1;
  let completeAtMs = Number.NEGATIVE_INFINITY;
  return {
    /** Returns the number of replicas that were last seen, this one included. */
    read: () => count,
    /** Notes the number of replicas that Redis has counted. */
    note(connected: number): void {
      const isComplete = connected >= count;
      if (!isComplete && now() - completeAtMs < MISSING_MS) return;
      count = Math.max(1, connected);
      completeAtMs = now();
    },
    /** Notes a new connection. Replicas that are not connected yet still count. */
    noteConnect(): void {
      completeAtMs = now();
    },
  };
}
