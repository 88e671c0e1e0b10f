import { isDeepStrictEqual } from 'node:util';

import { UpstreamError } from '../core/errors.ts';
import type { CountedPage, ListPaging } from '../upstream/list-paging.ts';
import type { PageRecord } from '../upstream/records.ts';
import type { ListQuery } from '../upstream/search.ts';

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
export async function readRange<T>(
  key: ListKey,
  source: PageSource<T>,
  cut?: CountedPage<T>,
): Promise<ListSlice<T>> {
  const { paging } = source;
  const { perPage, numbers } = pagesCovering(key, cut?.items.length ?? paging.max);
  const [first = 1, ...others] = numbers;
  const isKnown = first === 1 && cut?.items.length === perPage;
  const page = isKnown ? cut : await readPage(pageOf(key, first, perPage), source);
  paging.noteLength(perPage, page);
  const shorter = isShort(page, perPage)
    ? await findCut(page, pageOf(key, first, perPage), source)
    : undefined;
  if (first > 1 && isDeepStrictEqual(shorter?.items, page.items)) return narrow(wholeOf(page), key);
  if (shorter) {
    paging.noteCut(shorter.items.length);
    return readRange(key, source, shorter);
  }
  const isWhole = first === 1 && isShort(page, perPage);
  if (isWhole)
    return narrow({ offset: 0, rows: page.items, total: totalAtEnd(page), hasNext: false }, key);
  const { items, total = Number.POSITIVE_INFINITY, hasNext } = page;
  const rest = items.length === perPage && hasNext !== false ? others : [];
  const following = rest.filter((number) => (number - 1) * perPage < total);
  const reading = following.map((number) => readPage(pageOf(key, number, perPage), source));
  const pages = reading.length === 0 ? [] : await Promise.all(reading);
  return narrow(stitch([page, ...pages], (first - 1) * perPage, perPage, source), key);
}

/**
 * Reads a page, with its total only if that counts the whole list.
 *
 * @param before the total of the list without the condition on the id. A page that states the same ignores the condition.
 * @throws {UpstreamError} `malformed` for a first page without rows of a list that has some.
 */
export async function readPage<T>(
  query: ListQuery,
  source: PageSource<T>,
  before?: number,
): Promise<CountedPage<T>> {
  const { operation, paging, readList } = source;
  const page = paging.count(await readList(query), query);
  if (before !== undefined && page.stated === before) return { ...page, total: undefined };
  const isLacking = query.pageNumber === 1 && page.items.length === 0 && (page.total ?? 0) > 0;
  if (!isLacking) return page;

  // The totals of some platforms do not heed conditions. Their own first page, which has no number, is empty as well.
  const own =
    query.where.length > 0
      ? await readList({ ...query, pageNumber: undefined, perPage: 1 })
      : undefined;
  if (own?.items.length !== 0) throw firstPageError(operation);
  return { ...page, total: undefined };
}

/**
 * Checks that an empty list is empty on the page without a number too.
 *
 * @throws {UpstreamError} `malformed` if that page has rows.
 */
export async function checkNoRows({ operation, readList }: PageSource<unknown>): Promise<void> {
  const { items } = await readList({ where: [], orderBy: [], perPage: 1 });
  if (items.length > 0) throw firstPageError(operation);
}

/** The total of a list that ends with its first page; `undefined` if the platform does not state it. */
export const totalAtEnd = ({ items, stated }: CountedPage<unknown>): number | undefined =>
  stated === items.length ? stated : undefined;

interface NumberedQuery extends ListQuery {
  readonly pageNumber: number;
}

export const pageOf = (
  { where, orderBy }: ListKey,
  pageNumber: number,
  perPage: number,
): NumberedQuery => ({
  where,
  orderBy,
  pageNumber,
  perPage,
});

/**
 * Gives the first page where the platform has cut it. A page that is full or empty stands where it should. One that is short may be
 * cut, unless another was as long as requested: what follows the first page tells, and for any other page the first.
 */
async function findCut<T>(page: CountedPage<T>, query: NumberedQuery, source: PageSource<T>) {
  const { paging } = source;
  const { pageNumber, perPage } = query;
  if (pageNumber > 1) {
    if (perPage <= paging.granted && !isFollowed(page, (pageNumber - 1) * perPage))
      return undefined;
    const one = await readPage({ ...query, pageNumber: 1 }, source);
    paging.noteLength(perPage, one);
    return isShort(one, perPage) ? one : undefined;
  }
  if (isFollowed(page, 0)) return page;
  if (!mayGoOn(page, perPage, paging)) return undefined;
  const { items } = await readPage({ ...query, pageNumber: 2, perPage: page.items.length }, source);
  // A list without pages is the same each time.
  return items.length === 0 || isDeepStrictEqual(items, page.items) ? undefined : page;
}

const isShort = ({ items }: PageRecord<unknown>, perPage: number) =>
  items.length > 0 && items.length < perPage;

/**
 * Whether rows may follow a first page: as the platform says; else unless it is shorter than
 * requested, and than another was. A total that ends with a full page may be too small.
 */
export function mayGoOn(page: PageRecord<unknown>, perPage: number, paging: ListPaging): boolean {
  const { length } = page.items;
  const isLong = length > 0 && length >= Math.min(perPage, paging.granted);
  const isOpen = page.total === length && page.hasNext !== false && !paging.isExact;
  return isOpen ? isLong : (isFollowed(page, 0) ?? isLong);
}

/** Whether rows follow a page from `start` on; `undefined` if it is unknown. Some platforms link a next page from each one. */
function isFollowed(
  { items, total, hasNext }: PageRecord<unknown>,
  start: number,
): boolean | undefined {
  if (total !== undefined) return total > start + items.length;
  return items.length === 0 ? false : hasNext;
}

/** A list without pages: each is all of it. */
const wholeOf = <T>({ items }: PageRecord<T>) => ({
  offset: 0,
  rows: items,
  total: items.length,
  hasNext: false,
});

/** Joins neighbouring pages. @throws {UpstreamError} `malformed` where rows are missing between them. */
function stitch<T>(
  pages: readonly PageRecord<T>[],
  start: number,
  perPage: number,
  { operation, paging }: PageSource<T>,
) {
  const [{ items } = { items: [] }, second] = pages;
  const isWhole =
    items.length > perPage || (items.length > 0 && isDeepStrictEqual(items, second?.items));
  const offset = isWhole ? 0 : start;
  const wrong = pages.find(
    (page, at) => page.items.length !== perPage && isFollowed(page, offset + at * perPage),
  );
  if (wrong) throw pageSizeError(wrong.items.length, perPage, operation);
  const isLacking = isWhole && pages.some(({ total = 0 }) => total > items.length);
  if (isLacking) throw firstPageError(operation);
  if (isWhole) return wholeOf({ items });
  const rows = pages.flatMap((page) => page.items);
  const seen = rows.length === 0 ? 0 : offset + rows.length;
  const total = pages.findLast((page) => page.total !== undefined && page.total >= seen)?.total;
  const isMore = mayFollow(pages.at(-1), perPage, paging);
  return {
    offset,
    rows,
    total,
    hasNext: isMore || (total !== undefined && total > offset + rows.length),
  };
}

/** Whether rows may follow a last page: if it is full, and neither a link nor an exact total ends the list. */
function mayFollow(
  page: PageRecord<unknown> | undefined,
  perPage: number,
  paging: ListPaging,
): boolean {
  if (page?.items.length !== perPage) return false;
  return page.hasNext ?? (page.total === undefined || !paging.isExact);
}

/** Gives a range of what was read. */
function narrow<T>(
  { rows, total, ...slice }: ListSlice<T>,
  { offset, count }: ListRange,
): ListSlice<T> {
  const start = offset - slice.offset;
  const end = start + count;
  const shown = rows.slice(start, end);
  // A page without rows has no cursor to go on from.
  const hasNext = shown.length > 0 && (slice.hasNext || rows.length > end);
  return { offset, rows: shown, total, hasNext };
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
  return {
    perPage,
    numbers: Array.from({ length: last - first + 1 }, (_, index) => first + index),
  };
}

function pageSizeError(length: number, perPage: number, operation: string): UpstreamError {
  const rows = `${length} of the ${perPage} rows that a page was asked for came, and the platform has more`;
  return new UpstreamError('malformed', {
    operation,
    advice: `Page sizes do not fit: ${rows}. Set list.maxPageSize in the dialect to the platform’s maximum page size.`,
  });
}

export function firstPageError(operation: string): UpstreamError {
  const advice =
    'The first page lacks rows that the platform has. Set list.firstPage in the dialect to 0 if the platform counts pages ' +
    'from 0, and list.total to the member that counts all rows.';
  return new UpstreamError('malformed', { operation, advice });
}
