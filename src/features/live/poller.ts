import { hash } from 'node:crypto';

import type { ConfirmedRecord, ReadResource } from '../../cache/cache.ts';
import { isOneOf, UpstreamError } from '../../core/errors.ts';
import { type StaleRead, Work } from '../../core/work.ts';
import { MINUTE_MS } from '../../upstream/call-buckets.ts';
import { createDelayed } from './clock.ts';
import type { LiveOperation } from './live-operation.ts';
import type { LiveStream } from './live-stream.ts';
import { type LiveParts, READ_KIND } from './settings.ts';
import { NESTED_INTERVAL_FACTOR, type ReadLog } from './subscription-type.ts';

/** How often it is looked which polls are due. */
const TICK_MS = 250;
/** The part of a minute's polls that may begin at once, as the call budget has it: more would be refused one by one. */
const STARTS_SHARE = 1 / 6;
/** How many operations are told within a tick that they are out of date, or not any more. */
const MAX_NOTIFIED = 50;
/** Intervals vary by this share, so that polls spread. */
const JITTER = 0.1;
/** The longest wait after failures, unless the interval is longer. */
const MAX_BACKOFF_MS = 60_000;
/** How long after its interval a record may lack confirmation. */
const OVERDUE_MS = 60_000;
/** Changes that come together are looked at together. */
const CHANGES_MS = 5;
/**
 * The shortest time between two polls of a resource that writes cause, while less than half of the polls that may begin at once is
 * left: one caller's writes must not spend the polls of others.
 */
const WRITES_GAP_MS = 1_000;

/** One resource of one caller, for all operations that have read it. */
export class Watch {
  readonly resource: Pick<ReadResource, 'key' | 'operation' | 'tags' | 'revalidate'>;
  readonly interests = new Map<LiveOperation, Interest>();
  /** The shortest that one of them asks for. */
  intervalMs = Number.POSITIVE_INFINITY;
  dueMs = Number.POSITIVE_INFINITY;
  /** A poll that the call budget or the platform refused waits until then. */
  heldUntilMs = 0;
  /** After a write, not before. */
  gapEndsAtMs = 0;
  /** Of the record that was confirmed last. */
  digest = '';
  /** By the store's clock; `heardAtMs` is the same by the clock of the polls. */
  confirmedAtMs = 0;
  heardAtMs = 0;
  generation: number;
  /** In a row. */
  failures = 0;
  isPolling = false;
  /** Whether it is due and waits for the call budget. */
  isPutOff = false;
  isOverdue = false;

  constructor({ key, operation, tags, revalidate, generation }: ReadResource) {
    this.resource = { key, operation, tags, revalidate };
    this.generation = generation;
  }

  isDue(nowMs: number): boolean {
    return !this.isPolling && Math.max(this.dueMs, this.heldUntilMs) <= nowMs;
  }

  isLate(nowMs: number): boolean {
    return nowMs - this.heardAtMs > this.intervalMs * (1 + JITTER) + OVERDUE_MS;
  }
}

interface Interest {
  /** Of the record that was read, and when it was confirmed, by the store's clock. */
  readonly digest: string;
  readonly confirmedAtMs: number;
  /** When the platform last said the same, by the clock of the polls. */
  heardAtMs: number;
  readonly intervalMs: number;
}

export type Poller = ReturnType<typeof createPoller>;

/** Polls the resources of live queries: one conditional call for each resource of a caller, however many follow it. */
export function createPoller({ gateway: { store }, clock, leastMs, checkMs, callsPerMinute }: LiveParts) {
  const maxStarts = Math.max(1, callsPerMinute * STARTS_SHARE);
  const watches = new Map<string, Watch>();
  const stopped = new AbortController();
  const digestOf = createDigests();
  const counts = { unchanged: 0, changed: 0, failed: 0, 'put off': 0 };
  let inFlight = 0;

  const next = (intervalMs: number) => clock.now() + intervalMs * (1 - JITTER + 2 * JITTER * clock.random());
  /** Converts a time of the store's clock to one of the polls'. */
  const heardAt = (confirmedAtMs: number) => clock.now() - Math.max(0, store.now() - confirmedAtMs);
  const isOutdated = ({ resource, generation }: Watch) => store.isStale(resource.tags, generation);
  const makeDue = (watch: Watch): void => {
    watch.dueMs = Math.min(watch.dueMs, Math.max(watch.gapEndsAtMs, clock.now()));
  };

  /** How many polls may begin. */
  let starts = maxStarts;
  let startsAtMs = clock.now();
  /** How many calls each caller has paid within this minute. */
  const paid = new Map<string | undefined, number>();
  let minuteEndsAtMs = clock.now() + MINUTE_MS;
  /** Operations whose confirmation has changed. */
  const unnotified = new Set<LiveOperation>();

  const setOverdue = (watch: Watch, isOverdue: boolean): void => {
    if (watch.isOverdue === isOverdue) return;
    watch.isOverdue = isOverdue;
    for (const operation of watch.interests.keys()) unnotified.add(operation);
  };
  const tickLater = createDelayed(clock, TICK_MS, () => {
    const nowMs = clock.now();
    for (const watch of watches.values()) if (watch.isLate(nowMs)) setOverdue(watch, true);
    for (const operation of [...unnotified].slice(0, MAX_NOTIFIED)) {
      unnotified.delete(operation);
      operation.confirmationChanged();
    }
    pollDue();
    if (watches.size > 0) tickLater();
  });
  /** Begins polls that are due, as many as the call budget has: first those whose payers have paid least, then the oldest. */
  const pollDue = (): void => {
    const nowMs = clock.now();
    starts = Math.min(maxStarts, starts + ((nowMs - startsAtMs) * callsPerMinute) / MINUTE_MS);
    startsAtMs = nowMs;
    if (nowMs >= minuteEndsAtMs) {
      minuteEndsAtMs = nowMs + MINUTE_MS;
      paid.clear();
    }
    if (starts < 1) return;
    const turns = new Map(paid);
    const due = [...watches.values()]
      .filter((watch) => watch.isDue(nowMs))
      .sort((one, other) => one.dueMs - other.dueMs)
      .map((watch) => ({ watch, turn: pay(choosePayer(watch.interests.keys(), turns)?.callerKey, turns) }))
      .sort((one, other) => one.turn - other.turn);
    for (const { watch } of due) {
      if (starts < 1) putOff(watch);
      else {
        starts--;
        void poll(watch);
      }
    }
  };
  /** Polls what a change through a gateway may have changed. */
  const pollOutdatedLater = createDelayed(clock, CHANGES_MS, () => {
    for (const watch of watches.values()) if (isOutdated(watch)) makeDue(watch);
    pollDue();
  });
  store.onChange(() => {
    if (watches.size > 0) pollOutdatedLater();
  });

  const putOff = (watch: Watch): void => {
    if (!watch.isPutOff) counts['put off']++;
    watch.isPutOff = true;
  };
  const poll = async (watch: Watch): Promise<void> => {
    const sinceMs = store.now() - 1;
    const payer = choosePayer(watch.interests.keys(), paid);
    const caller = payer?.callerKey;
    pay(caller, paid);
    const callerName = payer?.caller.scope.caller;
    const work = new Work({ signal: stopped.signal, received: store.received, caller, callerName });
    work.readKind = READ_KIND;
    watch.isPolling = true;
    watch.isPutOff = false;
    if (isOutdated(watch) && starts < maxStarts / 2) watch.gapEndsAtMs = clock.now() + WRITES_GAP_MS;
    inFlight++;
    try {
      found(watch, await watch.resource.revalidate(work), sinceMs);
    } catch (error) {
      if (!stopped.signal.aborted) failed(watch, error, sinceMs);
    }
    work.finish();
    watch.isPolling = false;
    inFlight--;
    // A write may have come while it was polled.
    if (watch.failures === 0 && isOutdated(watch)) pollOutdatedLater();
  };

  const found = (watch: Watch, record: ConfirmedRecord, sinceMs: number): void => {
    const digest = digestOf(record);
    confirm(watch, record, digest);
    watch.dueMs = next(watch.intervalMs);
    const changed = [...watch.interests].filter(([, interest]) => interest.digest !== digest);
    for (const interest of watch.interests.values())
      if (interest.digest === digest) interest.heardAtMs = watch.heardAtMs;
    count(watch, changed.length > 0 ? 'changed' : 'unchanged');
    for (const [operation] of changed) operation.changed(sinceMs);
  };

  const failed = (watch: Watch, error: unknown, sinceMs: number): void => {
    const { retryAfterMs = 0, isUnsent = false } = error instanceof UpstreamError ? error : {};
    // A pause may be an hour, and end with a probe.
    watch.heldUntilMs = clock.now() + Math.min(retryAfterMs, MAX_BACKOFF_MS);
    if (isUnsent && isOneOf(['rate-limited'], error)) {
      putOff(watch);
      return;
    }
    count(watch, 'failed');
    watch.failures++;
    const backoffMs = Math.min(watch.intervalMs * 2 ** watch.failures, Math.max(watch.intervalMs, MAX_BACKOFF_MS));
    // What an open breaker stops costs the platform nothing.
    watch.dueMs = next(isUnsent ? watch.intervalMs : backoffMs);
    for (const operation of [...watch.interests.keys()]) operation.pollFailed(error, sinceMs);
  };

  const count = ({ interests }: Watch, outcome: keyof typeof counts): void => {
    counts[outcome]++;
    for (const operation of interests.keys()) operation.polled();
  };

  /** Notes what the platform has said of a resource, unless something newer is known. */
  const confirm = (watch: Watch, { confirmedAtMs, generation }: ConfirmedRecord, digest: string): void => {
    if (confirmedAtMs < watch.confirmedAtMs || generation < watch.generation) return;
    Object.assign(watch, { digest, confirmedAtMs, heardAtMs: heardAt(confirmedAtMs), generation, failures: 0 });
    setOverdue(watch, false);
  };

  const followOne = (operation: LiveOperation, resource: ReadResource, intervalMs: number): Watch => {
    const { key, confirmedAtMs } = resource;
    const digest = digestOf(resource);
    const watch = watches.get(key) ?? new Watch(resource);
    watches.set(key, watch);
    watch.interests.set(operation, { digest, confirmedAtMs, heardAtMs: heardAt(confirmedAtMs), intervalMs });
    operation.watches.add(watch);
    watch.intervalMs = Math.min(watch.intervalMs, intervalMs);
    watch.dueMs = Math.min(watch.dueMs, next(intervalMs));
    confirm(watch, resource, digest);
    // Something newer is known, or has been written while the operation ran.
    if (digest !== watch.digest || isOutdated(watch)) makeDue(watch);
    return watch;
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
    /**
     * Follows what a run has read, in place of what the operation followed before, and clears the log.
     *
     * @returns whether it does: not where the operation follows something that was confirmed later.
     */
    follow(operation: LiveOperation, reads: ReadLog, intervalMs: number): boolean {
      const all = [...reads];
      reads.clear();
      const isOlder = all.some(({ resource: { key, confirmedAtMs } }) => {
        return confirmedAtMs < (watches.get(key)?.interests.get(operation)?.confirmedAtMs ?? 0);
      });
      if (isOlder) return false;
      const followed = all.map(({ resource, isRoot }, index) => {
        const ownMs = isRoot ? intervalMs : intervalMs * NESTED_INTERVAL_FACTOR;
        return followOne(operation, resource, index === 0 ? Math.min(ownMs, checkMs) : ownMs);
      });
      for (const watch of operation.watches) if (!followed.includes(watch)) leave(watch, operation);
      tickLater();
      return true;
    },
    unfollow(operation: LiveOperation): void {
      for (const watch of operation.watches) leave(watch, operation);
      unnotified.delete(operation);
    },
    /** Finds a stream of the caller who has paid least among those who watch. */
    payerOf: (operation: LiveOperation) => choosePayer([operation], paid),
    /** Counts so many calls for a caller. */
    pay: (caller: string | undefined, calls: number) => pay(caller, paid, calls),
    /** Whether something of an operation's answer has not been confirmed for too long. */
    isOverdue: ({ watches }: LiveOperation): boolean => [...watches].some(({ isOverdue }) => isOverdue),
    /** The parts of an operation's answer that were not confirmed for too long. */
    staleReadsOf(shown: LiveOperation): readonly StaleRead[] {
      const watches = [...shown.watches];
      const overdue = watches.filter(({ isOverdue }) => isOverdue);
      return (overdue.length > 0 ? overdue : watches).map(({ resource: { operation }, interests, heardAtMs }) => {
        return { operation, ageMs: Math.round(clock.now() - (interests.get(shown)?.heardAtMs ?? heardAtMs)) };
      });
    },
    /** Whether all that was read was confirmed within the least interval, and no change came since. */
    isCurrent({ watches }: LiveOperation): boolean {
      const sinceMs = clock.now() - leastMs;
      return [...watches].every((watch) => watch.heardAtMs >= sinceMs && !isOutdated(watch));
    },
    stop(): void {
      stopped.abort();
      watches.clear();
    },
  };
}

/** Finds a stream of the caller who has paid least among those who watch. */
function choosePayer(operations: Iterable<LiveOperation>, paid: ReadonlyMap<string | undefined, number>) {
  let found: LiveStream | undefined;
  for (const { streams } of operations) {
    for (const stream of streams) {
      if (!found || (paid.get(stream.callerKey) ?? 0) < (paid.get(found.callerKey) ?? 0)) found = stream;
    }
  }
  return found;
}

/** Counts calls for a payer. @returns how many they had paid before. */
function pay(payer: string | undefined, paid: Map<string | undefined, number>, calls = 1): number {
  const before = paid.get(payer) ?? 0;
  paid.set(payer, before + calls);
  return before;
}

/** Computes a record's digest, once: a record that is confirmed is the same object. */
function createDigests(): (resource: ConfirmedRecord) => string {
  const digests = new WeakMap<object, string>();
  return ({ record }) => {
    if (record === undefined) return '';
    const digest = digests.get(record) ?? hash('sha256', JSON.stringify(record), 'base64url');
    digests.set(record, digest);
    return digest;
  };
}
