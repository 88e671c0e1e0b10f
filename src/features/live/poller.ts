import { hash } from 'node:crypto';

import type { Cache, ConfirmedRecord, ReadResource } from '../../cache/cache.ts';
import { RequestStats } from '../../cache/stats.ts';
import type { CacheStore } from '../../cache/store.ts';
import { isOneOf, UpstreamError, type UpstreamFailure } from '../../core/errors.ts';
import type { Clock } from './clock.ts';
import type { ReadLog } from './subscription-type.ts';

/** Who wants to know of changes of what it has read. */
export interface Follower {
  /** Something is not as it was read; what was confirmed since then is up to date. */
  changed(sinceMs: number): void;
  /** Something has not been confirmed for too long, or now is again. */
  confirmationChanged(): void;
  /** The platform does not accept the caller any more. */
  refused(error: UpstreamError): void;
}

/** What of a follower's answer may be out of date. */
export interface Overdue {
  readonly operation: string;
  readonly ageMs: number;
}

/** One resource of one caller, for all who follow it. */
interface Watch {
  readonly resource: ReadResource;
  readonly followers: Map<Follower, Interest>;
  dueMs: number;
  /** A poll that the call budget refused waits until then. */
  heldUntilMs: number;
  confirmedAtMs: number;
  generation: number;
  /** In a row. */
  failures: number;
  isPolling: boolean;
  isOverdue: boolean;
}

interface Interest {
  /** Of the record that was read. */
  readonly digest: string;
  readonly intervalMs: number;
}

interface PollerOptions {
  readonly store: CacheStore;
  readonly clock: Clock;
}

/** How often it is looked which polls are due. */
const TICK_MS = 250;
/** What was not read by the field at the root is polled so many times less often. */
const RARER = 4;
/** Intervals vary by this share, so that polls spread. */
const JITTER = 0.1;
/** The longest wait after failures, unless the interval is longer. */
const MAX_BACKOFF_MS = 60_000;
/** How long after its interval a record may lack confirmation. */
const OVERDUE_MS = 60_000;
/** Changes that come together are looked at together. */
const CHANGES_MS = 5;

/** The platform does not accept the caller. */
export const REVOKED: readonly UpstreamFailure[] = ['signed-out', 'unauthenticated'];
/** The platform would not give this to the caller any more: a run says so. */
const DENIED: readonly UpstreamFailure[] = ['forbidden', 'not-found', 'rejected'];

/** Polls what live queries have read: one conditional call for each resource of a caller, however many follow it. */
export class Poller {
  /** Polls so far. */
  readonly counts = { unchanged: 0, changed: 0, failed: 0, 'put off': 0 };
  readonly #options: PollerOptions;
  readonly #watches = new Map<Cache, Map<string, Watch>>();
  readonly #stopped = new AbortController();
  /** A record's digest is made once: one that is confirmed is the same object. */
  readonly #digests = new WeakMap<object, string>();
  #inFlight = 0;
  #isTicking = false;
  #isChanged = false;

  constructor(options: PollerOptions) {
    this.#options = options;
    options.store.onApplied(() => this.#pollChanged());
  }

  /** Follows what a run has read, in place of what the follower followed before. */
  follow(cache: Cache, follower: Follower, reads: ReadLog, intervalMs: number): void {
    const ofCache = this.#watches.get(cache) ?? new Map<string, Watch>();
    this.#watches.set(cache, ofCache);
    const kept = new Set<string>();
    let position = 0;
    for (const resource of reads.values()) {
      const isRoot = position++ < reads.rootReads;
      if (resource.isDefinition) continue;
      kept.add(resource.key);
      const own = isRoot ? intervalMs : intervalMs * RARER;
      const watch = ofCache.get(resource.key) ?? this.#watch(resource);
      ofCache.set(resource.key, watch);
      watch.followers.set(follower, { digest: this.#digestOf(resource.record), intervalMs: own });
      if (resource.generation >= watch.generation) this.#confirm(watch, resource);
      watch.dueMs = Math.min(watch.dueMs, this.#next(own));
    }
    for (const [key, watch] of ofCache) if (!kept.has(key)) this.#leave(cache, watch, follower);
    this.#tickLater();
  }

  unfollow(cache: Cache, follower: Follower): void {
    for (const watch of this.#watches.get(cache)?.values() ?? []) this.#leave(cache, watch, follower);
  }

  /** What of a follower's answer has not been confirmed for too long. */
  overdueOf(cache: Cache, follower: Follower): readonly Overdue[] {
    const watches = [...(this.#watches.get(cache)?.values() ?? [])];
    return watches
      .filter(({ followers, isOverdue }) => isOverdue && followers.has(follower))
      .map(({ resource: { operation }, confirmedAtMs }) => ({ operation, ageMs: this.#now() - confirmedAtMs }));
  }

  /** Whether all that the field at the root read was confirmed within so many milliseconds, and no change came since. */
  isCurrent(cache: Cache, follower: Follower, withinMs: number): boolean {
    for (const { followers, resource, generation, confirmedAtMs } of this.#watches.get(cache)?.values() ?? []) {
      const interest = followers.get(follower);
      if (interest === undefined) continue;
      if (this.#options.store.isStale(resource.tags, generation)) return false;
      if (this.#now() - confirmedAtMs > withinMs * RARER) return false;
    }
    return true;
  }

  /** How many resources are watched, and how many polls are in flight. */
  get load(): { readonly watched: number; readonly inFlight: number } {
    const watched = [...this.#watches.values()].reduce((sum, { size }) => sum + size, 0);
    return { watched, inFlight: this.#inFlight };
  }

  stop(): void {
    this.#stopped.abort();
    this.#watches.clear();
  }

  #now(): number {
    return this.#options.clock.now();
  }

  #watch(resource: ReadResource): Watch {
    const { generation } = resource;
    const confirmedAtMs = this.#timeOf(resource);
    const state = { dueMs: Number.POSITIVE_INFINITY, heldUntilMs: 0, failures: 0, isPolling: false, isOverdue: false };
    return { resource, followers: new Map(), confirmedAtMs, generation, ...state };
  }

  #leave(cache: Cache, { resource, followers }: Watch, follower: Follower): void {
    followers.delete(follower);
    const ofCache = this.#watches.get(cache);
    if (followers.size === 0) ofCache?.delete(resource.key);
    if (ofCache?.size === 0) this.#watches.delete(cache);
  }

  #next(intervalMs: number): number {
    return this.#now() + intervalMs * (1 - JITTER + 2 * JITTER * this.#options.clock.random());
  }

  #tickLater(): void {
    if (this.#isTicking) return;
    this.#isTicking = true;
    this.#options.clock.after(TICK_MS, () => {
      this.#isTicking = false;
      this.#tick();
      if (this.#watches.size > 0 && !this.#stopped.signal.aborted) this.#tickLater();
    });
  }

  #tick(): void {
    const nowMs = this.#now();
    const due: Watch[] = [];
    for (const watch of this.#all()) {
      if (watch.dueMs <= nowMs && watch.heldUntilMs <= nowMs && !watch.isPolling) due.push(watch);
      if (!watch.isOverdue && nowMs - watch.confirmedAtMs > leastInterval(watch) * (1 + JITTER) + OVERDUE_MS) {
        watch.isOverdue = true;
        for (const follower of watch.followers.keys()) follower.confirmationChanged();
      }
    }
    // Those that were put off go first.
    for (const watch of due.sort((one, other) => one.dueMs - other.dueMs)) void this.#poll(watch);
  }

  *#all(): Generator<Watch> {
    for (const ofCache of this.#watches.values()) yield* ofCache.values();
  }

  /** Polls at once what a change through the gateway may have changed. */
  #pollChanged(): void {
    if (this.#isChanged || this.#watches.size === 0) return;
    this.#isChanged = true;
    this.#options.clock.after(CHANGES_MS, () => {
      this.#isChanged = false;
      for (const watch of this.#all()) {
        if (!this.#isOutdated(watch)) continue;
        watch.dueMs = this.#now();
        void this.#poll(watch);
      }
    });
  }

  #isOutdated({ resource, generation, isPolling, heldUntilMs }: Watch): boolean {
    return !isPolling && heldUntilMs <= this.#now() && this.#options.store.isStale(resource.tags, generation);
  }

  async #poll(watch: Watch): Promise<void> {
    const sinceMs = this.#options.store.now() - 1;
    const stats = new RequestStats();
    stats.readKind = 'poll';
    watch.isPolling = true;
    this.#inFlight++;
    try {
      const confirmed = await watch.resource.poll(this.#stopped.signal, stats);
      this.#confirm(watch, confirmed);
      watch.dueMs = this.#next(leastInterval(watch));
      const digest = this.#digestOf(confirmed.record);
      const changed = [...watch.followers].filter(([, interest]) => interest.digest !== digest);
      this.counts[changed.length > 0 ? 'changed' : 'unchanged']++;
      for (const [follower] of changed) follower.changed(sinceMs);
    } catch (error) {
      this.#fail(watch, error, sinceMs);
    } finally {
      watch.isPolling = false;
      this.#inFlight--;
    }
    // A write may have come while it was polled.
    if (watch.followers.size > 0 && watch.failures === 0 && this.#isOutdated(watch)) void this.#poll(watch);
  }

  /** When a record was confirmed, by the clock of the polls. */
  #timeOf({ confirmedAtMs }: ConfirmedRecord): number {
    return this.#now() - Math.max(0, this.#options.store.now() - confirmedAtMs);
  }

  #confirm(watch: Watch, confirmed: ConfirmedRecord): void {
    const confirmedAtMs = Math.max(watch.confirmedAtMs, this.#timeOf(confirmed));
    Object.assign(watch, { confirmedAtMs, generation: confirmed.generation, failures: 0 });
    if (!watch.isOverdue) return;
    watch.isOverdue = false;
    for (const follower of watch.followers.keys()) follower.confirmationChanged();
  }

  #fail(watch: Watch, error: unknown, sinceMs: number): void {
    if (this.#stopped.signal.aborted) return;
    const { retryAfterMs = 0, isUnsent = false } = error instanceof UpstreamError ? error : {};
    if (isUnsent && isOneOf(['rate-limited'], error)) {
      this.counts['put off']++;
      watch.heldUntilMs = this.#now() + retryAfterMs;
      return;
    }
    this.counts.failed++;
    watch.failures++;
    const interval = leastInterval(watch);
    const backoffMs = Math.min(interval * 2 ** watch.failures, Math.max(interval, MAX_BACKOFF_MS));
    watch.dueMs = this.#next(Math.max(backoffMs, retryAfterMs));
    watch.heldUntilMs = this.#now() + retryAfterMs;
    if (error instanceof UpstreamError && isOneOf(REVOKED, error)) {
      for (const follower of [...watch.followers.keys()]) follower.refused(error);
    } else if (isOneOf(DENIED, error)) {
      for (const follower of [...watch.followers.keys()]) follower.changed(sinceMs);
    }
  }

  #digestOf(record: unknown): string {
    if (typeof record !== 'object' || record === null) return String(record);
    const known = this.#digests.get(record);
    if (known !== undefined) return known;
    const digest = hash('sha256', JSON.stringify(record), 'base64url');
    this.#digests.set(record, digest);
    return digest;
  }
}

const leastInterval = ({ followers }: Watch): number =>
  Math.min(...[...followers.values()].map(({ intervalMs }) => intervalMs));
