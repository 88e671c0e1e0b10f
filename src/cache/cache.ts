import { AbortReason, toAbortError, untilAborted } from '../core/abort.ts';
import { DENIED, isOneOf, REVOKED, UpstreamError, type UpstreamFailure } from '../core/errors.ts';
import type { Tag, Work } from '../core/work.ts';
import { MEMORY_PER_BYTE } from '../upstream/answer.ts';
import type { Upstream } from '../upstream/index.ts';
import type { Read } from '../upstream/operation.ts';
import type { CacheStore, Entry, Invalidation, Partition } from './store.ts';

/** Reads the upstream. Results are shared and must not be modified. */
export type ReadPlatform = <A, T>(of: Read<A, T>, args: A) => Promise<T>;

/** One caller's cached platform data: fresh copies, calls in flight, and copies to be revalidated. */
export type Cache = ReturnType<typeof createCache>;

/** A read with its arguments. */
interface Resource {
  readonly of: Read<unknown, unknown>;
  readonly args: unknown;
  /** A tuple's text, so that no two reads have one. */
  readonly key: string;
  /** The tags that invalidate it: definitions have none. */
  readonly tags: readonly Tag[];
}

/**
 * A call in flight: others may wait for it when the operation that began it has ended. It is aborted when the last of those who
 * wait has left.
 */
interface Flight {
  readonly aborter: AbortController;
  readonly generation: number;
  readonly starter: Work;
  readonly outcome: Promise<Entry>;
  /** One that is not yet may wait for its caller's turn. */
  isSent: boolean;
  waiting: number;
  isSettled: boolean;
}

/** Makes the cache of one caller, in a partition of their own. */
export function createCache(upstream: Upstream, store: CacheStore, partition: Partition) {
  const { entries, lifetimes, now } = store;
  const flights = new Map<string, Flight>();

  const lifetimeMs = ({ of }: Resource) =>
    of.holds === 'definitions' ? lifetimes.definitionsMs : lifetimes.instancesMs;

  const lookUp = ({ key, tags }: Resource): Entry | undefined => {
    const entry = entries.get(partition.keyOf(key));
    return entry === undefined || store.isStale(tags, entry.generation) ? undefined : entry;
  };
  const keep = (resource: Resource, key: string, entry: Entry, work: Work): void => {
    const isLasting = resource.of.holds === 'definitions';
    // An absent instance is not kept: it may be there after a change that names no instance.
    const isAbsent = entry.record === undefined && !isLasting;
    // Any other copy saves no more than a body, by a 304.
    const isPromised = lifetimeMs(resource) > 0 || lifetimes.staleIfErrorMs > 0;
    const isWanted = () =>
      isLasting || work.isRepeated || entries.has(key) || store.isAskedAgain(key);
    const isKept = !isAbsent && (isPromised || (isWanted() && entry.validator !== undefined));
    if (!isKept) entries.delete(key);
    else if (!store.isStale(resource.tags, entry.generation)) entries.set(key, entry);
  };

  /** @param known the copy that the call confirms or replaces. */
  const start = (resource: Resource, known: Entry | undefined, work: Work): Flight => {
    const { of, args, key } = resource;
    // Where the caller is cleared meanwhile, it leads to what is out of reach.
    const entryKey = partition.keyOf(key);
    const confirmedAtMs = now();
    const { generation } = store;
    const end = () => {
      flight.isSettled = true;
      if (flights.get(key) === flight) flights.delete(key);
    };
    const aborter = new AbortController();
    const beforeSend = () => {
      flight.isSent = true;
    };
    const outcome = upstream
      .read(of, args, {
        work,
        signal: aborter.signal,
        beforeSend,
        ifModifiedSince: known?.validator,
      })
      .then(
        (result): Entry => {
          end();
          if (result === undefined) work.notModified++;
          // Only what is known is asked for on a condition.
          const { record, validator, bytes } = result ?? (known as Entry);
          const entry = { record, validator, bytes, confirmedAtMs, generation };
          keep(resource, entryKey, entry, work);
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
      starter: work,
      outcome,
      isSent: false,
      waiting: 0,
      isSettled: false,
    };
    flights.set(key, flight);
    return flight;
  };

  /** Waits for a call, until the signal aborts; the call is aborted when no operation waits for it any more. */
  const wait = (flight: Flight, { of, key }: Resource, signal: AbortSignal): Promise<Entry> => {
    flight.waiting++;
    return untilAborted(flight.outcome, of.name, signal, () => {
      flight.waiting--;
      if (flight.waiting > 0 || flight.isSettled) return;
      if (flights.get(key) === flight) flights.delete(key);
      flight.aborter.abort(new AbortReason('cancelled'));
    });
  };

  /** Waits for the call of another operation; `undefined` where that met a limit of its own. */
  const join = async (flight: Flight, resource: Resource, work: Work) => {
    work.coalesced++;
    const joined = await wait(flight, resource, work.signal).catch(unlessExceeded);
    const failure = joined && work.received(joined.bytes / MEMORY_PER_BYTE);
    if (failure) throw new UpstreamError(failure, { operation: resource.of.name, isUnsent: true });
    return joined;
  };

  /** Finds a call to join: none that misses a change, and none that waits for the turn of another caller. */
  const findFlight = ({ key, tags }: Resource, { caller }: Work): Flight | undefined => {
    const flight = flights.get(key);
    if (flight === undefined || store.isStale(tags, flight.generation)) return undefined;
    return flight.isSent || flight.starter.caller === caller ? flight : undefined;
  };

  /** Waits for a call in flight; else makes one. */
  const callOrJoin = (resource: Resource, known: Entry | undefined, work: Work): Promise<Entry> => {
    const { name: operation } = resource.of;
    const { signal } = work;
    if (signal.aborted) throw toAbortError(operation, signal);
    const other = findFlight(resource, work);
    if (other) {
      return join(other, resource, work).then(
        (joined) => joined ?? callOrJoin(resource, lookUp(resource), work),
      );
    }
    work.reserveCall(operation);
    return wait(start(resource, known, work), resource, signal);
  };

  /** Gives a copy in place of a failed call, where it is not too old; else throws the failure. */
  const staleOr = (error: unknown, resource: Resource, work: Work, isLatest: boolean): Entry => {
    if (isLatest) throw error;
    const copy = lookUp(resource);
    const ageMs = Math.max(0, Math.round(now() - (copy?.confirmedAtMs ?? 0)));
    const isServed =
      lifetimes.staleIfErrorMs > 0 && ageMs <= lifetimes.staleIfErrorMs && !work.signal.aborted;
    if (copy === undefined || !isServed || !isOneOf(TRANSIENT, error)) throw error;
    work.markStale({ operation: resource.of.name, ageMs });
    return copy;
  };

  const isFresh = (entry: Entry, resource: Resource, { startedAtMs }: Work): boolean =>
    entry.confirmedAtMs > startedAtMs || now() - entry.confirmedAtMs < lifetimeMs(resource);

  const read = async (resource: Resource, work: Work, isLatest: boolean): Promise<unknown> => {
    const copy = lookUp(resource);
    const isEnough = copy && !isLatest && isFresh(copy, resource, work);
    let found: Entry | undefined = isEnough ? copy : undefined;
    if (found) work.fresh++;
    else {
      try {
        found = await callOrJoin(resource, copy, work);
      } catch (error) {
        work.uncacheable = true;
        found = staleOr(error, resource, work, isLatest);
      }
    }
    work.dependOn({ tags: resource.tags, expiresAtMs: found.confirmedAtMs + lifetimeMs(resource) });
    return found.record;
  };

  return {
    /**
     * Returns the reads of one operation, until its signal aborts.
     *
     * @param isLatest whether the platform confirms each record now. Copies are never served instead.
     */
    reads:
      (work: Work, isLatest = false): ReadPlatform =>
      <A, T>(of: Read<A, T>, args: A) =>
        // A key belongs to one operation, whose records have one type.
        read(toResource(of as Read<unknown, T>, args), work, isLatest) as Promise<T>,
    /** To be called after every write, whatever its outcome: in every scope and replica, no read uses earlier results. */
    invalidate: (changed: Invalidation) => store.invalidate(changed),
    /** Clears all cached data of this caller. */
    clear: partition.clear,
  };
}

const toResource = (of: Read<unknown, unknown>, args: unknown): Resource => ({
  of,
  args,
  key: JSON.stringify([of.name, args]),
  tags: of.holds === 'definitions' ? [] : of.holds(args),
});

/** Limits that the operation which began a call has met, and others that wait for it may not. */
const EXCEEDED: readonly UpstreamFailure[] = ['overloaded', 'too-large'];
const unlessExceeded = (error: unknown): undefined => {
  if (!isOneOf(EXCEEDED, error)) throw error;
};
/** Failures that say nothing about the record. */
const TRANSIENT: readonly UpstreamFailure[] = ['failed', 'rate-limited', 'timeout', 'unavailable'];

/** The queries of one caller that run now. */
export type RunningQueries = ReturnType<typeof createRunningQueries>;

/** The result of a query. */
interface QueryResult {
  readonly errors: readonly unknown[];
}

interface RunningQuery {
  readonly generation: number;
  readonly work: Work;
  /** `undefined` where the result cannot be shared; it never rejects. */
  readonly result: Promise<QueryResult | undefined>;
}

type Run<T> = () => T | Promise<T>;

/** Makes the running queries of one caller, whose results are out of reach when their copies are cleared. */
export function createRunningQueries(store: CacheStore, partition: Partition) {
  const running = new Map<string, RunningQuery>();

  /** Equal queries can only come while this one waits. */
  const start = <T extends QueryResult>(key: string, work: Work, run: Run<T>): T | Promise<T> => {
    const { generation } = store;
    const result = run();
    if (!(result instanceof Promise)) return result;
    const settle = (settled?: T) => {
      if (running.get(key) === query) running.delete(key);
      return settled?.errors.length === 0 && !work.uncacheable ? settled : undefined;
    };
    const query: RunningQuery = { generation, work, result: result.then(settle, () => settle()) };
    running.set(key, query);
    return result;
  };

  /** Waits for an equal query, which continues even if its own client disconnects. */
  const join = async (
    { work, result }: RunningQuery,
    signal: AbortSignal,
  ): Promise<QueryResult | undefined> => {
    const release = work.share();
    signal.addEventListener('abort', release);
    const joined = await result;
    signal.removeEventListener('abort', release);
    return joined;
  };

  return {
    /**
     * Gives the result of an equal query which runs now, unless something was changed since it began; else that of `run`. Only a
     * result without errors whose work is cacheable serves anybody else.
     *
     * @param name of the query with its variables.
     */
    run<T extends QueryResult>(name: string, work: Work, run: Run<T>): T | Promise<T> {
      // Where several callers share the cache, each waits for queries of their own only.
      const key = partition.keyOf(`${work.caller} ${name}`);
      const other = running.get(key);
      const { signal } = work;
      if (other?.generation !== store.generation || signal.aborted) return start(key, work, run);
      return join(other, signal).then((joined) => {
        if (joined === undefined) return start(key, work, run);
        work.dependOn(other.work);
        // The results of an operation have one type.
        return joined as T;
      });
    },
  };
}
