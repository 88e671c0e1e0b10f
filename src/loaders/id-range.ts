import { isDeepStrictEqual } from 'node:util';

import { UpstreamError } from '../core/errors.ts';
import type { Dialect } from '../upstream/dialect.ts';
import type { CountedPage, ListPaging } from '../upstream/list-paging.ts';
import { isInt64 } from '../upstream/path.ts';
import type { PageRecord } from '../upstream/records.ts';
import { getFormIntances } from '../upstream/resources/instances.ts';
import type { ListQuery, Order } from '../upstream/search.ts';
import {
  firstPageError,
  type ListKey,
  type ListRange,
  type ListSlice,
  mayGoOn,
  missingRowsError,
  type PageSource,
  pageOf,
  readPage,
  readRange,
  repeatedPageError,
  totalAtEnd,
} from './list-range.ts';

interface IdRange extends ListKey {
  /** The first two ids of the list, or its only one, if they were already read. */
  readonly head?: readonly string[] | undefined;
}

/** Reads a list in the order of ids. The list's key may have no order. */
export interface IdSource<T> extends PageSource<T> {
  readonly order: Order;
  readonly idOf: (record: T) => string;
}

/** The search operator for later rows, and the reverse direction. */
const DIRECTIONS = {
  ASC: { following: 'GT', reverse: 'DESC' },
  DESC: { following: 'LT', reverse: 'ASC' },
} as const;

/**
 * Returns the order of ids for reading a list of instances. `undefined` if the list has another
 * order, or the platform does not support this one.
 */
export function idOrderOf(
  operation: string,
  { orderBy }: Pick<ListQuery, 'orderBy'>,
  { list, search }: Dialect,
): Order | undefined {
  const field = search.instanceId;
  const [order = { field, direction: 'ASC' }]: readonly Order[] = orderBy;
  if (operation !== getFormIntances.name || order.field !== field) return undefined;
  const isAsked = list.isSorted && list.isPagedById !== false;
  return isAsked && search.operators[DIRECTIONS[order.direction].following] !== null
    ? order
    : undefined;
}

/**
 * Returns whether the rows after an id can be found by a search. False if the search already has a
 * condition on the id, because a platform may ignore one of two conditions on a field.
 */
export const isFoundById = ({ where }: Pick<ListQuery, 'where'>, order: Order): boolean =>
  !where.some(({ field }) => field === order.field);

/**
 * Reads a range of a list in the order of ids, starting after an id. Concurrent inserts and deletes
 * then neither hide nor repeat a row. Reads by position if the range has no such id, or the list
 * does not follow ids.
 */
export async function readInIdOrder<T>(key: ListKey, source: IdSource<T>): Promise<ListSlice<T>> {
  const { paging, order } = source;
  if (paging.takesOrder === false) return readRange(key, source);
  try {
    const isNumbered = !isFoundById(key, order) || (key.after === undefined && key.offset > 0);
    const slice = isNumbered || paging.isById === false ? undefined : await readById(key, source);
    const rows = slice ?? (await readByPosition({ ...key, orderBy: [order] }, source));
    if (!slice && !isNumbered) paging.giveUpIds();
    paging.takesOrder = true;
    return rows;
  } catch (error) {
    // The sort order was our choice, not the client's. If the platform rejects it, retry without
    // it.
    if (paging.takesOrder || !isRefusal(error)) throw error;
    const slice = await readRange(key, source);
    paging.takesOrder = false;
    paging.giveUpIds();
    return slice;
  }
}

/**
 * Reads a range by position.
 *
 * @throws {UpstreamError} `malformed` if the page that continues a page has the rows of the first
 *   one: the platform ignores its number.
 */
async function readByPosition<T>(key: ListKey, source: IdSource<T>): Promise<ListSlice<T>> {
  const { operation, idOf } = source;
  const slice = await readRange(key, source);
  const last = slice.rows.at(-1);
  // An insert before the page may shift the row before the range into it.
  if (key.after === undefined || last === undefined || idOf(last) !== key.after) return slice;
  const first = await readRange({ ...key, offset: 0, count: slice.rows.length }, source);
  if (isDeepStrictEqual(first.rows, slice.rows)) throw repeatedPageError(operation);
  return slice;
}

/**
 * Reads the rows after an id, or the first rows. Each page starts after the last row of the
 * previous page, so shortened pages are fine. Returns `undefined` if the list does not follow ids.
 */
async function readById<T>(range: IdRange, source: IdSource<T>): Promise<ListSlice<T> | undefined> {
  const { offset, count, after } = range;
  const { paging } = source;
  const perPage = Math.min(count, paging.largest);
  const query = queryAfter(range, perPage, source);
  const read = await readAfter(range, query, source);
  const page = endsEarly(range, read) ? await readFollowed(read, range, query, source) : read;
  const ids = page && idsAfter(after, page, source);
  if (page === undefined || ids === undefined) return undefined;
  paging.noteLength(perPage, page);
  const slice = { ...toSlice(range, page, perPage, paging), ids };
  const { length } = page.items;
  if (!slice.hasNext || length >= count) return slice;

  const next = {
    offset: offset + length,
    count: count - length,
    after: ids.at(-1),
    total: slice.total,
  };
  const rest = await readById(
    { ...range, ...next, head: after === undefined ? ids.slice(0, 2) : undefined },
    source,
  );
  if (rest?.ids === undefined) return undefined;
  if (rest.rows.length === 0) {
    await checkEnd(range, slice, source);
    return { ...slice, total: rest.total ?? totalOfWhole(range, page), hasNext: false };
  }
  const isCut = length < perPage && length === paging.granted;
  if (isCut) paging.noteCut(length);
  return { ...rest, offset, rows: [...page.items, ...rest.rows], ids: [...ids, ...rest.ids] };
}

/** Returns whether a page after an id has no rows, though rows should follow by the total. */
const endsEarly = (
  { after, offset, total = 0 }: IdRange,
  page: PageRecord<unknown> | undefined,
): page is CountedPage<never> => after !== undefined && total > offset && page?.items.length === 0;

/**
 * Reads a page without rows again if rows do follow: a row may have been added since.
 *
 * @throws {UpstreamError} `malformed` if that page is empty as well.
 */
async function readFollowed<T>(
  page: CountedPage<T>,
  range: IdRange,
  query: ListQuery,
  source: IdSource<T>,
): Promise<CountedPage<T>> {
  const { after = '' } = range;
  const { direction } = source.order;
  const reverse = { ...source.order, direction: DIRECTIONS[direction].reverse };
  const { items } = await source.readList(pageOf({ ...range, orderBy: [reverse] }, 1, 1));
  const [last] = items.map(source.idOf);
  if (last === undefined || !isInOrder([after, last], direction)) return page;
  const again = await readPage(query, source, beforeOf(range));
  if (again.items.length === 0) throw missingRowsError(source.operation);
  return again;
}

/** Reads the page after an id. Returns `undefined` if the list does not follow ids. */
function readAfter<T>(
  range: IdRange,
  query: ListQuery,
  source: IdSource<T>,
): Promise<CountedPage<T> | undefined> {
  const isKnown = range.after === undefined || source.paging.isById;
  return isKnown ? readPage(query, source, beforeOf(range)) : readUnproven(range, query, source);
}

/** Returns the total of the whole list if earlier rows exist. `undefined` if it is unknown. */
const beforeOf = ({ offset, total }: ListRange): number | undefined =>
  offset > 0 ? total : undefined;

/** Creates the slice of a page after an id. It has a total only if the earlier pages had one. */
function toSlice<T>(
  range: IdRange,
  page: CountedPage<T>,
  perPage: number,
  paging: ListPaging,
): ListSlice<T> {
  const { offset, count } = range;
  const { items } = page;
  const expected = range.total === undefined ? undefined : range.total - offset;
  // A page without a total does not change the total of the page before.
  const isStated = page.stated === undefined ? items.length > 0 : page.stated === expected;
  const isExpected = isStated && items.length <= (expected ?? 0);
  const following = isExpected ? expected : page.total;
  const isMore = mayGoOn({ ...page, total: following }, perPage, paging);
  const isCounted = offset === 0 || range.total !== undefined;
  const whole = following !== undefined && isCounted ? offset + following : undefined;
  const total = whole ?? (isMore ? undefined : totalOfWhole(range, page));
  return { offset, rows: items.slice(0, count), total, hasNext: isMore || items.length > count };
}

/** Returns the total of a list with a single page. `undefined` if the platform does not send it. */
const totalOfWhole = ({ offset }: ListRange, page: CountedPage<unknown>) =>
  offset === 0 ? totalAtEnd(page) : undefined;

/** Checks a first page without following rows whose total announces more. */
const checkEnd = <T>(range: IdRange, { total }: ListSlice<T>, source: IdSource<T>): Promise<void> =>
  checkFirstPage(range, range.after === undefined ? total : undefined, source);

/**
 * Checks whether the first page equals the page without a number, after a total that contradicts
 * the rows.
 *
 * @param total the total. Without it nothing is checked.
 * @throws {UpstreamError} `malformed` if that page has other rows, and is the first page in the
 *   other numbering. Different rows alone may come from a change between two reads.
 */
async function checkFirstPage<T>(
  range: IdRange,
  total: number | undefined,
  source: IdSource<T>,
): Promise<void> {
  if (total === undefined) return;
  const { operation, order, paging, idOf, readList } = source;
  const query = pageOf({ ...range, orderBy: [order] }, 1, 2);
  const own = await readList({ ...query, pageNumber: undefined });
  const first = await readList(query);
  const ids = first.items.map(idOf);
  const isOther = own.items.length > 0 && own.items.every((item) => !ids.includes(idOf(item)));
  if (!isOther) return;
  const other = await readList({ ...query, pageNumber: paging.firstPage === 0 ? 2 : 0 });
  if (isDeepStrictEqual(other.items.map(idOf), own.items.map(idOf)))
    throw firstPageError(operation);
}

/**
 * Reads a page after an id, in a list that may be sorted by chance. If the total has changed, it
 * also reads two rows from both ends. A platform that ignores the order returns the same rows
 * twice, which cannot match both orders.
 */
async function readUnproven<T>(range: IdRange, query: ListQuery, source: IdSource<T>) {
  const { offset, total, head } = range;
  const { order, paging, idOf, readList } = source;
  let page: CountedPage<T> | undefined;
  try {
    page = await readPage(query, source, beforeOf(range));
    if (page.stated !== undefined && offset + page.stated === total) return page;
    // The rows before and after the id do not add up to the old total.
    await checkFirstPage(range, page.total === undefined ? undefined : total, source);
  } catch (error) {
    if (!isRefusal(error)) throw error;
  }
  const { reverse } = DIRECTIONS[order.direction];
  // These reads also fail if the refusal has another cause than the id.
  const readEnd = async (direction: Order['direction']) => {
    const end = await readList(pageOf({ ...range, orderBy: [{ ...order, direction }] }, 1, 2));
    return end.items.map(idOf);
  };
  const ends = await Promise.all([
    head ?? readEnd(order.direction),
    head?.length === 1 ? head : readEnd(reverse),
  ]);
  if (!isInOrder(ends[0], order.direction) || !isInOrder(ends[1], reverse)) return undefined;
  if (page && ends.every(({ length }) => length > 1)) paging.isById = true;
  return page;
}

/** Creates the query for the page after an id, or for the first page. */
function queryAfter<T>(
  { where, after }: IdRange,
  perPage: number,
  { order }: IdSource<T>,
): ListQuery {
  const operator = DIRECTIONS[order.direction].following;
  const ofId = after === undefined ? [] : [{ field: order.field, operator, values: [after] }];
  return { where: [...where, ...ofId], orderBy: [order], pageNumber: 1, perPage };
}

/** Returns the ids of the page after an id. `undefined` if they are not in order. */
function idsAfter<T>(after: string | undefined, page: PageRecord<T>, { order, idOf }: IdSource<T>) {
  // An unrecognised item has no id.
  if (page.items.some((item) => item instanceof Error)) return undefined;
  const ids = page.items.map(idOf);
  return isInOrder(after === undefined ? ids : [after, ...ids], order.direction) ? ids : undefined;
}

const isRefusal = (error: unknown): boolean =>
  error instanceof UpstreamError && error.status === 400;

/** Returns whether ids are integers in strict order. */
export function isInOrder(ids: readonly string[], direction: Order['direction']): boolean {
  const isBeyond = (id: string, before: string | undefined) =>
    before === undefined ||
    (direction === 'ASC' ? BigInt(before) < BigInt(id) : BigInt(before) > BigInt(id));
  return ids.every((id, at) => isInt64(id) && isBeyond(id, ids[at - 1]));
}
