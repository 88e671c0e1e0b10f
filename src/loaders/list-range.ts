import { isDeepStrictEqual } from 'node:util';

import { UpstreamError } from '../core/errors.ts';
import type { Dialect } from '../upstream/dialect.ts';
import { isInt64 } from '../upstream/path.ts';
import type { PageRecord } from '../upstream/records.ts';
import { getFormIntances } from '../upstream/resources/instances.ts';
import type { ListPaging, ListQuery, Order } from '../upstream/search.ts';

/** A range of a list. */
export interface ListRange {
  /** The position of its first row, from 0. */
  readonly offset: number;
  readonly count: number;
  /** The id of the row before it, which need not be there any more: what counts in the order of ids. */
  readonly after?: string | undefined;
  /** How many rows the list had then, where the platform said so. */
  readonly total?: number | undefined;
}

/** A range of a searched and ordered list. */
export interface ListKey extends ListRange, Pick<ListQuery, 'where' | 'orderBy'> {}

/** The rows of a range, and what is known of the whole list. */
export interface ListSlice<T> {
  /** The position of the first one. */
  readonly offset: number;
  readonly rows: readonly T[];
  readonly total?: number | undefined;
  readonly hasNext: boolean;
  /** The ids of the rows, where the rows after one are found by its id. */
  readonly ids?: readonly string[];
}

/** How pages are read. */
export interface PageSource<T> {
  /** The operation's name in the interface. */
  readonly operation: string;
  readonly paging: ListPaging;
  readonly readList: (query: ListQuery) => Promise<PageRecord<T>>;
}

/**
 * Reads a range in the fewest pages: one wherever a page size puts the whole range into one page, else the pages covering it. A
 * platform that cuts its pages is read by pages as long as the first one, `cut`; one that gives more rows than requested has none.
 *
 * @throws {UpstreamError} `malformed` where rows follow a page that is neither full nor cut: positions would be wrong.
 */
export async function readRange<T>(key: ListKey, source: PageSource<T>, cut?: PageRecord<T>): Promise<ListSlice<T>> {
  const { paging, readList } = source;
  const { perPage, numbers } = pagesCovering(key, cut?.items.length ?? paging.max);
  const [first = 1, ...others] = numbers;
  const isKnown = first === 1 && cut?.items.length === perPage;
  const page = isKnown ? cut : await readList(pageOf(key, first, perPage));
  paging.noteLength(perPage, page);
  const shorter = isShort(page, perPage) ? await findCut(page, pageOf(key, first, perPage), source) : undefined;
  if (first > 1 && isDeepStrictEqual(shorter?.items, page.items)) return narrow(wholeOf(page), key);
  if (shorter) {
    paging.noteCut(shorter.items.length);
    return readRange(key, source, shorter);
  }
  const { items, total = Number.POSITIVE_INFINITY, hasNext } = page;
  const rest = items.length === perPage && hasNext !== false ? others : [];
  const following = rest.filter((number) => (number - 1) * perPage < total);
  const reading = following.map((number) => readList(pageOf(key, number, perPage)));
  const pages = reading.length === 0 ? [] : await Promise.all(reading);
  return narrow(stitch([page, ...pages], (first - 1) * perPage, perPage, source), key);
}

const pageOf = ({ where, orderBy }: ListKey, pageNumber: number, perPage: number): ListQuery => ({
  where,
  orderBy,
  pageNumber,
  perPage,
});

/**
 * Gives the first page where the platform has cut it. A page that is full or empty stands where it should. One that is short may be
 * cut, unless another was as long as requested: what follows the first page tells, and for any other page the first.
 */
async function findCut<T>(page: PageRecord<T>, query: ListQuery, { paging, readList }: PageSource<T>) {
  const { pageNumber, perPage } = query;
  if (pageNumber > 1) {
    if (perPage <= paging.granted && !isFollowed(page, (pageNumber - 1) * perPage)) return undefined;
    const one = await readList({ ...query, pageNumber: 1 });
    paging.noteLength(perPage, one);
    return isShort(one, perPage) ? one : undefined;
  }
  if (isFollowed(page, 0)) return page;
  if (!mayGoOn(page, perPage, paging)) return undefined;
  const { items } = await readList({ ...query, pageNumber: 2, perPage: page.items.length });
  // A list without pages is the same each time.
  return items.length === 0 || isDeepStrictEqual(items, page.items) ? undefined : page;
}

const isShort = ({ items }: PageRecord<unknown>, perPage: number) => items.length > 0 && items.length < perPage;

/** Whether rows may follow a first page: as the platform says; else unless it is shorter than requested, and than another was. */
const mayGoOn = (page: PageRecord<unknown>, perPage: number, { granted }: ListPaging): boolean =>
  isFollowed(page, 0) ?? page.items.length >= Math.max(1, Math.min(perPage, granted));

/** Whether rows follow a page that starts at `start`; `undefined` where the platform does not say. */
const isFollowed = ({ items, total, hasNext }: PageRecord<unknown>, start: number): boolean | undefined =>
  total === undefined ? hasNext : total > start + items.length;

/** A list without pages: each is all of it. */
const wholeOf = <T>({ items }: PageRecord<T>) => ({ offset: 0, rows: items, total: items.length, hasNext: false });

/** Joins neighbouring pages. @throws {UpstreamError} `malformed` where rows are missing between them. */
function stitch<T>(pages: readonly PageRecord<T>[], start: number, perPage: number, { operation }: PageSource<T>) {
  const [{ items } = { items: [] }, second] = pages;
  const isWhole = items.length > perPage || (items.length > 0 && isDeepStrictEqual(items, second?.items));
  const offset = isWhole ? 0 : start;
  const wrong = pages.find((page, at) => page.items.length !== perPage && isFollowed(page, offset + at * perPage));
  if (wrong) throw pageSizeError(wrong.items.length, perPage, operation);
  if (isWhole) return wholeOf({ items });
  const rows = pages.flatMap((page) => page.items);
  const total = pages.findLast((page) => page.total !== undefined)?.total;
  const last = pages.at(-1);
  const isLinked = last?.hasNext ?? (total === undefined && last?.items.length === perPage);
  return { offset, rows, total, hasNext: isLinked || (total !== undefined && total > offset + rows.length) };
}

/** Gives a range of what was read. */
function narrow<T>({ rows, total, ...slice }: ListSlice<T>, { offset, count }: ListRange): ListSlice<T> {
  const start = offset - slice.offset;
  const end = start + count;
  return { offset, rows: rows.slice(start, end), total, hasNext: slice.hasNext || rows.length > end };
}

/** Gives the page size and the page numbers, from 1, by which a range is read in the fewest calls. */
export function pagesCovering({ offset, count }: ListRange, maxPageSize: number) {
  const end = offset + count;
  for (let perPage = count; perPage <= maxPageSize; perPage++) {
    const page = Math.floor(offset / perPage) + 1;
    if (page * perPage >= end) return { perPage, numbers: [page] };
  }
  const perPage = Math.min(count, maxPageSize);
  const first = Math.floor(offset / perPage) + 1;
  const last = Math.ceil(end / perPage);
  return { perPage, numbers: Array.from({ length: last - first + 1 }, (_, index) => first + index) };
}

interface IdRange extends ListKey {
  /** The first two ids of the list, or its only one, where they came just now. */
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
 * Gives the order of ids in which a list of instances is read; `undefined` where it has another order, where the platform lacks what
 * it takes, or where a condition names the id: of two conditions on one field a platform may see one.
 */
export function idOrderOf(
  operation: string,
  { where, orderBy }: Pick<ListQuery, 'where' | 'orderBy'>,
  { list, search }: Dialect,
) {
  const field = search.instanceId;
  const [order = { field, direction: 'ASC' }]: readonly Order[] = orderBy;
  if (operation !== getFormIntances.name || order.field !== field) return undefined;
  if (where.some((criterion) => criterion.field === field)) return undefined;
  const isAsked = list.isSorted && list.isPagedById !== false;
  return isAsked && search.operators[DIRECTIONS[order.direction].following] !== null ? order : undefined;
}

/**
 * Reads a range of a list in the order of ids, by the id before it: whatever others insert or delete meanwhile, no row that is there
 * throughout is left out, and none comes twice. By position where there is no such id, and where the list does not follow ids.
 */
export async function readInIdOrder<T>(key: ListKey, source: IdSource<T>): Promise<ListSlice<T>> {
  const { paging, order } = source;
  if (paging.takesOrder === false) return readRange(key, source);
  try {
    const isNumbered = key.after === undefined && key.offset > 0;
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
 * Reads the rows after an id, or the first ones, each page after the last row of the one before it: one that the platform cuts is a
 * page all the same. `undefined` where the list does not follow ids.
 */
async function readById<T>(range: IdRange, source: IdSource<T>): Promise<ListSlice<T> | undefined> {
  const { offset, count, after } = range;
  const { paging, readList } = source;
  const perPage = Math.min(count, paging.largest);
  const query = queryAfter(range, perPage, source);
  const isKnown = after === undefined || paging.isById;
  const page = await (isKnown ? readList(query) : readUnproven(range, query, source));
  if (page === undefined) return undefined;
  const ids = idsAfter(after, page, source);
  if (ids === undefined) return undefined;
  const { items, total } = page;
  paging.noteLength(perPage, page);
  const isMore = mayGoOn(page, perPage, paging);
  const whole = total === undefined ? undefined : offset + total;
  if (!isMore || items.length >= count) {
    return { offset, rows: items.slice(0, count), ids, total: whole, hasNext: isMore || items.length > count };
  }
  const next = { offset: offset + items.length, count: count - items.length, after: ids.at(-1), total: whole };
  const slice = await readById({ ...range, ...next, head: after === undefined ? ids.slice(0, 2) : undefined }, source);
  if (slice?.ids === undefined) return undefined;
  const isCut = items.length < perPage && items.length === paging.granted && slice.rows.length > 0;
  if (isCut) paging.noteCut(items.length);
  return { ...slice, offset, rows: [...items, ...slice.rows], ids: [...ids, ...slice.ids] };
}

/**
 * Reads a page after an id of a list that is not known to follow ids: it may be in order by chance. Where not as many rows follow
 * as did, both ends are read, two rows of each: a platform that ignores the order gives the same twice, which cannot be in both.
 */
async function readUnproven<T>(range: IdRange, query: ListQuery, source: IdSource<T>) {
  const { offset, total, head } = range;
  const { order, paging, idOf, readList } = source;
  let page: PageRecord<T> | undefined;
  try {
    page = await readList(query);
    if (page.total !== undefined && offset + page.total === total) return page;
  } catch (error) {
    if (!isRefusal(error)) throw error;
  }
  const { reverse } = DIRECTIONS[order.direction];
  // They are refused as well where it is not for the id.
  const readEnd = async (direction: Order['direction']) => {
    const end = await readList(pageOf({ ...range, orderBy: [{ ...order, direction }] }, 1, 2));
    return end.items.map(idOf);
  };
  const ends = await Promise.all([head ?? readEnd(order.direction), head?.length === 1 ? head : readEnd(reverse)]);
  if (!isInOrder(ends[0], order.direction) || !isInOrder(ends[1], reverse)) return undefined;
  if (page && ends.every(({ length }) => length > 1)) paging.isById = true;
  return page;
}

/** Makes the query of the page after an id, or of the first one. */
function queryAfter<T>({ where, after }: IdRange, perPage: number, { order }: IdSource<T>): ListQuery {
  const operator = DIRECTIONS[order.direction].following;
  const ofId = after === undefined ? [] : [{ field: order.field, operator, values: [after] }];
  return { where: [...where, ...ofId], orderBy: [order], pageNumber: 1, perPage };
}

/** Gives the ids of the page after an id; `undefined` where they are not in order after it. @throws {UpstreamError} for no rows. */
function idsAfter<T>(after: string | undefined, page: PageRecord<T>, { operation, order, paging, idOf }: IdSource<T>) {
  if (page.items.length === 0 && isFollowed(page, 0)) throw pageSizeError(0, paging.largest, operation);
  const ids = page.items.map(idOf);
  return isInOrder(after === undefined ? ids : [after, ...ids], order.direction) ? ids : undefined;
}

const isRefusal = (error: unknown): boolean => error instanceof UpstreamError && error.status === 400;

/** Whether ids are integers, each beyond the one before it. */
function isInOrder(ids: readonly string[], direction: Order['direction']): boolean {
  const isBeyond = (id: string, before: string | undefined) =>
    before === undefined || (direction === 'ASC' ? BigInt(before) < BigInt(id) : BigInt(before) > BigInt(id));
  return ids.every((id, at) => isInt64(id) && isBeyond(id, ids[at - 1]));
}

function pageSizeError(length: number, perPage: number, operation: string): UpstreamError {
  const rows = `${length} of the ${perPage} rows that a page was asked for came, and the platform has more`;
  return new UpstreamError('malformed', {
    operation,
    advice: `Page sizes do not fit: ${rows}. Set list.maxPageSize in the dialect to the platform’s maximum page size.`,
  });
}
