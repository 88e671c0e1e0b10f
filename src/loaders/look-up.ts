import { orUndefined, UpstreamError } from '../core/errors.ts';
import type { Dialect } from '../upstream/dialect.ts';
import type { Entity } from '../upstream/operation.ts';
import type { SomeIds } from '../upstream/records.ts';
import { groupByCriterion, idsLengthAt } from '../upstream/search.ts';
import type { IdSource } from './id-range.ts';
import { type ListKey, type ListSlice, readRange } from './list-range.ts';

/** Reads records of one kind, singly or through their list. */
export interface RecordSource<V extends SomeIds> extends Omit<IdSource<V | Error>, 'order'> {
  readonly entity: Pick<Entity<V>, 'find' | 'isSummary'>;
  readonly dialect: Dialect;
  /** Returns the path of the list. @throws {InputError} for an invalid id. */
  readonly path: () => string;
  /** Absent if the platform has records only in their list. */
  readonly readOne: ((id: string) => Promise<V | undefined>) | undefined;
}

/** The record of each id. `undefined` for an absent record. */
type Found<V> = Map<string, V | undefined | Error>;

/**
 * Returns the record of each id with the fewest calls: no call for `listed` records, one list call
 * for several ids if the dialect has `in`, otherwise one call per id. A failed call fails only its
 * own ids.
 */
export async function lookUp<V extends SomeIds>(
  ids: readonly string[],
  source: RecordSource<V>,
  listed: ReadonlyMap<string, V> = new Map(),
): Promise<(V | undefined | Error)[]> {
  const found: Found<V> = new Map();
  const missing = ids.filter((id) => !listed.has(id));
  if (source.readOne === undefined) await readThrough(missing, source, found);
  // For a single id, a read costs the same as a list call and returns more.
  else if (missing.length > 1) await searchGroups(missing, source, found);
  const alone = missing.filter((id) => !found.has(id));
  if (alone.length > 0) await Promise.all(alone.map((id) => readAlone(id, source, found)));
  return ids.map((id) => found.get(id) ?? listed.get(id));
}

/**
 * Splits ids into groups for one list call each. Returns an empty list if the platform cannot
 * search for several ids.
 */
function groupsOf<V extends SomeIds>(
  ids: readonly string[],
  source: RecordSource<V>,
): (readonly string[])[] {
  const { entity, dialect, paging, path } = source;
  if (entity.find === undefined) return [];
  const field = entity.find.field(dialect);
  const maxLength = orUndefined(() => idsLengthAt(path(), field, dialect));
  const limits = {
    maxIds: Math.min(paging.max, paging.maxIds),
    ...(maxLength !== undefined && { maxLength }),
  };
  return (
    groupByCriterion(field, ids.filter(entity.find.isId), dialect, limits)?.map(
      ({ values }) => values,
    ) ?? []
  );
}

/**
 * Reads a list from its beginning until each id is found. An unreadable row may be any missing
 * record, so missing ids get its error.
 */
async function readThrough<V extends SomeIds>(
  ids: readonly string[],
  source: RecordSource<V>,
  found: Found<V>,
  offset = 0,
  unreadable?: Error,
): Promise<void> {
  const { idOf, paging } = source;
  try {
    const { rows, hasNext } = await readRange(
      { where: [], orderBy: [], offset, count: paging.largest },
      source,
    );
    for (const row of rows) if (!(row instanceof Error)) found.set(idOf(row), row);
    const left = ids.filter((id) => !found.has(id));
    const failure = unreadable ?? rows.find((row) => row instanceof Error);
    if (left.length > 0 && rows.length > 0 && hasNext)
      return readThrough(left, source, found, offset + rows.length, failure);
    for (const id of left) found.set(id, failure);
  } catch (error) {
    for (const id of ids) found.set(id, toError(error));
  }
}

/** Reads one record by its id. */
async function readAlone<V extends SomeIds>(
  id: string,
  { readOne }: RecordSource<V>,
  found: Found<V>,
): Promise<void> {
  try {
    found.set(id, await readOne?.(id));
  } catch (error) {
    found.set(id, toError(error));
  }
}

/** Looks up ids in one list call for each group. A group of one id needs its own read. */
function searchGroups<V extends SomeIds>(
  ids: readonly string[],
  source: RecordSource<V>,
  found: Found<V>,
): Promise<unknown> {
  const groups = groupsOf(ids, source).filter((group) => group.length > 1);
  return Promise.all(groups.map((group) => searchGroup(group, source, found)));
}

/**
 * Looks up ids in one list call. Ids without an entry in `found` afterwards need their own read.
 */
async function searchGroup<V extends SomeIds>(
  ids: readonly string[],
  source: RecordSource<V>,
  found: Found<V>,
) {
  try {
    await search(ids, source, found);
  } catch (error) {
    if (isRefusal(error)) await searchLess(ids, source, found, error);
    else for (const id of ids) found.set(id, toError(error));
  }
}

async function search<V extends SomeIds>(
  ids: readonly string[],
  source: RecordSource<V>,
  found: Found<V>,
): Promise<void> {
  const { idOf, paging } = source;
  const slice = await readRange(rangeOf(ids, source), source);
  const { records, unreadable } = recordsAmong(ids, slice, source);
  // A row without an id may be any of the missing records.
  for (const id of ids) found.set(id, unreadable);
  keep(records, source, found);
  if (unreadable !== undefined) return;
  const listed = new Set(records.map(idOf));
  const omitted = ids.filter((id) => !listed.has(id));
  if (omitted.length === 0) return paging.noteSearched(ids.length);
  try {
    await verify(ids, omitted, source, found);
  } catch (error) {
    for (const id of omitted) found.set(id, toError(error));
  }
}

/** Returns the search for ids by `in`: one call, unless pages are smaller than the dialect states. */
function rangeOf<V extends SomeIds>(
  ids: readonly string[],
  { entity, dialect }: RecordSource<V>,
): ListKey {
  const where = [
    { field: String(entity.find?.field(dialect)), operator: 'IN', values: ids } as const,
  ];
  return { where, orderBy: [], offset: 0, count: ids.length };
}

/**
 * Returns the records of a search for ids, and the error of an unreadable row.
 *
 * @throws {UpstreamError} `malformed` if the list has other records.
 */
function recordsAmong<V extends SomeIds>(
  ids: readonly string[],
  { rows, total = 0 }: ListSlice<V | Error>,
  { operation, idOf }: RecordSource<V>,
) {
  const records = rows.filter((row): row is V => !(row instanceof Error));
  const isOther = (record: V) => !ids.includes(idOf(record));
  if (total > ids.length || records.some(isOther)) throw notUnderstood(operation);
  return { records, unreadable: rows.find((row): row is Error => row instanceof Error) };
}

/** Adds records of a list. A summary needs its own read. */
function keep<V extends SomeIds>(
  records: readonly V[],
  { entity, idOf }: RecordSource<V>,
  found: Found<V>,
): void {
  for (const record of records) {
    if (entity.isSummary?.(record)) found.delete(idOf(record));
    else found.set(idOf(record), record);
  }
}

/**
 * Checks that the platform has read all values of a look-up, because omitted records count as
 * absent. It may read only the first or last values. If it has found the records at both ends, it
 * has read the values between them. Later look-ups of at most this size are not checked.
 */
async function verify<V extends SomeIds>(
  ids: readonly string[],
  omitted: readonly string[],
  source: RecordSource<V>,
  found: Found<V>,
): Promise<void> {
  const { paging } = source;
  const [first = '', last = ''] = [ids[0], ids.at(-1)];
  if (!omitted.includes(first) && !omitted.includes(last)) paging.noteSearched(ids.length);
  if (ids.length <= paging.searchedIds) return;
  if (omitted.length === ids.length) return verifyNone(ids, source, found);
  const listed = ids.filter((id) => !omitted.includes(id));
  // A single record moves to the other end.
  const isLast = listed.length === 1 && listed[0] === last;
  const [end = '', ...start] = listed;
  const values = isLast ? [last, ...omitted] : [...start, ...omitted, end];
  await searchBetween(values, omitted, source, found);
}

/** Checks an empty result by a search that includes two records of the list. */
async function verifyNone<V extends SomeIds>(
  ids: readonly string[],
  source: RecordSource<V>,
  found: Found<V>,
): Promise<void> {
  const { rows } = await readRange({ where: [], orderBy: [], offset: 0, count: 2 }, source);
  const known = rows.map(source.idOf);
  const [start = '', end = ''] = known;
  // The search has missed a record of the list.
  if (known.some((id) => ids.includes(id))) return leave(ids, found);
  if (rows.length < 2) return verifyFirst(ids, source, found);
  const between = (values: readonly string[]) => [start, ...values, end];
  const isFitting = (values: readonly string[]) => {
    const [group] = groupsOf(between(values), source);
    return group?.length === values.length + 2;
  };
  const half = Math.ceil(ids.length / 2);
  const parts = isFitting(ids) ? [ids] : [ids.slice(0, half), ids.slice(half)];
  if (!parts.every(isFitting)) return leave(ids, found);
  await Promise.all(parts.map((part) => searchBetween(between(part), part, source, found)));
}

/** Reads the first id, if the list is empty as well. If it is absent, so are the others. */
async function verifyFirst<V extends SomeIds>(
  [first = '', ...others]: readonly string[],
  source: RecordSource<V>,
  found: Found<V>,
): Promise<void> {
  await readAlone(first, source, found);
  const record = found.get(first);
  if (record === undefined) return;
  const error = record instanceof Error ? record : notUnderstood(source.operation);
  for (const id of others) found.set(id, error);
}

/** Leaves ids to their own reads. */
function leave(ids: readonly string[], found: Found<unknown>): void {
  for (const id of ids) found.delete(id);
}

/**
 * Looks up omitted ids again, with existing records at one or both ends. If these are found, the
 * other omitted records are absent. Otherwise the platform reads fewer values.
 */
async function searchBetween<V extends SomeIds>(
  values: readonly string[],
  omitted: readonly string[],
  source: RecordSource<V>,
  found: Found<V>,
): Promise<void> {
  const { paging, idOf } = source;
  const known = values.filter((id) => !omitted.includes(id));
  // All of them, because an omitted record may have been added since.
  const slice = await readRange(rangeOf(values, source), source);
  const { records } = recordsAmong(values, slice, source);
  const listed = new Set(records.map(idOf));
  keep(
    records.filter((record) => omitted.includes(idOf(record))),
    source,
    found,
  );
  if (known.every((id) => listed.has(id))) {
    paging.noteSearched(values.length);
    return;
  }
  const left = omitted.filter((id) => !listed.has(id));
  leave(left, found);
  // A known record may have been deleted. Only an omitted one that exists proves a limit.
  if (left.length === omitted.length) return;
  const read = values.findLastIndex((id) => listed.has(id)) + 1;
  paging.noteMaxIds(read < values.length ? read : 1);
  await searchGroups(left, source, found);
}

/** The size of a look-up after the platform has refused a larger one. */
const FEW_IDS = 25;
/** Statuses for an address that is too long, for too many values, and for an absent list. */
const REFUSALS: readonly (number | undefined)[] = [400, 404, 414];

const isRefusal = (error: unknown): error is UpstreamError =>
  error instanceof UpstreamError && REFUSALS.includes(error.status);

/**
 * Looks up ids in groups of 25 after the platform has refused them together. A refusal does not
 * prove that records are absent. A read of the first record distinguishes an absent list from an
 * oversized look-up.
 */
async function searchLess<V extends SomeIds>(
  ids: readonly string[],
  source: RecordSource<V>,
  found: Found<V>,
  refusal: UpstreamError,
): Promise<void> {
  const [first = '', ...others] = ids;
  await readAlone(first, source, found);
  const isAbsent = refusal.status === 404 && found.get(first) === undefined;
  const refused = isAbsent ? refusal : notUnderstood(source.operation);
  const few = ids.length > FEW_IDS ? others.splice(0, FEW_IDS) : [];
  const toFailure = (error: unknown) => (isRefusal(error) ? refused : toError(error));
  const failure = few.length === 0 ? refused : await search(few, source, found).catch(toFailure);
  if (failure === undefined) {
    source.paging.noteMaxIds(FEW_IDS);
    await searchGroups(others, source, found);
    return;
  }
  // A second refusal has another cause than the number of ids.
  for (const id of [...few, ...others]) found.set(id, failure);
  if (isAbsent) found.set(first, failure);
}

function notUnderstood(operation: string): UpstreamError {
  const advice =
    'A search by "in" is not understood: set search.operators.IN to null in the dialect.';
  return new UpstreamError('malformed', { operation, advice });
}

const toError = (thrown: unknown): Error =>
  thrown instanceof Error ? thrown : new Error(String(thrown));
