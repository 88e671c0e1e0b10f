import { hash } from 'node:crypto';

import { type ConfirmedRecord, DENIED, REVOKED, type ReadResource } from '../../cache/cache.ts';
import { RequestStats, type StaleRead } from '../../cache/stats.ts';
import type { CacheStore } from '../../cache/store.ts';
import { isOneOf, UpstreamError } from '../../core/errors.ts';
import { type Clock, createDelayed } from './clock.ts';
import type { LiveOperation } from './live-operation.ts';
import { RARER, type ReadLog } from './subscription-type.ts';

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

interface PollerOptions {
  readonly store: CacheStore;
  readonly clock: Clock;
  /** How many polls the call budget allows. */
  readonly callsPerMinute: number;
}

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

/** Polls what live queries have read: one conditional call for each resource of a caller, however many follow it. */
export class Poller {
  /** Polls so far. */
  readonly counts = { unchanged: 0, changed: 0, failed: 0, 'put off': 0 };
  inFlight = 0;
  readonly #store: CacheStore;
  readonly #clock: Clock;
  readonly #maxStarts: number;
  readonly #watches = new Map<string, Watch>();
  readonly #stopped = new AbortController();
  /** A record's digest is made once: one that is confirmed is the same object. */
  readonly #digests = new WeakMap<object, string>();
  readonly #tickLater: () => void;
  readonly #pollOutdatedLater: () => void;

  constructor({ store, clock, callsPerMinute }: PollerOptions) {
    this.#store = store;
    this.#clock = clock;
    this.#maxStarts = Math.ceil(callsPerMinute * STARTS_SHARE);
    this.#tickLater = createDelayed(clock, TICK_MS, () => this.#tick());
    this.#pollOutdatedLater = createDelayed(clock, CHANGES_MS, () => this.#pollOutdated());
    store.onApplied(() => {
      if (this.watched > 0) this.#pollOutdatedLater();
    });
  }

  /** How many resources are watched. */
  get watched(): number {
    return this.#watches.size;
  }

  /** Follows what a run has read, in place of what the operation followed before. */
  follow(operation: LiveOperation, reads: ReadLog, intervalMs: number): void {
    const before = new Set(operation.watches);
    for (const { resource, isRoot } of reads) {
      const ownMs = isRoot ? intervalMs : intervalMs * RARER;
      const watch = this.#watches.get(resource.key) ?? this.#watch(resource);
      watch.interests.set(operation, { digest: this.#digestOf(resource.record), intervalMs: ownMs });
      watch.intervalMs = Math.min(watch.intervalMs, ownMs);
      watch.dueMs = Math.min(watch.dueMs, this.#next(ownMs));
      this.#confirm(watch, resource);
      operation.watches.add(watch);
      before.delete(watch);
    }
    for (const watch of before) this.#leave(watch, operation);
    this.#tickLater();
  }

  unfollow(operation: LiveOperation): void {
    for (const watch of operation.watches) this.#leave(watch, operation);
  }

  /** What of an operation's answer has not been confirmed for too long. */
  staleReadsOf({ watches }: LiveOperation): readonly StaleRead[] {
    return [...watches]
      .filter(({ isOverdue }) => isOverdue)
      .map(({ resource: { operation }, confirmedAtMs }) => ({ operation, ageMs: this.#clock.now() - confirmedAtMs }));
  }

  /** Whether all that was read was confirmed within so many milliseconds, and no change came since. */
  isCurrent({ watches }: LiveOperation, withinMs: number): boolean {
    const sinceMs = this.#clock.now() - withinMs;
    return [...watches].every((watch) => watch.confirmedAtMs >= sinceMs && !this.#isOutdated(watch));
  }

  stop(): void {
    this.#stopped.abort();
    this.#watches.clear();
  }

  #watch(resource: ReadResource): Watch {
    const watch = new Watch(resource);
    this.#watches.set(resource.key, watch);
    return watch;
  }

  #leave(watch: Watch, operation: LiveOperation): void {
    operation.watches.delete(watch);
    watch.interests.delete(operation);
    if (watch.interests.size === 0) this.#watches.delete(watch.resource.key);
    else watch.intervalMs = Math.min(...[...watch.interests.values()].map(({ intervalMs }) => intervalMs));
  }

  #next(intervalMs: number): number {
    return this.#clock.now() + intervalMs * (1 - JITTER + 2 * JITTER * this.#clock.random());
  }

  #tick(): void {
    const nowMs = this.#clock.now();
    const due: Watch[] = [];
    for (const watch of this.#watches.values()) {
      if (watch.dueMs <= nowMs && watch.isFree(nowMs)) due.push(watch);
      if (nowMs - watch.confirmedAtMs > watch.intervalMs * (1 + JITTER) + OVERDUE_MS) watch.setOverdue(true);
    }
    // Those that were put off go first.
    due.sort((one, other) => one.dueMs - other.dueMs);
    for (const watch of due.slice(0, this.#maxStarts)) void this.#poll(watch);
    if (this.#watches.size > 0) this.#tickLater();
  }

  /** Polls what a change through a gateway may have changed. */
  #pollOutdated(): void {
    const nowMs = this.#clock.now();
    for (const watch of this.#watches.values()) {
      if (!watch.isFree(nowMs) || !this.#isOutdated(watch)) continue;
      watch.dueMs = nowMs;
      void this.#poll(watch);
    }
  }

  #isOutdated({ resource, generation }: Watch): boolean {
    return this.#store.isStale(resource.tags, generation);
  }

  async #poll(watch: Watch): Promise<void> {
    const sinceMs = this.#store.now() - 1;
    const stats = new RequestStats();
    stats.readKind = 'poll';
    watch.isPolling = true;
    this.inFlight++;
    try {
      this.#found(watch, await watch.resource.poll(this.#stopped.signal, stats), sinceMs);
    } catch (error) {
      if (!this.#stopped.signal.aborted) this.#failed(watch, error, sinceMs);
    }
    watch.isPolling = false;
    this.inFlight--;
    // A write may have come while it was polled.
    if (watch.failures === 0 && this.#isOutdated(watch)) this.#pollOutdatedLater();
  }

  #found(watch: Watch, confirmed: ConfirmedRecord, sinceMs: number): void {
    this.#confirm(watch, confirmed);
    watch.dueMs = this.#next(watch.intervalMs);
    const digest = this.#digestOf(confirmed.record);
    const changed = [...watch.interests].filter(([, interest]) => interest.digest !== digest);
    this.#count(watch, changed.length > 0 ? 'changed' : 'unchanged');
    for (const [operation] of changed) operation.changed(sinceMs);
  }

  #failed(watch: Watch, error: unknown, sinceMs: number): void {
    const { retryAfterMs = 0, isUnsent = false } = error instanceof UpstreamError ? error : {};
    watch.heldUntilMs = this.#clock.now() + retryAfterMs;
    if (isUnsent && isOneOf(['rate-limited'], error)) {
      this.counts['put off']++;
      return;
    }
    this.#count(watch, 'failed');
    watch.failures++;
    const backoffMs = Math.min(watch.intervalMs * 2 ** watch.failures, Math.max(watch.intervalMs, MAX_BACKOFF_MS));
    watch.dueMs = this.#next(backoffMs);
    for (const operation of [...watch.interests.keys()]) {
      if (error instanceof UpstreamError && isOneOf(REVOKED, error)) operation.refused(error);
      // A run says that the platform would not give this to the caller any more.
      else if (isOneOf(DENIED, error)) operation.changed(sinceMs);
    }
  }

  #count({ interests }: Watch, outcome: keyof Poller['counts']): void {
    this.counts[outcome]++;
    for (const operation of interests.keys()) operation.polled();
  }

  /** Notes what the platform has said of a resource, unless something newer is known. */
  #confirm(watch: Watch, { confirmedAtMs, generation }: ConfirmedRecord): void {
    // By the clock of the polls.
    const atMs = this.#clock.now() - Math.max(0, this.#store.now() - confirmedAtMs);
    if (atMs < watch.confirmedAtMs || generation < watch.generation) return;
    Object.assign(watch, { confirmedAtMs: atMs, generation, failures: 0 });
    watch.setOverdue(false);
  }

  #digestOf(record: object | undefined): string {
    if (record === undefined) return '';
    const known = this.#digests.get(record);
    if (known !== undefined) return known;
    const digest = hash('sha256', JSON.stringify(record), 'base64url');
    this.#digests.set(record, digest);
    return digest;
  }
}
