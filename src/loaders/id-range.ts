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
  type PageSource,
  pageOf,
  readPage,
  readRange,
  totalAtEnd,
} from './list-range.ts';

interface IdRange extends ListKey {
  /** The first two ids of the list, or its only one, if this read has them already. */
  readonly head?: readonly string[] | undefined;
}

/** How a list is read in the order of ids, which its key may leave out. */
export interface IdSource<T> extends PageSource<T> {
  readonly order: Order;
  readonly idOf: (record: T) => string;
}

/** The operator for what follows in an order, and the direction in which the last row comes first. */
const DIRECTIONS = {
  ASC: { following: 'GT', reverse: 'DESC' },
  DESC: { following: 'LT', reverse: 'ASC' },
} as const;

/**
 * Returns the order of ids in which a list of instances is read; `undefined` where it has another order, or where the
 * platform lacks what it takes.
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
 * Whether the rows of a list in the order of ids are found by the id before them. A condition on the
 * id rules it out: of two conditions on one field a platform may see one.
 */
export const isFoundById = ({ where }: Pick<ListQuery, 'where'>, order: Order): boolean =>
  !where.some(({ field }) => field === order.field);

/**
 * Reads a range of a list in the order of ids, after the id before it. Rows that others insert or delete meanwhile neither
 * hide nor repeat a row. A range without such an id, and a list that does not follow ids, are read by position.
 */
export async function readInIdOrder<T>(key: ListKey, source: IdSource<T>): Promise<ListSlice<T>> {
  const { paging, order } = source;
  if (paging.takesOrder === false) return readRange(key, source);
  try {
    const isNumbered = !isFoundById(key, order) || (key.after === undefined && key.offset > 0);
    const slice = isNumbered || paging.isById === false ? undefined : await readById(key, source);
    if (!slice && !isNumbered) paging.giveUpIds();
    const rows = slice ?? (await readRange({ ...key, orderBy: [order] }, source));
    paging.takesOrder = true;
    return rows;
  } catch (error) {
    // No client asked for the order that the platform may refuse.
    if (paging.takesOrder || !isRefusal(error)) throw error;
    const slice = await readRange(key, source);
    paging.takesOrder = false;
    paging.giveUpIds();
    return slice;
  }
}

/**
 * Reads the rows after an id, or the first rows. Each page starts after the last row of the page before it, so that pages
 * may be cut. Returns `undefined` if the list does not follow ids.
 */
async function readById<T>(range: IdRange, source: IdSource<T>): Promise<ListSlice<T> | undefined> {
  const { offset, count, after } = range;
  const { paging } = source;
  const perPage = Math.min(count, paging.largest);
  const query = queryAfter(range, perPage, source);
  const page = await readAfter(range, query, source);
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

/** Reads the page after an id; `undefined` where the list does not follow ids. */
function readAfter<T>(
  range: IdRange,
  query: ListQuery,
  source: IdSource<T>,
): Promise<CountedPage<T> | undefined> {
  const isKnown = range.after === undefined || source.paging.isById;
  return isKnown ? readPage(query, source, beforeOf(range)) : readUnproven(range, query, source);
}

/** The total of the whole list, for a range that has rows before it; `undefined` if it is unknown. */
const beforeOf = ({ offset, total }: ListRange): number | undefined =>
  offset > 0 ? total : undefined;

/** Creates a slice of the page after an id. It has a total only if the pages before it had one. */
function toSlice<T>(
  range: IdRange,
  page: CountedPage<T>,
  perPage: number,
  paging: ListPaging,
): ListSlice<T> {
  const { offset, count } = range;
  const { items } = page;
  const expected = range.total === undefined ? undefined : range.total - offset;
  const isExpected = expected === page.stated && items.length <= (expected ?? 0);
  const following = isExpected ? expected : page.total;
  const isMore = mayGoOn({ ...page, total: following }, perPage, paging);
  const isCounted = offset === 0 || range.total !== undefined;
  const whole = following !== undefined && isCounted ? offset + following : undefined;
  const total = whole ?? (isMore ? undefined : totalOfWhole(range, page));
  return { offset, rows: items.slice(0, count), total, hasNext: isMore || items.length > count };
}

/** The total of a list whose only page this is; `undefined` if the platform does not state it. */
const totalOfWhole = ({ offset }: ListRange, page: CountedPage<unknown>) =>
  offset === 0 ? totalAtEnd(page) : undefined;

/** Checks a first page that is followed by no row, although its total announces some. */
const checkEnd = <T>(range: IdRange, { total }: ListSlice<T>, source: IdSource<T>): Promise<void> =>
  checkFirstPage(range, range.after === undefined ? total : undefined, source);

/**
 * Checks, after a total that contradicts the rows, that the first page is also the page that comes without a number.
 *
 * @param total the total; without one there is nothing to check.
 * @throws {UpstreamError} `malformed` if that page has other rows, and is the first one when pages are counted the other
 *   way. Other rows alone may come from a change between two reads.
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
 * Reads a page after an id of a list that may be in order by chance. If the total has changed, it reads two rows of both
 * ends as well: a platform that ignores the order sends the same rows twice, which cannot be in both orders.
 */
async function readUnproven<T>(range: IdRange, query: ListQuery, source: IdSource<T>) {
  const { offset, total, head } = range;
  const { order, paging, idOf, readList } = source;
  let page: CountedPage<T> | undefined;
  try {
    page = await readPage(query, source, beforeOf(range));
    if (page.stated !== undefined && offset + page.stated === total) return page;
    // The rows before and after the id are more or fewer than all were.
    await checkFirstPage(range, page.total === undefined ? undefined : total, source);
  } catch (error) {
    if (!isRefusal(error)) throw error;
  }
  const { reverse } = DIRECTIONS[order.direction];
  // They are refused as well where it is not for the id.
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

/** Creates the query of the page after an id, or of the first page. */
function queryAfter<T>(
  { where, after }: IdRange,
  perPage: number,
  { order }: IdSource<T>,
): ListQuery {
  const operator = DIRECTIONS[order.direction].following;
  const ofId = after === undefined ? [] : [{ field: order.field, operator, values: [after] }];
  return { where: [...where, ...ofId], orderBy: [order], pageNumber: 1, perPage };
}

/** Returns the ids of the page after an id; `undefined` if they are not in order after it. */
function idsAfter<T>(after: string | undefined, page: PageRecord<T>, { order, idOf }: IdSource<T>) {
  // An entry that cannot be recognised has no id.
  if (page.items.some((item) => item instanceof Error)) return undefined;
  const ids = page.items.map(idOf);
  return isInOrder(after === undefined ? ids : [after, ...ids], order.direction) ? ids : undefined;
}

const isRefusal = (error: unknown): boolean =>
  error instanceof UpstreamError && error.status === 400;

/** Whether ids are integers, each beyond the one before it. */
export function isInOrder(ids: readonly string[], direction: Order['direction']): boolean {
  const isBeyond = (id: string, before: string | undefined) =>
    before === undefined ||
    (direction === 'ASC' ? BigInt(before) < BigInt(id) : BigInt(before) > BigInt(id));
  return ids.every((id, at) => isInt64(id) && isBeyond(id, ids[at - 1]));
}
