import DataLoader from 'dataloader';

import type { ReadPlatform } from '../cache/cache.ts';
import type { Scope } from '../cache/scope.ts';
import type { RequestState } from '../core/request-state.ts';
import { type Entity, ownIdOf, parentsOf, type Read } from '../upstream/operation.ts';
import type { Ids, SomeIds } from '../upstream/records.ts';
import { matchesNothing } from '../upstream/search.ts';
import { idOrderOf, readInIdOrder } from './id-range.ts';
import { type ListKey, type ListSlice, readRange } from './list-range.ts';
import { lookUp, type RecordSource } from './look-up.ts';

/**
 * Loads records for one GraphQL operation, each once. An absent record is `undefined`. Do not share
 * it between operations, because it contains one caller's data. Loaders are created on first use,
 * because many operations need only one kind or read nothing.
 */
export class Loaders {
  readonly #scope: Scope;
  readonly #read: ReadPlatform;
  readonly #ofEntity = new Map<string, unknown>();
  readonly #results = new Map<string, Promise<unknown>>();

  /**
   * @param work its `signal` cancels this operation's wait; others waiting for the same result continue.
   * @param isLatest whether the platform confirms each record now.
   */
  constructor(scope: Scope, requestState: RequestState, isLatest = false) {
    this.#scope = scope;
    this.#read = scope.cache.reads(requestState, isLatest);
  }

  /** Returns the loaders of one kind of records inside these parents, outermost first. */
  of<V extends SomeIds>(entity: Entity<V>, ...parents: readonly string[]): RecordLoaders<V> {
    // A valid id contains no line break.
    const key = `${entity.kind}\n${parents.join('\n')}`;
    const known = this.#ofEntity.get(key) ?? createRecordLoaders(this.#sourceOf(entity, parents));
    this.#ofEntity.set(key, known);
    return known as RecordLoaders<V>;
  }

  /** Loads the record with these ids. */
  load<V extends SomeIds>(entity: Entity<V>, ids: SomeIds): Promise<V | undefined> {
    return this.of(entity, ...parentsOf(entity, ids)).byId.load(String(ids[ownIdOf(entity)]));
  }

  /** Reads data that is not an entity, once. */
  read<A, T>(of: Read<A, T>, args: A): Promise<T> {
    const key = JSON.stringify([of.name, args]);
    const known = this.#results.get(key) ?? this.#read(of, args);
    this.#results.set(key, known);
    return known as Promise<T>;
  }

  /** Forgets all records. After a change they must be read again. */
  clear(): void {
    this.#ofEntity.clear();
    this.#results.clear();
  }

  #sourceOf<V extends SomeIds>(entity: Entity<V>, parents: readonly string[]): RecordSource<V> {
    const { dialect, lists } = this.#scope.upstream;
    const { one, list, path } = entity;
    const idName = ownIdOf(entity);
    // An operation reads only the ids of its own records.
    const within = Object.fromEntries(parents.map((id, at) => [path[at], id])) as Ids;
    return {
      entity,
      dialect,
      // The lists of one form share one paging state.
      paging: lists.of(list.name, parents[0]),
      operation: list.name,
      path: () => list.path(within),
      readOne: one && ((id) => this.#read(one, { ...within, [idName]: id })),
      readList: (query) => this.#read(list, { ...within, ...query }),
      idOf: (record) => (record instanceof Error ? '' : String(record[idName])),
    };
  }
}

/** The loaders of one kind of records inside one parent. */
interface RecordLoaders<V extends SomeIds> {
  readonly byId: {
    /** Loads a record. `undefined` if it does not exist. */
    load(id: string): Promise<V | undefined>;
  };
  readonly lists: {
    /** Loads a range of a list. Each range needs its own calls. Equal ranges are read once. */
    load(key: ListKey): Promise<ListSlice<V | Error>>;
  };
}

function createRecordLoaders<V extends SomeIds>(source: RecordSource<V>): RecordLoaders<V> {
  /** Rows of lists that are not in `listed` yet. Most operations load no record by id. */
  const pages: (readonly (V | Error)[])[] = [];
  /**
   * Records from lists, for later loads by id. Stored without promises, because a promise for each
   * row would be expensive.
   */
  const listed = new Map<string, V>();
  const indexPages = (): ReadonlyMap<string, V> => {
    for (const record of pages.splice(0).flat()) {
      if (!(record instanceof Error) && !source.entity.isSummary?.(record))
        listed.set(source.idOf(record), record);
    }
    return listed;
  };
  const loading = new Map<string, Promise<V | undefined>>();
  const loader = new DataLoader<string, V | undefined>((ids) => lookUp(ids, source, indexPages()), {
    // DataLoader's own schedule: after all settled promises.
    batchScheduleFn: (dispatch) =>
      queueMicrotask(() =>
        process.nextTick(() => {
          loading.clear();
          dispatch();
        }),
      ),
  });
  const slices = new Map<string, Promise<ListSlice<V | Error>>>();
  const readSlice = async (key: ListKey): Promise<ListSlice<V | Error>> => {
    const order = idOrderOf(source.operation, key, source.dialect);
    const slice = await (order ? readInIdOrder(key, { ...source, order }) : readRange(key, source));
    pages.push(slice.rows);
    return slice;
  };

  function load(key: ListKey): Promise<ListSlice<V | Error>> {
    const name = JSON.stringify(key);
    const promise = slices.get(name) ?? readAny(key);
    slices.set(name, promise);
    return promise;
  }

  async function readAny(key: ListKey): Promise<ListSlice<V | Error>> {
    const { offset } = key;
    if (matchesNothing(key.where)) return { offset, rows: [], total: 0, hasNext: false };
    if (key.count > 0) return readSlice(key);
    const first = await load({ ...key, count: 1 });
    const total = await count(first);
    return { offset, rows: [], total, hasNext: first.rows.length > 0 };
  }

  /**
   * Counts the rows of a list from a range of at most one row. `undefined` if the platform states no
   * total.
   */
  async function count({ rows, total }: ListSlice<unknown>): Promise<number | undefined> {
    if (total !== undefined || rows.length !== 1) return total;
    // A total of 1 beside one row may count that page. The list without conditions shows it, or
    // has one row itself.
    const whole = { where: [], orderBy: [], offset: 0 };
    await load({ ...whole, count: 1 });
    const isKnown = source.paging.isTotal || (await load({ ...whole, count: 2 })).total === 1;
    return isKnown ? rows.length : undefined;
  }

  return {
    byId: {
      // Loads of one id in the same batch share a promise, so that many rows wait for one.
      load(id) {
        const promise = loading.get(id) ?? loader.load(id);
        loading.set(id, promise);
        return promise;
      },
    },
    lists: { load },
  };
}
