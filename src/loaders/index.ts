import DataLoader from 'dataloader';

import type { ReadPlatform } from '../cache/cache.ts';
import type { Scope } from '../cache/scope.ts';
import { UpstreamError } from '../core/errors.ts';
import type { Work } from '../core/work.ts';
import type { Dialect } from '../upstream/dialect.ts';
import type { Entity, Read } from '../upstream/operation.ts';
import type { Ids, SomeIds } from '../upstream/records.ts';
import { groupByCriterion } from '../upstream/search.ts';
import { type IdSource, idOrderOf, type ListKey, type ListSlice, readInIdOrder, readRange } from './list-range.ts';

/**
 * Read-side access to the upstream, remembered for one GraphQL operation. What does not exist is `undefined`. Never share it: it
 * remembers what one caller may see. Many operations read nothing, and most of the others one kind.
 */
export class Loaders {
  readonly #scope: Scope;
  readonly #read: ReadPlatform;
  readonly #ofEntity = new Map<string, unknown>();
  readonly #results = new Map<string, Promise<unknown>>();

  /** @param work its `signal` cancels this operation's wait; others waiting for the same result continue. */
  constructor(scope: Scope, work: Work) {
    this.#scope = scope;
    this.#read = scope.cache.reads(work);
  }

  /** The records of one kind, of one parent where it has parents. */
  of<V extends SomeIds>(entity: Entity<V>, parent?: string): RecordLoaders<V> {
    const key = `${entity.type} ${parent}`;
    const known = this.#ofEntity.get(key) ?? createRecordLoaders(this.#sourceOf(entity, parent));
    this.#ofEntity.set(key, known);
    return known as RecordLoaders<V>;
  }

  /** Reads what is no entity, once. */
  read<A, T>(of: Read<A, T>, args: A): Promise<T> {
    const key = JSON.stringify([of.name, args]);
    const known = this.#results.get(key) ?? this.#read(of, args);
    this.#results.set(key, known);
    return known as Promise<T>;
  }

  /** Forgets all that was read: after a change it must be read again. */
  clear(): void {
    this.#ofEntity.clear();
    this.#results.clear();
  }

  #sourceOf<V extends SomeIds>(entity: Entity<V>, parent: string | undefined): RecordSource<V> {
    const { dialect, lists } = this.#scope.upstream;
    const { one, list, idName } = entity;
    // Operations look at the ids of their own records alone.
    const within = (entity.parent ? { [entity.parent.idName]: parent } : {}) as unknown as Ids;
    return {
      entity,
      dialect,
      paging: lists(list.name, parent),
      operation: list.name,
      readOne: (id) => this.#read(one, { ...within, [idName]: id }),
      readList: (query) => this.#read(list, { ...within, ...query }),
      idOf: (record) => String(record[idName]),
    };
  }
}

type RecordLoaders<V extends SomeIds> = ReturnType<typeof createRecordLoaders<V>>;

/** Makes the loaders of one kind, or of those of one parent. */
function createRecordLoaders<V extends SomeIds>(source: RecordSource<V>) {
  /** The records of lists, for what would be read by their ids: a promise for each row would cost more than most operations make. */
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
  const slices = new Map<string, Promise<ListSlice<V>>>();
  const readSlice = async (key: ListKey): Promise<ListSlice<V>> => {
    const order = idOrderOf(source.operation, key, source.dialect);
    const slice = await (order ? readInIdOrder(key, { ...source, order }) : readRange(key, source));
    for (const record of slice.rows) if (source.entity.isWhole(record)) listed.set(source.idOf(record), record);
    return slice;
  };

  return {
    byId: {
      /** Loads of one id that go into one batch have one promise, so that many rows wait for it once. */
      load(id: string): Promise<V | undefined> {
        const promise = loading.get(id) ?? loader.load(id);
        loading.set(id, promise);
        return promise;
      },
    },
    lists: {
      /** Each range of a list costs calls of its own; equal ones are read once. */
      load(key: ListKey): Promise<ListSlice<V>> {
        const name = JSON.stringify(key);
        const promise = slices.get(name) ?? readSlice(key);
        slices.set(name, promise);
        return promise;
      },
    },
  };
}

/** Where records of one kind are read, one or a page of their list at a time. */
export interface RecordSource<V extends SomeIds> extends Omit<IdSource<V>, 'order'> {
  readonly entity: Pick<Entity<V>, 'field' | 'isId' | 'isWhole'>;
  readonly dialect: Dialect;
  readonly readOne: (id: string) => Promise<V | undefined>;
}

/**
 * Gives the record of each id in the fewest calls: none for those that are `listed`, one list call by `in` for several ids where
 * the dialect has it, one call each otherwise. A failure costs only the ids of the call that failed.
 */
export async function lookUp<V extends SomeIds>(
  ids: readonly string[],
  source: RecordSource<V>,
  listed: ReadonlyMap<string, V> = new Map(),
): Promise<(V | undefined | Error)[]> {
  const { entity, dialect, paging, readOne } = source;
  const found = new Map<string, V | undefined | Error>();
  const missing = ids.filter((id) => !listed.has(id));
  // A list call for one id holds less than a read of it, and costs as much.
  if (missing.length > 1) {
    const groups = groupByCriterion(entity.field(dialect), missing.filter(entity.isId), dialect, paging.max) ?? [];
    const searched = groups.filter(({ values }) => values.length > 1);
    await Promise.all(searched.map(({ values }) => searchGroup(values, source, found)));
  }
  const read = (id: string) =>
    readOne(id).then(
      (record) => found.set(id, record),
      (error) => found.set(id, toError(error)),
    );
  const alone = missing.filter((id) => !found.has(id));
  if (alone.length > 0) await Promise.all(alone.map(read));
  return ids.map((id) => found.get(id) ?? listed.get(id));
}

/** Finds the list's record of each id. An id that is not found, not even as absent, needs a read of its own. */
async function searchGroup<V extends SomeIds>(
  ids: readonly string[],
  source: RecordSource<V>,
  found: Map<string, V | undefined | Error>,
): Promise<void> {
  const { entity, dialect, operation, idOf } = source;
  const where = [{ field: entity.field(dialect), operator: 'IN', values: ids } as const];
  try {
    // One call, unless the platform's pages are smaller than the dialect believes.
    const { rows, total = 0 } = await readRange({ where, orderBy: [], offset: 0, count: ids.length }, source);
    if (total > ids.length || !rows.every((record) => ids.includes(idOf(record)))) {
      const advice = 'A search by "in" is not understood: set search.operators.IN to null in the dialect.';
      throw new UpstreamError('malformed', { operation, advice });
    }
    for (const id of ids) found.set(id, undefined);
    for (const record of rows) {
      if (entity.isWhole(record)) found.set(idOf(record), record);
      else found.delete(idOf(record));
    }
  } catch (error) {
    for (const id of ids) found.set(id, toError(error));
  }
}

const toError = (thrown: unknown): Error => (thrown instanceof Error ? thrown : new Error(String(thrown)));
