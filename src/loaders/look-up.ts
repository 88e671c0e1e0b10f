import type { Dialect } from '../upstream/dialect.ts';
import { UpstreamError } from '../upstream/errors.ts';
import type { PageRecord } from '../upstream/records.ts';
import { groupByCriterion, type ListQuery } from '../upstream/search.ts';

/** How records of one list are looked up by id. */
export interface LookUp<V> {
  /** The list's operation in the interface, for errors. */
  readonly operation: string;
  readonly dialect: Dialect;
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
 * Gives the record of each id in the fewest calls: one list call by `in` for several ids where the dialect has it, one
 * call each otherwise. A failure costs only the ids of the call that failed.
 */
export async function lookUp<V>(ids: readonly string[], source: LookUp<V>): Promise<(V | undefined | Error)[]> {
  const { dialect, field, isId, readOne } = source;
  const groups = ids.length > 1 ? (groupByCriterion(field, ids.filter(isId), dialect) ?? []) : [];
  // A list call for one id holds less than a read of it, and costs as much.
  const searched = groups.map(({ values }) => values).filter((values) => values.length > 1);

  const found = new Map<string, V | undefined | Error>();
  await Promise.all(
    searched.map(async (group) => {
      for (const [id, record] of await searchGroup(group, source)) found.set(id, record);
    }),
  );
  return settleEach(ids, async (id) => {
    if (!found.has(id)) return readOne(id);
    const record = found.get(id);
    if (record instanceof Error) throw record;
    return record;
  });
}

/** Gives the list's record of each id. An id that is absent here needs a read of its own. */
async function searchGroup<V>(ids: readonly string[], source: LookUp<V>): Promise<Map<string, V | undefined | Error>> {
  const found = new Map<string, V | undefined | Error>(ids.map((id) => [id, undefined]));
  try {
    for (const record of await readMatches(ids, source)) {
      const id = source.idOf(record);
      if (source.isWhole(record)) found.set(id, record);
      else found.delete(id);
    }
  } catch (error) {
    for (const id of ids) found.set(id, toError(error));
  }
  return found;
}

/**
 * Reads the records with these ids: one call, unless the platform's pages are smaller than the dialect believes.
 *
 * @throws {UpstreamError} `malformed` when records come that were not asked for: then `in` was not understood.
 */
async function readMatches<V>(ids: readonly string[], { operation, field, readList, idOf }: LookUp<V>): Promise<V[]> {
  const expected = new Set(ids);
  const where = [{ field, operator: 'IN', values: ids } as const];
  const records: V[] = [];
  for (let pageNumber = 1, isMore = true; isMore; pageNumber++) {
    const { items, total, hasNext } = await readList({ where, orderBy: [], pageNumber, perPage: ids.length });
    records.push(...items);
    if (records.length > ids.length || items.some((record) => !expected.has(idOf(record)))) {
      const cause = new Error('a search by "in" is not understood; set search.operators.IN to null in the dialect');
      throw new UpstreamError('malformed', { operation, cause });
    }
    isMore = items.length > 0 && (total === undefined ? hasNext === true : total > records.length);
  }
  return records;
}

/**
 * Loads every key on its own and keeps each key's failure to itself, as a batch of a loader must: the result at
 * position i is the value or the error of key i.
 */
export function settleEach<K, V>(keys: readonly K[], load: (key: K) => Promise<V>): Promise<(V | Error)[]> {
  return Promise.all(keys.map((key) => load(key).catch(toError)));
}

const toError = (thrown: unknown): Error => (thrown instanceof Error ? thrown : new Error(String(thrown)));
