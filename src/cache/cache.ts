import { LRUCache } from 'lru-cache';
import { toAbortError, UpstreamError, type UpstreamFailure, untilAborted } from '../upstream/errors.ts';
import type { Upstream } from '../upstream/index.ts';
import { type Change, createInvalidation, type Invalidation } from './invalidation.ts';
import { type Reads, type Resource, type ResourceKey, toResource } from './resources.ts';
import type { KeptResponse } from './response-cache.ts';
import { type Clock, type RequestStats, steadyClock } from './stats.ts';

/** What one caller was told by the platform: fresh copies, calls in flight, and copies that a conditional call confirms. */
export interface Cache {
  /** The reads of one operation, until its signal aborts. What it was told once is fresh for it, unless a change came in between. */
  reads(signal: AbortSignal, stats: RequestStats): Reads;
  /** To be called after every change, whatever its outcome: in every scope and replica, no read uses what was asked before. */
  invalidate(change: Change): void;
  /** Forgets all that this caller was told. */
  clear(): void;
}

/** How long copies serve, in milliseconds. */
export interface CacheLifetimes {
  readonly definitionsMs: number;
  readonly instancesMs: number;
  /** How old a copy may be that answers when the call fails; 0 is never. */
  readonly staleIfErrorMs: number;
}

interface StoreOptions extends Partial<CacheLifetimes> {
  /** About how much memory the caches of all callers may take. */
  readonly maxBytes?: number;
  readonly now?: Clock;
}

/** What the caches of all callers share: space, lifetimes and invalidations, but no way to what another one was told. */
export interface CacheStore extends CacheLifetimes {
  readonly entries: LRUCache<string, Entry>;
  readonly responses: LRUCache<string, KeptResponse>;
  readonly invalidation: Invalidation;
  readonly now: Clock;
  /** About how much memory is taken. */
  bytes(): number;
  partition(): Partition;
  invalidate(change: Change): void;
  /** Calls back with each change that is made through this process. */
  onInvalidate(listener: (change: Change) => void): void;
}

/** One caller's part of the store: the key of a name leads to nothing of anybody else's. */
export interface Partition {
  keyOf(name: string): string;
  /** Puts all that lies there out of reach; it leaves the memory when its space is needed. */
  clear(): void;
}

/** A record as the platform last confirmed it. */
interface Entry {
  readonly record: unknown;
  readonly validator: string | undefined;
  readonly bytes: number;
  /** When the call began that confirmed it, and what had been changed by then: what changed later it may lack. */
  readonly confirmedAtMs: number;
  readonly generation: number;
}

/** A call in flight. It is aborted when the last of those who wait has left. */
interface Flight {
  readonly outcome: Promise<{ readonly entry: Entry; readonly notModified: boolean }>;
  readonly controller: AbortController;
  readonly generation: number;
  waiting: number;
  isSettled: boolean;
}

/** The bookkeeping of an entry takes about so much. */
const OVERHEAD_BYTES = 400;
/** The part of the memory that whole responses may take. */
const RESPONSES_SHARE = 0.2;

/** Makes the store of one process in front of one platform. */
export function createCacheStore(options: StoreOptions = {}): CacheStore {
  const { definitionsMs = 60_000, instancesMs = 0, staleIfErrorMs = 0 } = options;
  const { maxBytes = 64 * 1024 * 1024, now = steadyClock } = options;
  const lru = <V extends { readonly bytes: number }>(share: number) =>
    new LRUCache<string, V>({
      maxSize: Math.max(1, Math.floor(maxBytes * share)),
      sizeCalculation: ({ bytes }, key) => OVERHEAD_BYTES + 2 * key.length + Math.ceil(bytes),
    });
  const entries = lru<Entry>(1 - RESPONSES_SHARE);
  const responses = lru<KeptResponse>(RESPONSES_SHARE);
  const invalidation = createInvalidation();
  const listeners: ((change: Change) => void)[] = [];
  let partitions = 0;

  return {
    definitionsMs,
    instancesMs,
    staleIfErrorMs,
    entries,
    responses,
    invalidation,
    now,
    bytes: () => entries.calculatedSize + responses.calculatedSize,
    partition() {
      let prefix = `${partitions++} `;
      return {
        keyOf: (name) => prefix + name,
        clear() {
          prefix = `${partitions++} `;
        },
      };
    },
    invalidate(change) {
      invalidation.invalidate(change);
      for (const listener of listeners) listener(change);
    },
    onInvalidate: (listener) => void listeners.push(listener),
  };
}

/** Makes the cache of one caller, in a partition of their own. */
export function createCache(upstream: Upstream, store: CacheStore, partition: Partition): Cache {
  const { entries, invalidation, now } = store;
  const flights = new Map<ResourceKey, Flight>();

  const lifetimeMs = ({ isDefinition }: Resource<unknown>) => (isDefinition ? store.definitionsMs : store.instancesMs);

  const lookUp = ({ key, tags }: Resource<unknown>): Entry | undefined => {
    const entry = entries.get(partition.keyOf(key));
    return entry === undefined || invalidation.isStale(tags, entry.generation) ? undefined : entry;
  };
  const keep = ({ tags, isDefinition }: Resource<unknown>, key: string, entry: Entry) => {
    // An absent instance is not kept: it may be there after a change that names no instance.
    if (entry.record === undefined && !isDefinition) entries.delete(key);
    else if (!invalidation.isStale(tags, entry.generation)) entries.set(key, entry);
  };

  const call = async (resource: Resource<unknown>, known: Entry | undefined, signal: AbortSignal) => {
    // Where the caller is cleared meanwhile, it leads to what is out of reach.
    const key = partition.keyOf(resource.key);
    const at = { confirmedAtMs: now(), generation: invalidation.generation() };
    try {
      const result = await resource.read({ signal, ifModifiedSince: known?.validator });
      const confirmed = result.notModified ? known : result;
      if (confirmed === undefined) throw new Error('The upstream confirmed a record that nobody holds.');
      const { record, validator, bytes } = confirmed;
      const entry: Entry = { record, validator, bytes, ...at };
      keep(resource, key, entry);
      return { entry, notModified: result.notModified };
    } catch (error) {
      if (isOneOf(REVOKED, error)) partition.clear();
      else if (isOneOf(DENIED, error)) entries.delete(key);
      throw error;
    }
  };

  const start = (resource: Resource<unknown>, known: Entry | undefined): Flight => {
    const { key } = resource;
    const controller = new AbortController();
    const outcome = call(resource, known, controller.signal).finally(() => {
      flight.isSettled = true;
      if (flights.get(key) === flight) flights.delete(key);
    });
    const flight: Flight = {
      outcome,
      controller,
      generation: invalidation.generation(),
      waiting: 0,
      isSettled: false,
    };
    flights.set(key, flight);
    return flight;
  };

  /** Waits for a call, until the signal aborts; the call is aborted when nobody waits for it any more. */
  const wait = async (flight: Flight, { operation, key }: Resource<unknown>, signal: AbortSignal) => {
    flight.waiting++;
    try {
      return await untilAborted(flight.outcome, operation, signal);
    } finally {
      flight.waiting--;
      if (flight.waiting === 0 && !flight.isSettled) {
        if (flights.get(key) === flight) flights.delete(key);
        flight.controller.abort();
      }
    }
  };

  /** Waits for the call in flight, unless a change came in between; else makes one. */
  const callOrJoin = async (resource: Resource<unknown>, known: Entry | undefined, { signal, stats }: Request) => {
    const { operation, key, tags } = resource;
    if (signal.aborted) throw toAbortError(operation, signal);
    const other = flights.get(key);
    if (other !== undefined && !invalidation.isStale(tags, other.generation)) {
      stats.coalesced++;
      return (await wait(other, resource, signal)).entry;
    }
    stats.countCall(operation);
    const { entry, notModified } = await wait(start(resource, known), resource, signal);
    if (notModified) stats.notModified++;
    return entry;
  };

  const isFresh = (resource: Resource<unknown>, { confirmedAtMs }: Entry, { startedAtMs }: RequestStats) =>
    confirmedAtMs > startedAtMs || now() - confirmedAtMs < lifetimeMs(resource);

  const find = async (resource: Resource<unknown>, request: Request): Promise<Entry> => {
    const known = lookUp(resource);
    if (known && isFresh(resource, known, request.stats)) {
      request.stats.fresh++;
      return known;
    }
    return callOrJoin(resource, known, request).catch((error: unknown) => staleOr(error, resource, request));
  };

  /** Gives a copy in place of a failed call, where it is not too old; else throws the failure. */
  const staleOr = (error: unknown, resource: Resource<unknown>, { signal, stats }: Request): Entry => {
    const copy = lookUp(resource);
    const ageMs = Math.max(0, Math.round(now() - (copy?.confirmedAtMs ?? 0)));
    const isServed = store.staleIfErrorMs > 0 && ageMs <= store.staleIfErrorMs && !signal.aborted;
    if (copy === undefined || !isServed || !isOneOf(TRANSIENT, error)) throw error;
    stats.markStale({ operation: resource.operation, ageMs });
    return copy;
  };

  return {
    reads(signal, stats) {
      const read = async <T>(resource: Resource<T>): Promise<T> => {
        try {
          const { record, confirmedAtMs } = await find(resource, { signal, stats });
          stats.dependOn({ tags: resource.tags, expiresAtMs: confirmedAtMs + lifetimeMs(resource) });
          // A key belongs to one operation, whose records have one type.
          return record as T;
        } catch (error) {
          stats.uncacheable = true;
          throw error;
        }
      };
      return {
        form: (id) => read(toResource.form(upstream, id)),
        forms: (query) => read(toResource.forms(upstream, query)),
        instance: (key) => read(toResource.instance(upstream, key)),
        instances: (formId, query) => read(toResource.instances(upstream, formId, query)),
        rule: (key) => read(toResource.rule(upstream, key)),
      };
    },
    invalidate: store.invalidate,
    clear: partition.clear,
  };
}

/** Who asks: one operation, until its signal aborts. */
interface Request {
  readonly signal: AbortSignal;
  readonly stats: RequestStats;
}

/** The platform does not know the caller, or not any more: nothing that they were told may serve. */
const REVOKED: readonly UpstreamFailure[] = ['signed-out', 'unauthenticated'];
/** The platform would not give this to the caller any more. */
const DENIED: readonly UpstreamFailure[] = ['forbidden', 'not-found', 'rejected'];
/** Failures that say nothing about the record. */
const TRANSIENT: readonly UpstreamFailure[] = ['failed', 'rate-limited', 'timeout', 'unavailable'];

const isOneOf = (failures: readonly UpstreamFailure[], error: unknown): boolean =>
  error instanceof UpstreamError && failures.includes(error.failure);
