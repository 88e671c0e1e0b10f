import { hash } from 'node:crypto';

import type { ConfirmedRecord, ReadResource } from '../../cache/cache.ts';
import { RequestStats, type StaleRead } from '../../cache/stats.ts';
import { isOneOf, UpstreamError } from '../../core/errors.ts';
import { createDelayed } from './clock.ts';
import type { LiveOperation } from './live-operation.ts';
import type { LiveParts } from './settings.ts';
import { RARER, type ReadLog } from './subscription-type.ts';

/** How often it is looked which polls are due. */
const TICK_MS = 250;
/** The part of a minute's polls that begin at once: where many more are due, the budget would refuse them one by one. */
const STARTS_SHARE = 1 / 24;
/** Intervals vary by this share, so that polls spread. */
const JITTER = 0.1;
/** The longest wait after failures, unless the interval is longer. */
const MAX_BACKOFF_MS = 60_000;
/** How long after its interval a record may lack confirmation. */
const OVERDUE_MS = 60_000;
/** Changes that come together are looked at together. */
const CHANGES_MS = 5;

/** One resource of one caller, for all operations that have read it. */
export class Watch {
  readonly resource: Pick<ReadResource, 'key' | 'operation' | 'tags' | 'poll'>;
  readonly interests = new Map<LiveOperation, Interest>();
  /** The shortest that one of them asks for. */
  intervalMs = Number.POSITIVE_INFINITY;
  dueMs = Number.POSITIVE_INFINITY;
  /** A poll that the call budget or the platform refused waits until then. */
  heldUntilMs = 0;
  confirmedAtMs = 0;
  generation: number;
  /** In a row. */
  failures = 0;
  isPolling = false;
  isOverdue = false;

  constructor({ key, operation, tags, poll, generation }: ReadResource) {
    this.resource = { key, operation, tags, poll };
    this.generation = generation;
  }

  isFree(nowMs: number): boolean {
    return !this.isPolling && this.heldUntilMs <= nowMs;
  }

  noteTime(nowMs: number): void {
    if (nowMs - this.confirmedAtMs > this.intervalMs * (1 + JITTER) + OVERDUE_MS) this.setOverdue(true);
  }

  setOverdue(isOverdue: boolean): void {
    if (this.isOverdue === isOverdue) return;
    this.isOverdue = isOverdue;
    for (const operation of this.interests.keys()) operation.confirmationChanged();
  }
}

interface Interest {
  /** Of the record that was read. */
  readonly digest: string;
  readonly intervalMs: number;
}

export type Poller = ReturnType<typeof createPoller>;

/** Makes what polls what live queries have read: one conditional call for each resource of a caller, however many follow it. */
export function createPoller({ gateway: { store }, clock, callsPerMinute }: LiveParts) {
  const maxStarts = Math.ceil(callsPerMinute * STARTS_SHARE);
  const watches = new Map<string, Watch>();
  const stopped = new AbortController();
  const digestOf = createDigests();
  const counts = { unchanged: 0, changed: 0, failed: 0, 'put off': 0 };
  let inFlight = 0;

  const next = (intervalMs: number) => clock.now() + intervalMs * (1 - JITTER + 2 * JITTER * clock.random());
  const isOutdated = ({ resource, generation }: Watch) => store.isStale(resource.tags, generation);

  const tickLater = createDelayed(clock, TICK_MS, () => {
    const nowMs = clock.now();
    const all = [...watches.values()];
    for (const watch of all) watch.noteTime(nowMs);
    // Those that were put off go first.
    const due = all.filter((watch) => watch.dueMs <= nowMs && watch.isFree(nowMs));
    due.sort((one, other) => one.dueMs - other.dueMs);
    for (const watch of due.slice(0, maxStarts)) void poll(watch);
    if (watches.size > 0) tickLater();
  });
  /** Polls what a change through a gateway may have changed. */
  const pollOutdatedLater = createDelayed(clock, CHANGES_MS, () => {
    const nowMs = clock.now();
    for (const watch of watches.values()) {
      if (!watch.isFree(nowMs) || !isOutdated(watch)) continue;
      watch.dueMs = nowMs;
      void poll(watch);
    }
  });
  store.onApplied(() => {
    if (watches.size > 0) pollOutdatedLater();
  });

  const poll = async (watch: Watch): Promise<void> => {
    const sinceMs = store.now() - 1;
    const stats = new RequestStats(undefined, undefined, store.received);
    stats.readKind = 'poll';
    watch.isPolling = true;
    inFlight++;
    try {
      found(watch, await watch.resource.poll(stopped.signal, stats), sinceMs);
    } catch (error) {
      if (!stopped.signal.aborted) failed(watch, error, sinceMs);
    }
    stats.end();
    watch.isPolling = false;
    inFlight--;
    // A write may have come while it was polled.
    if (watch.failures === 0 && isOutdated(watch)) pollOutdatedLater();
  };

  const found = (watch: Watch, record: ConfirmedRecord, sinceMs: number): void => {
    confirm(watch, record);
    watch.dueMs = next(watch.intervalMs);
    const digest = digestOf(record);
    const changed = [...watch.interests].filter(([, interest]) => interest.digest !== digest);
    count(watch, changed.length > 0 ? 'changed' : 'unchanged');
    for (const [operation] of changed) operation.changed(sinceMs);
  };

  const failed = (watch: Watch, error: unknown, sinceMs: number): void => {
    const { retryAfterMs = 0, isUnsent = false } = error instanceof UpstreamError ? error : {};
    watch.heldUntilMs = clock.now() + retryAfterMs;
    if (isUnsent && isOneOf(['rate-limited'], error)) {
      counts['put off']++;
      return;
    }
    count(watch, 'failed');
    watch.failures++;
    const backoffMs = Math.min(watch.intervalMs * 2 ** watch.failures, Math.max(watch.intervalMs, MAX_BACKOFF_MS));
    watch.dueMs = next(backoffMs);
    for (const operation of [...watch.interests.keys()]) operation.pollFailed(error, sinceMs);
  };

  const count = ({ interests }: Watch, outcome: keyof typeof counts): void => {
    counts[outcome]++;
    for (const operation of interests.keys()) operation.polled();
  };

  /** Notes what the platform has said of a resource, unless something newer is known. */
  const confirm = (watch: Watch, { confirmedAtMs, generation }: ConfirmedRecord): void => {
    // By the clock of the polls.
    const atMs = clock.now() - Math.max(0, store.now() - confirmedAtMs);
    if (atMs < watch.confirmedAtMs || generation < watch.generation) return;
    Object.assign(watch, { confirmedAtMs: atMs, generation, failures: 0 });
    watch.setOverdue(false);
  };

  const leave = (watch: Watch, operation: LiveOperation): void => {
    operation.watches.delete(watch);
    watch.interests.delete(operation);
    if (watch.interests.size === 0) watches.delete(watch.resource.key);
    else watch.intervalMs = Math.min(...[...watch.interests.values()].map(({ intervalMs }) => intervalMs));
  };

  return {
    /** Polls so far. */
    counts,
    inFlight: () => inFlight,
    /** How many resources are watched. */
    watched: () => watches.size,
    /** Follows what a run has read, in place of what the operation followed before, and clears the log. */
    follow(operation: LiveOperation, reads: ReadLog, intervalMs: number): void {
      const before = new Set(operation.watches);
      for (const { resource, isRoot } of reads) {
        const ownMs = isRoot ? intervalMs : intervalMs * RARER;
        const watch = watches.get(resource.key) ?? new Watch(resource);
        watches.set(resource.key, watch);
        watch.interests.set(operation, { digest: digestOf(resource), intervalMs: ownMs });
        watch.intervalMs = Math.min(watch.intervalMs, ownMs);
        watch.dueMs = Math.min(watch.dueMs, next(ownMs));
        confirm(watch, resource);
        operation.watches.add(watch);
        before.delete(watch);
      }
      reads.clear();
      for (const watch of before) leave(watch, operation);
      tickLater();
    },
    unfollow(operation: LiveOperation): void {
      for (const watch of operation.watches) leave(watch, operation);
    },
    /** What of an operation's answer has not been confirmed for too long. */
    staleReadsOf: ({ watches }: LiveOperation): readonly StaleRead[] =>
      [...watches]
        .filter(({ isOverdue }) => isOverdue)
        .map(({ resource: { operation }, confirmedAtMs }) => ({ operation, ageMs: clock.now() - confirmedAtMs })),
    /** Whether all that was read was confirmed within so many milliseconds, and no change came since. */
    isCurrent({ watches }: LiveOperation, withinMs: number): boolean {
      const sinceMs = clock.now() - withinMs;
      return [...watches].every((watch) => watch.confirmedAtMs >= sinceMs && !isOutdated(watch));
    },
    stop(): void {
      stopped.abort();
      watches.clear();
    },
  };
}

/** Makes what gives a record's digest. It is made once: a record that is confirmed is the same object. */
function createDigests(): (resource: ConfirmedRecord) => string {
  const digests = new WeakMap<object, string>();
  return ({ record }) => {
    if (record === undefined) return '';
    const digest = digests.get(record) ?? hash('sha256', JSON.stringify(record), 'base64url');
    digests.set(record, digest);
    return digest;
  };
}
