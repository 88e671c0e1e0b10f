import DataLoader from 'dataloader';

import type { Reads } from '../cache/cache.ts';
import type { Scope } from '../cache/scope.ts';
import { RequestStats } from '../cache/stats.ts';
import { UpstreamError } from '../core/errors.ts';
import type { Dialect } from '../upstream/dialect.ts';
import type { Upstream } from '../upstream/index.ts';
import { type Criterion, groupByCriterion, isId, isInt64, type ListQuery, type Order } from '../upstream/operations.ts';
import type { PageSizes } from '../upstream/page-sizes.ts';
import type { FormRecord, InstanceRecord, PageRecord, RuleKey, RuleRecord } from '../upstream/records.ts';
import { type ListSlice, type Looks, type OffsetRange, readRange } from './offset-range.ts';

/** A range of a searched and ordered list. */
export interface ListKey extends OffsetRange {
  readonly where: readonly Criterion[];
  readonly orderBy: readonly Order[];
}

/** Read-side access to the upstream, remembered for one GraphQL operation. What does not exist is `undefined`. */
export interface Loaders {
  readonly formById: IdLoader<FormRecord>;
  readonly ruleByKey: DataLoader<RuleKey, RuleRecord, string>;
  readonly forms: DataLoader<ListKey, ListSlice<FormRecord>, string>;
  /** The instances of one form. */
  instanceById(formId: string): IdLoader<InstanceRecord>;
  /** Lists of the instances of one form. */
  instances(formId: string): DataLoader<ListKey, ListSlice<InstanceRecord>, string>;
  /** Forgets all that was read: after a write it must be read again. */
  clear(): void;
}

/** Loads records by their ids. */
export interface IdLoader<V> {
  /** Loads of one id that go into one batch have one promise, so that many rows wait for it once. */
  load(id: string): Promise<V | undefined>;
  /** Takes the records of a list for what would be read by their ids. */
  prime(records: readonly V[]): void;
  clearAll(): void;
}

/** The loaders of one form's instances. */
interface InstanceLoaders {
  readonly byId: IdLoader<InstanceRecord>;
  readonly lists: DataLoader<ListKey, ListSlice<InstanceRecord>, string>;
}

/**
 * Makes the loaders of one operation. Never share them: they remember what one caller may see.
 *
 * @param work `signal` cancels this operation's wait; others waiting for the same result continue.
 * @param stats counts the calls that this operation causes.
 */
export const createLoaders = (
  scope: Scope,
  work: { readonly signal: AbortSignal },
  stats = new RequestStats(),
): Loaders => new OperationLoaders(scope, work, stats);

/** Many operations read nothing, and most of the others one kind. */
class OperationLoaders implements Loaders {
  readonly #scope: Scope;
  readonly #work: { readonly signal: AbortSignal };
  readonly #stats: RequestStats;
  readonly #byForm = new Map<string, InstanceLoaders>();
  #source: Source | undefined;
  #formById: IdLoader<FormRecord> | undefined;
  #ruleByKey: Loaders['ruleByKey'] | undefined;
  #forms: Loaders['forms'] | undefined;

  constructor(scope: Scope, work: { readonly signal: AbortSignal }, stats: RequestStats) {
    this.#scope = scope;
    this.#work = work;
    this.#stats = stats;
  }

  get formById() {
    this.#formById ??= createFormLoader(this.#read());
    return this.#formById;
  }

  get ruleByKey() {
    const { reads } = this.#read();
    this.#ruleByKey ??= new DataLoader((keys) => settleEach(keys, (key) => reads.rule(key)), {
      cacheKeyFn: ({ component, version }) => JSON.stringify([component, version]),
    });
    return this.#ruleByKey;
  }

  get forms() {
    const { reads, platform } = this.#read();
    this.#forms ??= createListLoader('getForms', {
      ...platform,
      name: '',
      readPage: reads.forms,
      idOf: ({ formId }) => formId,
      prime: this.formById.prime,
    });
    return this.#forms;
  }

  instanceById(formId: string) {
    return this.#ofForm(formId).byId;
  }

  instances(formId: string) {
    return this.#ofForm(formId).lists;
  }

  clear(): void {
    for (const loader of [this.#formById, this.#ruleByKey, this.#forms]) loader?.clearAll();
    this.#byForm.clear();
  }

  #ofForm(formId: string): InstanceLoaders {
    const known = this.#byForm.get(formId);
    if (known) return known;
    const made = createInstanceLoaders(formId, this.#read());
    this.#byForm.set(formId, made);
    return made;
  }

  #read(): Source {
    const { cache, upstream, caller } = this.#scope;
    this.#source ??= {
      reads: cache.reads(this.#work.signal, this.#stats, caller),
      platform: { ...upstream, looks: {} },
    };
    return this.#source;
  }
}

/** Where the loaders of one operation read. */
interface Source {
  readonly reads: Reads;
  readonly platform: Known;
}

/** What is known of the platform's lists. */
type Known = Pick<Upstream, 'dialect' | 'pageSizes'> & { readonly looks: Looks };

const createFormLoader = ({ reads, platform }: Source) =>
  createIdLoader<FormRecord>({
    ...platform,
    operation: 'getForms',
    field: platform.dialect.search.formId,
    isId,
    readOne: reads.form,
    readList: reads.forms,
    idOf: ({ formId }) => formId,
    // A record of a list of summaries must not answer for the form itself.
    isWhole: ({ isSummary }) => !isSummary,
  });

function createInstanceLoaders(formId: string, { reads, platform }: Source): InstanceLoaders {
  const readList = (query: ListQuery) => reads.instances(formId, query);
  const idOf = ({ instanceId }: InstanceRecord) => instanceId;
  const byId = createIdLoader<InstanceRecord>({
    ...platform,
    operation: 'getFormIntances',
    field: platform.dialect.search.instanceId,
    isId: isInt64,
    readOne: (instanceId) => reads.instance({ formId, instanceId }),
    readList,
    idOf,
    isWhole: () => true,
  });
  const { prime } = byId;
  const lists = createListLoader('getFormIntances', { ...platform, name: formId, readPage: readList, idOf, prime });
  return { byId, lists };
}

function createIdLoader<V>(source: LookUp<V>): IdLoader<V> {
  const { idOf, isWhole } = source;
  /** A promise for each row of a list would cost more than most operations make of them. */
  const listed = new Map<string, V>();
  const loading = new Map<string, Promise<V | undefined>>();
  const loader = new DataLoader<string, V | undefined>((ids) => lookUp(ids, source, listed), {
    // As DataLoader does it: after all promises that have settled.
    batchScheduleFn: (dispatch) =>
      queueMicrotask(() =>
        process.nextTick(() => {
          loading.clear();
          dispatch();
        }),
      ),
  });

  return {
    load(id) {
      const known = loading.get(id);
      if (known) return known;
      const promise = loader.load(id);
      loading.set(id, promise);
      return promise;
    },
    prime(records) {
      for (const record of records) if (isWhole(record)) listed.set(idOf(record), record);
    },
    clearAll() {
      loader.clearAll();
      listed.clear();
      loading.clear();
    },
  };
}

interface ListOptions<T> {
  /** Whose list it is, where the operation has several. */
  readonly name: string;
  readonly pageSizes: PageSizes;
  readonly looks: Looks;
  readonly readPage: (query: ListQuery) => Promise<PageRecord<T>>;
  readonly idOf: (row: T) => string;
  /** Takes the rows of a list for what loaders by id would read. */
  readonly prime: (rows: readonly T[]) => void;
}

/** Each range of a list costs calls of its own; the loader saves equal ones. */
function createListLoader<T>(operation: string, { name, readPage, prime, ...platform }: ListOptions<T>) {
  return new DataLoader<ListKey, ListSlice<T>, string>(
    (keys) =>
      settleEach(
        keys,
        ({ where, orderBy, ...range }) =>
          readRange(range, {
            ...platform,
            operation,
            list: JSON.stringify([name, where, orderBy]),
            readPage: (page) => readPage({ where, orderBy, ...page }),
          }),
        ({ rows }) => prime(rows),
      ),
    { cacheKeyFn: (key) => JSON.stringify(key) },
  );
}

/** How records of one list are looked up by id. */
export interface LookUp<V> {
  /** The list's operation in the interface, for errors. */
  readonly operation: string;
  readonly dialect: Dialect;
  readonly pageSizes: PageSizes;
  readonly looks: Looks;
  /** The field that holds the id in a search. */
  readonly field: string;
  /** Whether an id can be searched for; one that cannot is left to `readOne` to refuse. */
  readonly isId: (id: string) => boolean;
  readonly readOne: (id: string) => Promise<V | undefined>;
  readonly readList: (query: ListQuery) => Promise<PageRecord<V>>;
  readonly idOf: (record: V) => string;
  /** Whether a listed record holds all that a single read would; one that does not is read on its own. */
  readonly isWhole: (record: V) => boolean;
}

/**
 * Gives the record of each id in the fewest calls: none for those that are `listed`, one list call by `in` for several ids where
 * the dialect has it, one call each otherwise. A failure costs only the ids of the call that failed.
 */
export async function lookUp<V>(
  ids: readonly string[],
  source: LookUp<V>,
  listed: ReadonlyMap<string, V> = new Map(),
): Promise<(V | undefined | Error)[]> {
  const { operation, dialect, pageSizes, field, isId, readOne } = source;
  const found = new Map<string, V | undefined | Error>();
  for (const id of ids) if (listed.has(id)) found.set(id, listed.get(id));
  const missing = () => ids.filter((id) => !found.has(id));
  const searchable = ids.length > 1 ? missing().filter(isId) : [];
  const groups = groupByCriterion(field, searchable, dialect, pageSizes.max(operation)) ?? [];
  // A list call for one id holds less than a read of it, and costs as much.
  const searched = groups.map(({ values }) => values).filter((values) => values.length > 1);
  if (searched.length > 0) await Promise.all(searched.map((group) => searchGroup(group, source, found)));

  const read = (id: string) =>
    readOne(id).then(
      (record) => found.set(id, record),
      (error) => found.set(id, toError(error)),
    );
  await Promise.all(missing().map(read));
  return ids.map((id) => found.get(id));
}

/** Finds the list's record of each id. An id that is not found, not even as absent, needs a read of its own. */
async function searchGroup<V>(
  ids: readonly string[],
  source: LookUp<V>,
  found: Map<string, V | undefined | Error>,
): Promise<void> {
  try {
    const records = await readMatches(ids, source);
    for (const id of ids) found.set(id, undefined);
    for (const record of records) {
      const id = source.idOf(record);
      if (source.isWhole(record)) found.set(id, record);
      else found.delete(id);
    }
  } catch (error) {
    for (const id of ids) found.set(id, toError(error));
  }
}

/**
 * Reads the records with these ids: one call, unless the platform's pages are smaller than the dialect believes.
 *
 * @throws {UpstreamError} `malformed` for records that were not requested: then the platform did not understand `in`.
 */
async function readMatches<V>(ids: readonly string[], source: LookUp<V>): Promise<readonly V[]> {
  const { operation, pageSizes, looks, field, readList, idOf } = source;
  const where = [{ field, operator: 'IN', values: ids } as const];
  const { rows, total = 0 } = await readRange(
    { offset: 0, count: ids.length },
    { operation, pageSizes, looks, idOf, readPage: (page) => readList({ where, orderBy: [], ...page }) },
  );
  if (total <= ids.length && rows.every((record) => ids.includes(idOf(record)))) return rows;
  const advice = 'A search by "in" is not understood: set search.operators.IN to null in the dialect.';
  throw new UpstreamError('malformed', { operation, advice });
}

/**
 * Loads every key on its own and keeps each key's failure to itself, as a batch of a loader must: the result at
 * position i is the value or the error of key i.
 */
function settleEach<K, V>(
  keys: readonly K[],
  load: (key: K) => Promise<V>,
  onLoaded: (value: V) => void = () => undefined,
): Promise<(V | Error)[]> {
  const settle = (key: K) =>
    load(key).then((value) => {
      onLoaded(value);
      return value;
    }, toError);
  return Promise.all(keys.map(settle));
}

const toError = (thrown: unknown): Error => (thrown instanceof Error ? thrown : new Error(String(thrown)));
