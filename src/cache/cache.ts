import { AbortReason, toAbortError, untilAborted } from '../core/abort.ts';
import { DENIED, isOneOf, REVOKED, UpstreamError, type UpstreamFailure } from '../core/errors.ts';
import type { RequestState, Tag } from '../core/request-state.ts';
import { MEMORY_PER_BYTE } from '../upstream/answer.ts';
import type { Upstream } from '../upstream/index.ts';
import type { Read } from '../upstream/operation.ts';
import type { CacheEntry, CachePartition, CacheStore, Invalidation } from './store.ts';

/** Reads from the upstream. Results are shared and must not be modified. */
export type ReadPlatform = <A, T>(of: Read<A, T>, args: A) => Promise<T>;

/** One caller's cached platform data: fresh copies, calls in flight, and copies to be revalidated. */
export interface Cache {
  /**
   * Returns the reads of one operation, until its signal aborts.
   *
   * @param isLatest whether the platform confirms each record now. Copies are never served instead.
   */
  reads(requestState: RequestState, isLatest?: boolean): ReadPlatform;
  /**
   * Call this after every write, whatever its outcome. No scope and no replica then uses earlier
   * results.
   */
  invalidate(changed: Invalidation): void;
  /** Clears all cached data of this caller. */
  clear(): void;
}

/** A read with its arguments. */
interface Resource {
  readonly of: Read<unknown, unknown>;
  readonly args: unknown;
  /** A unique text for the read and its arguments. */
  readonly key: string;
  /** The cache tags of the response. Definitions have no tags. */
  readonly tags: readonly Tag[];
}

/**
 * A call in flight. Other operations may wait for it after the operation that started it has ended.
 * It is aborted when the last waiting operation leaves.
 */
interface Flight {
  readonly aborter: AbortController;
  readonly generation: number;
  readonly starter: RequestState;
  readonly outcome: Promise<CacheEntry>;
  /** False while the call waits in its caller's queue. */
  isSent: boolean;
  waiting: number;
  isSettled: boolean;
}

/** Creates the cache of one caller, in the caller's own partition. */
export function createCache(
  upstream: Upstream,
  store: CacheStore,
  partition: CachePartition,
): Cache {
  const { entries, lifetimes, now } = store;
  const flights = new Map<string, Flight>();

  const lifetimeMs = ({ of }: Resource) =>
    of.tags === 'definitions' ? lifetimes.definitionsMs : lifetimes.instancesMs;

  const lookUp = ({ key, tags }: Resource): CacheEntry | undefined => {
    const entry = entries.get(partition.keyOf(key));
    if (entry === undefined || store.isStale(tags, entry.generation)) return undefined;
    return entry;
  };
  const keep = (
    resource: Resource,
    key: string,
    entry: CacheEntry,
    requestState: RequestState,
  ): void => {
    if (!isWorthKeeping(resource, key, entry, requestState)) entries.delete(key);
    else if (!store.isStale(resource.tags, entry.generation)) entries.set(key, entry);
  };
  const isWorthKeeping = (
    resource: Resource,
    key: string,
    entry: CacheEntry,
    requestState: RequestState,
  ): boolean => {
    const isDefinition = resource.of.tags === 'definitions';
    // An absent instance is not cached. A creation invalidates only lists, so the copy would hide
    // the new instance.
    if (entry.record === undefined && !isDefinition) return false;
    if (lifetimeMs(resource) > 0 || lifetimes.staleIfErrorMs > 0) return true;
    // Without a lifetime, a copy only saves the body of a 304. That needs a second read.
    if (isDefinition || requestState.isRepeated || entries.has(key))
      return entry.validator !== undefined;
    return store.isAskedAgain(key) && entry.validator !== undefined;
  };

  /** @param known the copy that the call confirms or replaces. */
  const start = (
    resource: Resource,
    known: CacheEntry | undefined,
    requestState: RequestState,
  ): Flight => {
    const { of, args, key } = resource;
    // If the caller's cache is cleared in the meantime, this key no longer matches anything.
    const entryKey = partition.keyOf(key);
    const confirmedAtMs = now();
    const { generation } = store;
    const aborter = new AbortController();
    const end = () => {
      flight.isSettled = true;
      if (flights.get(key) === flight) flights.delete(key);
    };
    const beforeSend = () => {
      flight.isSent = true;
    };

    const ifModifiedSince = known?.validator;
    const sent = upstream.read(of, args, {
      requestState,
      signal: aborter.signal,
      beforeSend,
      ifModifiedSince,
    });
    const outcome = sent.then(
      (result): CacheEntry => {
        end();
        if (result === undefined) requestState.notModified++;
        // Conditional calls are only made with a known copy.
        const { record, validator, bytes } = result ?? (known as CacheEntry);
        const entry = { record, validator, bytes, confirmedAtMs, generation };
        keep(resource, entryKey, entry, requestState);
        return entry;
      },
      (error: unknown) => {
        end();
        if (isOneOf(REVOKED, error)) partition.clear();
        else if (isOneOf(DENIED, error)) entries.delete(entryKey);
        throw error;
      },
    );
    const flight: Flight = {
      aborter,
      generation,
      starter: requestState,
      outcome,
      isSent: false,
      waiting: 0,
      isSettled: false,
    };
    flights.set(key, flight);
    return flight;
  };

  /**
   * Waits for a call until the signal aborts. The call is aborted when no operation waits for it.
   */
  const wait = (
    flight: Flight,
    { of, key }: Resource,
    signal: AbortSignal,
  ): Promise<CacheEntry> => {
    flight.waiting++;
    return untilAborted(flight.outcome, of.name, signal, () => {
      flight.waiting--;
      if (flight.waiting > 0 || flight.isSettled) return;
      if (flights.get(key) === flight) flights.delete(key);
      flight.aborter.abort(new AbortReason('cancelled'));
    });
  };

  /**
   * Waits for the call of another operation. Resolves to `undefined` if the call failed because of
   * that operation's own limits.
   */
  const join = async (flight: Flight, resource: Resource, requestState: RequestState) => {
    requestState.coalesced++;
    const joined = await wait(flight, resource, requestState.signal).catch(unlessExceeded);
    if (joined === undefined) return undefined;
    const failure = requestState.received(joined.bytes / MEMORY_PER_BYTE);
    if (failure) throw new UpstreamError(failure, { operation: resource.of.name, isUnsent: true });
    return joined;
  };

  /**
   * Finds a call to join. Skips a call that started before a relevant change, and one that waits in
   * another caller's queue.
   */
  const findFlight = ({ key, tags }: Resource, { caller }: RequestState): Flight | undefined => {
    const flight = flights.get(key);
    if (flight === undefined || store.isStale(tags, flight.generation)) return undefined;
    const mayJoin = flight.isSent || flight.starter.caller === caller;
    return mayJoin ? flight : undefined;
  };

  /** Joins a call in flight, or starts one. */
  const callOrJoin = (
    resource: Resource,
    known: CacheEntry | undefined,
    requestState: RequestState,
  ): Promise<CacheEntry> => {
    const { name: operation } = resource.of;
    const { signal } = requestState;
    if (signal.aborted) throw toAbortError(operation, signal);
    const other = findFlight(resource, requestState);
    if (other) {
      return join(other, resource, requestState).then(
        (joined) => joined ?? callOrJoin(resource, lookUp(resource), requestState),
      );
    }
    requestState.reserveCall(operation);
    return wait(start(resource, known, requestState), resource, signal);
  };

  /**
   * Returns a stale copy in place of a failed call, or throws the failure if there is no recent
   * copy.
   */
  const staleOr = (
    error: unknown,
    resource: Resource,
    requestState: RequestState,
    isLatest: boolean,
  ): CacheEntry => {
    const { staleIfErrorMs } = lifetimes;
    if (isLatest || staleIfErrorMs <= 0 || requestState.signal.aborted) throw error;
    if (!isOneOf(TRANSIENT, error)) throw error;
    const copy = lookUp(resource);
    if (copy === undefined) throw error;
    const ageMs = Math.max(0, Math.round(now() - copy.confirmedAtMs));
    if (ageMs > staleIfErrorMs) throw error;
    requestState.markStale({ operation: resource.of.name, ageMs });
    return copy;
  };

  const isFresh = (entry: CacheEntry, resource: Resource, { startedAtMs }: RequestState): boolean =>
    entry.confirmedAtMs > startedAtMs || now() - entry.confirmedAtMs < lifetimeMs(resource);

  const read = async (
    resource: Resource,
    requestState: RequestState,
    isLatest: boolean,
  ): Promise<unknown> => {
    const copy = lookUp(resource);
    let entry: CacheEntry;
    if (copy && !isLatest && isFresh(copy, resource, requestState)) {
      requestState.fresh++;
      entry = copy;
    } else {
      try {
        entry = await callOrJoin(resource, copy, requestState);
      } catch (error) {
        requestState.uncacheable = true;
        entry = staleOr(error, resource, requestState, isLatest);
      }
    }
    requestState.dependOn({
      tags: resource.tags,
      expiresAtMs: entry.confirmedAtMs + lifetimeMs(resource),
    });
    return entry.record;
  };

  return {
    reads:
      (requestState, isLatest = false) =>
      <A, T>(of: Read<A, T>, args: A) =>
        // The key contains the operation's name, and all records of an operation have one type.
        read(toResource(of as Read<unknown, T>, args), requestState, isLatest) as Promise<T>,
    invalidate: (changed) => store.invalidate(changed),
    clear: partition.clear,
  };
}

const toResource = (of: Read<unknown, unknown>, args: unknown): Resource => ({
  of,
  args,
  key: JSON.stringify([of.name, args]),
  tags: of.tags === 'definitions' ? [] : of.tags(args),
});

/**
 * Limits of the operation that started the call. Operations that join the call later are not bound
 * by them.
 */
const EXCEEDED: readonly UpstreamFailure[] = ['overloaded', 'too-large'];
const unlessExceeded = (error: unknown): undefined => {
  if (!isOneOf(EXCEEDED, error)) throw error;
};
/** Failures that do not concern the record. */
const TRANSIENT: readonly UpstreamFailure[] = ['failed', 'rate-limited', 'timeout', 'unavailable'];

/** The running queries of one caller, so that equal queries share a result. */
export interface QueryCoalescer {
  /**
   * Returns the result of an equal running query if nothing was changed since its start. Otherwise
   * returns the result of `run`. Only results without errors from cacheable work are shared.
   *
   * @param name the unique text of the query with its variables.
   */
  run<T extends QueryResult>(name: string, requestState: RequestState, run: Run<T>): T | Promise<T>;
}

/** The result of a query. */
interface QueryResult {
  readonly errors: readonly unknown[];
}

interface RunningQuery {
  readonly generation: number;
  readonly requestState: RequestState;
  /** `undefined` if the result cannot be shared. It never rejects. */
  readonly result: Promise<QueryResult | undefined>;
}

type Run<T> = () => T | Promise<T>;

/**
 * Creates the running queries of one caller. If the caller's cache is cleared, later queries do not
 * find them.
 */
export function createQueryCoalescer(store: CacheStore, partition: CachePartition): QueryCoalescer {
  const running = new Map<string, RunningQuery>();

  /**
   * Starts a query. Only a pending query is registered, because equal queries cannot arrive during
   * synchronous work.
   */
  const start = <T extends QueryResult>(
    key: string,
    requestState: RequestState,
    run: Run<T>,
  ): T | Promise<T> => {
    const { generation } = store;
    const result = run();
    if (!(result instanceof Promise)) return result;
    const settle = (settled?: T) => {
      if (running.get(key) === query) running.delete(key);
      return settled?.errors.length === 0 && !requestState.uncacheable ? settled : undefined;
    };
    const query: RunningQuery = {
      generation,
      requestState,
      result: result.then(settle, () => settle()),
    };
    running.set(key, query);
    return result;
  };

  /** Waits for an equal query. That query continues even if its own client disconnects. */
  const join = async (
    { requestState, result }: RunningQuery,
    signal: AbortSignal,
  ): Promise<QueryResult | undefined> => {
    const release = requestState.share();
    signal.addEventListener('abort', release);
    const joined = await result;
    signal.removeEventListener('abort', release);
    return joined;
  };

  return {
    run<T extends QueryResult>(
      name: string,
      requestState: RequestState,
      run: Run<T>,
    ): T | Promise<T> {
      // If several callers share the cache, a caller only joins its own queries.
      const key = partition.keyOf(`${requestState.caller} ${name}`);
      const other = running.get(key);
      const { signal } = requestState;
      const mayJoin = other?.generation === store.generation && !signal.aborted;
      if (!mayJoin) return start(key, requestState, run);
      return join(other, signal).then((joined) => {
        if (joined === undefined) return start(key, requestState, run);
        requestState.dependOn(other.requestState);
        // The results of an operation have one type.
        return joined as T;
      });
    },
  };
}
