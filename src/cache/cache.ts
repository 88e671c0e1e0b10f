import { Aborter, AbortReason, type Signal, toAbortError, untilAborted } from '../core/abort.ts';
import { DENIED, isOneOf, REVOKED, UpstreamError, type UpstreamFailure } from '../core/errors.ts';
import type { Tag, Work } from '../core/work.ts';
import { MEMORY_PER_BYTE } from '../upstream/client.ts';
import type { Upstream } from '../upstream/index.ts';
import type { ListQuery, OperationName } from '../upstream/operations.ts';
import type { InstanceKey, ReadOptions, ReadResult, RuleKey } from '../upstream/records.ts';
import { type CacheStore, type Change, type Entry, type Partition, TAGS } from './store.ts';

/** The reads of the upstream, one for each safe operation. Their results are shared and must not be modified. */
export type Reads = ReturnType<typeof createReads>;

/** One caller's cached platform data: fresh copies, calls in flight, and copies to be revalidated. */
export type Cache = ReturnType<typeof createCache>;

/** A record as the platform confirmed it by a call that began then, and what had been changed by then. */
interface ConfirmedRecord extends Pick<Entry, 'confirmedAtMs' | 'generation'> {
  /** `undefined` where there is none. */
  readonly record: object | undefined;
}

/** A safe call, and the kind of its response. */
interface Resource<T> {
  readonly operation: OperationName;
  readonly key: string;
  /** The tags that invalidate it: definitions have none. */
  readonly tags: readonly Tag[];
  readonly isDefinition: boolean;
  read(options: ReadOptions): Promise<ReadResult<T>>;
}

/** What a call found, and about how much memory its record takes. */
interface Received extends ConfirmedRecord {
  readonly bytes: number;
}

/**
 * A call in flight: others may wait for it when the operation that began it has ended. It is aborted when the last of those who
 * wait has left.
 */
class Flight {
  readonly signal = new Aborter();
  readonly generation: number;
  readonly starter: Work;
  readonly outcome: Promise<Received>;
  /** One that is not yet may wait for its caller's turn. */
  isSent = false;
  waiting = 0;
  isSettled = false;

  constructor(starter: Work, generation: number, call: (flight: Flight) => Promise<Received>) {
    this.starter = starter;
    this.generation = generation;
    this.outcome = call(this);
  }
}

/** Makes the cache of one caller, in a partition of their own. */
export function createCache(upstream: Upstream, store: CacheStore, partition: Partition) {
  const { entries, lifetimes, now } = store;
  const flights = new Map<string, Flight>();

  const lifetimeMs = ({ isDefinition }: Resource<unknown>) =>
    isDefinition ? lifetimes.definitionsMs : lifetimes.instancesMs;

  const lookUp = ({ key, tags }: Resource<unknown>): Entry | undefined => {
    const entry = entries.get(partition.keyOf(key));
    return entry === undefined || store.isStale(tags, entry.generation) ? undefined : entry;
  };
  const keep = (resource: Resource<unknown>, key: string, entry: Entry, { isRepeated }: Work): void => {
    // An absent instance is not kept: it may be there after a change that names no instance.
    const isAbsent = entry.record === undefined && !resource.isDefinition;
    // Any other copy saves no more than a body, by a 304.
    const isPromised = lifetimeMs(resource) > 0 || lifetimes.staleIfErrorMs > 0;
    const isWanted = () => resource.isDefinition || isRepeated || entries.has(key) || store.isAskedAgain(key);
    const isKept = !isAbsent && (isPromised || (isWanted() && entry.validator !== undefined));
    if (!isKept) entries.delete(key);
    else if (!store.isStale(resource.tags, entry.generation)) entries.set(key, entry);
  };

  const call = async (resource: Resource<unknown>, known: Entry | undefined, flight: Flight): Promise<Received> => {
    // Where the caller is cleared meanwhile, it leads to what is out of reach.
    const key = partition.keyOf(resource.key);
    const at = { confirmedAtMs: now(), generation: store.generation };
    try {
      const { starter: work, signal } = flight;
      const beforeSend = () => {
        flight.isSent = true;
      };
      const result = await resource.read({ work, signal, beforeSend, ifModifiedSince: known?.validator });
      work.notModified += Number(result.notModified);
      const { record, validator, bytes } = result.notModified ? confirmed(known) : (result as Changed);
      const entry = { record, validator, bytes, ...at };
      keep(resource, key, entry, work);
      return entry;
    } catch (error) {
      if (isOneOf(REVOKED, error)) partition.clear();
      else if (isOneOf(DENIED, error)) entries.delete(key);
      throw error;
    }
  };

  const start = (resource: Resource<unknown>, work: Work): Flight => {
    const { key } = resource;
    const known = lookUp(resource);
    const flight = new Flight(work, store.generation, (begun) => call(resource, known, begun));
    const settle = () => {
      flight.isSettled = true;
      if (flights.get(key) === flight) flights.delete(key);
    };
    flight.outcome.then(settle, settle);
    flights.set(key, flight);
    return flight;
  };

  /** Waits for a call, until the signal aborts; the call is aborted when no operation waits for it any more. */
  const wait = (flight: Flight, { operation, key }: Resource<unknown>, signal: Signal): Promise<Received> => {
    flight.waiting++;
    return untilAborted(flight.outcome, operation, signal, () => {
      flight.waiting--;
      if (flight.waiting > 0 || flight.isSettled) return;
      if (flights.get(key) === flight) flights.delete(key);
      flight.signal.abort(new AbortReason('cancelled'));
    });
  };

  /** Waits for the call of another operation; `undefined` where that met a limit of its own. */
  const join = async (flight: Flight, resource: Resource<unknown>, work: Work) => {
    work.coalesced++;
    const joined = await wait(flight, resource, work.signal).catch(unlessExceeded);
    const failure = joined && work.received(joined.bytes / MEMORY_PER_BYTE);
    if (failure) throw new UpstreamError(failure, { operation: resource.operation, isUnsent: true });
    return joined;
  };

  /** Finds a call to join: none that misses a change, and none that waits for the turn of another caller. */
  const findFlight = ({ key, tags }: Resource<unknown>, { caller }: Work): Flight | undefined => {
    const flight = flights.get(key);
    if (flight === undefined || store.isStale(tags, flight.generation)) return undefined;
    return flight.isSent || flight.starter.caller === caller ? flight : undefined;
  };

  /** Waits for a call in flight; else makes one. */
  const callOrJoin = (resource: Resource<unknown>, work: Work): Promise<Received> => {
    const { operation } = resource;
    const { signal } = work;
    if (signal.aborted) throw toAbortError(operation, signal);
    const other = findFlight(resource, work);
    if (other) return join(other, resource, work).then((joined) => joined ?? callOrJoin(resource, work));
    work.reserveCall(operation);
    return wait(start(resource, work), resource, signal);
  };

  /** Gives a copy in place of a failed call, where it is not too old; else throws the failure. */
  const staleOr = (error: unknown, resource: Resource<unknown>, work: Work): ConfirmedRecord => {
    const copy = lookUp(resource);
    const ageMs = Math.max(0, Math.round(now() - (copy?.confirmedAtMs ?? 0)));
    const isServed = lifetimes.staleIfErrorMs > 0 && ageMs <= lifetimes.staleIfErrorMs && !work.signal.aborted;
    if (copy === undefined || !isServed || !isOneOf(TRANSIENT, error)) throw error;
    work.markStale({ operation: resource.operation, ageMs });
    return copy;
  };

  const isFresh = (entry: Entry, resource: Resource<unknown>, { startedAtMs }: Work): boolean =>
    entry.confirmedAtMs > startedAtMs || now() - entry.confirmedAtMs < lifetimeMs(resource);

  const read = async <T>(resource: Resource<T>, work: Work): Promise<T> => {
    const copy = lookUp(resource);
    let found: ConfirmedRecord | undefined = copy && isFresh(copy, resource, work) ? copy : undefined;
    if (found) work.fresh++;
    else {
      try {
        found = await callOrJoin(resource, work);
      } catch (error) {
        work.uncacheable = true;
        found = staleOr(error, resource, work);
      }
    }
    work.dependOn({ tags: resource.tags, expiresAtMs: found.confirmedAtMs + lifetimeMs(resource) });
    // A key belongs to one operation, whose records have one type.
    return found.record as T;
  };

  return {
    /** The reads of one operation, until its signal aborts. */
    reads: (work: Work): Reads => createReads(upstream, (resource) => read(resource, work)),
    /** To be called after every write, whatever its outcome: in every scope and replica, no read uses earlier results. */
    invalidate: (change: Change) => store.invalidate(change),
    /** Clears all cached data of this caller. */
    clear: partition.clear,
  };
}

/** @throws {Error} for a 304 without a condition. */
function confirmed(known: Entry | undefined) {
  if (known === undefined) throw new Error('The upstream confirmed a record that is not cached.');
  return known;
}

type Changed = Extract<ReadResult<object | undefined>, { readonly notModified: false }>;

/** Maps each read to its resource. A key is made of a tuple, so that no two lists of arguments read the same. */
function createReads({ forms, instances, rules }: Upstream, read: <T>(resource: Resource<T>) => Promise<T>) {
  const resource = <T>(
    operation: OperationName,
    args: readonly unknown[],
    readOne: Resource<T>['read'],
    tags: readonly Tag[] = [],
  ): Resource<T> => ({
    operation,
    key: JSON.stringify([operation, ...args]),
    tags,
    isDefinition: tags.length === 0,
    read: readOne,
  });
  return {
    /** `undefined` when there is no such form. */
    form: (formId: string) => read(resource('getForm', [formId], (options) => forms.read(formId, options))),
    forms: (query: ListQuery) => read(resource('getForms', [query], (options) => forms.list(query, options))),
    // By the pair, never by the path, in which both are joined by a hyphen.
    rule: ({ component, version }: RuleKey) =>
      read(resource('getParameters', [component, version], (options) => rules.read({ component, version }, options))),
    /** `undefined` when there is no such instance. */
    instance({ formId, instanceId }: InstanceKey) {
      const readOne = (options: ReadOptions) => instances.read({ formId, instanceId }, options);
      return read(resource('getFormIntance', [formId, instanceId], readOne, TAGS.instance(formId, instanceId)));
    },
    instances(formId: string, query: ListQuery) {
      const readPage = (options: ReadOptions) => instances.list(formId, query, options);
      return read(resource('getFormIntances', [formId, query], readPage, TAGS.lists(formId)));
    },
  };
}

/** Limits that the operation which began a call has met, and others that wait for it may not. */
const EXCEEDED: readonly UpstreamFailure[] = ['overloaded', 'too-large'];
const unlessExceeded = (error: unknown): undefined => {
  if (!isOneOf(EXCEEDED, error)) throw error;
};
/** Failures that say nothing about the record. */
const TRANSIENT: readonly UpstreamFailure[] = ['failed', 'rate-limited', 'timeout', 'unavailable'];
