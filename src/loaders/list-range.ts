import { isDeepStrictEqual } from 'node:util';

import { UpstreamError } from '../core/errors.ts';
import { type CountedPage, endOf, type ListPaging } from '../upstream/list-paging.ts';
import type { PageRecord } from '../upstream/records.ts';
import type { ListQuery } from '../upstream/search.ts';

/** A range of a list. */
export interface ListRange {
  /** The position of its first row, from 0. */
  readonly offset: number;
  readonly count: number;
  /** The id of the row before the range. The row may no longer exist. Used in the order of ids. */
  readonly after?: string | undefined;
  /** The total when that row was read, if the platform sent it. */
  readonly total?: number | undefined;
}

/** A range of a searched and ordered list. */
export interface ListKey extends ListRange, Pick<ListQuery, 'where' | 'orderBy'> {}

/** The rows of a range, and the total of the list. */
export interface ListSlice<T> {
  /** The position of the first row. */
  readonly offset: number;
  readonly rows: readonly T[];
  readonly total?: number | undefined;
  readonly hasNext: boolean;
  /** The ids of the rows, if later rows are found by id. */
  readonly ids?: readonly string[];
}

/** Reads the pages of a list. */
export interface PageSource<T> {
  /** The operation's name in the interface. */
  readonly operation: string;
  readonly paging: ListPaging;
  readonly readList: (query: ListQuery) => Promise<PageRecord<T>>;
}

/**
 * Reads a range with the fewest calls: one page if a page size covers the whole range, otherwise
 * several pages. If the platform shortens its pages, it reads pages with the length of the first
 * one, `cut`. If it sends more rows than requested, the list has no pages.
 *
 * @throws {UpstreamError} `malformed` if rows follow a page that is neither full nor shortened.
 *   Positions would then be wrong.
 */
export async function readRange<T>(
  key: ListKey,
  source: PageSource<T>,
  cut?: CountedPage<T>,
): Promise<ListSlice<T>> {
  const { paging } = source;
  const { perPage, numbers } = pagesCovering(key, cut?.items.length ?? paging.max);
  const [first = 1, ...others] = numbers;
  const firstQuery = pageOf(key, first, perPage);
  const known = first === 1 ? cut : undefined;
  const page = known?.items.length === perPage ? known : await readPage(firstQuery, source);
  paging.noteLength(perPage, page);

  if (isShort(page, perPage)) {
    const shortened = await findCut(page, firstQuery, source);
    const isEveryPage = first > 1 && isDeepStrictEqual(shortened?.items, page.items);
    if (isEveryPage) return narrow(wholeOf(page), key);
    if (shortened) {
      paging.noteCut(shortened.items.length);
      return readRange(key, source, shortened);
    }
  }
  if (lacksRows(page, firstQuery, key.total)) await checkEnd(page, firstQuery, source);
  if (isOnlyPage(page, firstQuery)) {
    const slice = { offset: 0, rows: page.items, total: totalAtEnd(page), hasNext: false };
    return narrow(slice, key);
  }

  const queries = others.map((number) => pageOf(key, number, perPage));
  const reading = readFollowing(page, queries, source);
  const pages = reading.length === 0 ? [page] : await joinPages(page, reading, firstQuery, source);
  return narrow(stitch(pages, (first - 1) * perPage, perPage, source), key);
}

/**
 * Returns whether a page without a total ends the list, though the page before it announced more
 * rows.
 *
 * @param total the total of the page before.
 */
function lacksRows(
  page: CountedPage<unknown>,
  query: NumberedQuery,
  total: number | undefined,
): boolean {
  const isEnd = page.items.length < query.perPage && !page.stated;
  return isEnd && total !== undefined && total > endOf(page, query);
}

/**
 * Checks that a list which lacks rows has become shorter, which its first page shows.
 *
 * @throws {UpstreamError} `malformed` if the list still has more rows.
 */
async function checkEnd<T>(
  page: CountedPage<T>,
  query: NumberedQuery,
  source: PageSource<T>,
): Promise<void> {
  const { stated, total = Infinity } = await readPage({ ...query, pageNumber: 1 }, source);
  if ((stated ?? total) > endOf(page, query)) throw missingRowsError(source.operation);
}

/** Returns whether a page is a whole list. */
const isOnlyPage = (page: CountedPage<unknown>, { pageNumber, perPage }: NumberedQuery): boolean =>
  pageNumber === 1 && isShort(page, perPage);

/** Returns a page with the pages after it. @throws {UpstreamError} `malformed` if they do not fit. */
async function joinPages<T>(
  page: CountedPage<T>,
  reading: readonly Promise<CountedPage<T>>[],
  query: NumberedQuery,
  source: PageSource<T>,
): Promise<readonly CountedPage<T>[]> {
  const pages = [page, ...(await Promise.all(reading))];
  await checkPages(pages, query, source);
  return pages;
}

/** Checks that adjacent pages neither repeat a page nor end before the list. */
function checkPages<T>(
  pages: readonly CountedPage<T>[],
  firstQuery: NumberedQuery,
  source: PageSource<T>,
): Promise<void> | undefined {
  if (areRepeated(pages, firstQuery.perPage)) return checkRepeated(firstQuery, source);
  for (const [at, page] of pages.entries()) {
    const query = { ...firstQuery, pageNumber: firstQuery.pageNumber + at };
    if (at > 0 && lacksRows(page, query, pages[at - 1]?.total))
      return checkEnd(page, query, source);
  }
  return undefined;
}

/** Returns whether a full page has the same rows as the page after it. */
const areRepeated = (pages: readonly PageRecord<unknown>[], perPage: number): boolean =>
  // A list of one row is the same with pages of one row.
  perPage > 1 &&
  pages.some(
    ({ items }, at) => items.length === perPage && isDeepStrictEqual(items, pages[at + 1]?.items),
  );

/**
 * Checks that a list with equal pages is a list without pages, which ignores the page size as well.
 *
 * @throws {UpstreamError} `malformed` if the platform ignores the page number alone.
 */
async function checkRepeated<T>(
  query: NumberedQuery,
  { operation, readList }: PageSource<T>,
): Promise<void> {
  const { items } = await readList({ ...query, pageNumber: 1, perPage: 1 });
  if (items.length <= 1) throw repeatedPageError(operation);
}

/** Reads the requested pages after a page, without those that begin after the end of the list. */
function readFollowing<T>(
  { items, total = Number.POSITIVE_INFINITY, hasNext }: CountedPage<T>,
  queries: readonly NumberedQuery[],
  source: PageSource<T>,
): readonly Promise<CountedPage<T>>[] {
  if (hasNext === false) return [];
  const existing = queries.filter(({ pageNumber, perPage }) => {
    const isFull = items.length === perPage;
    return isFull && (pageNumber - 1) * perPage < total;
  });
  return existing.map((query) => readPage(query, source));
}

/**
 * Reads a page. Its total is kept only if it is of the whole list.
 *
 * @param before the total of the list without the condition on the id. A page with the same total
 *   ignores the condition.
 * @throws {UpstreamError} `malformed` for an empty first page of a list with rows.
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

  // On some platforms the total ignores conditions. Then the page without a number is empty as
  // well.
  if (query.where.length === 0) throw firstPageError(operation);
  const { items } = await readList({ ...query, pageNumber: undefined, perPage: 1 });
  if (items.length > 0) throw firstPageError(operation);
  return { ...page, total: undefined };
}

/**
 * Checks that the page without a number is also empty.
 *
 * @throws {UpstreamError} `malformed` if that page has rows.
 */
export async function checkNoRows({ operation, readList }: PageSource<unknown>): Promise<void> {
  const { items } = await readList({ where: [], orderBy: [], perPage: 1 });
  if (items.length > 0) throw firstPageError(operation);
}

/**
 * Returns the total of a list that ends with its first page. `undefined` if the platform does not
 * send it.
 */
export const totalAtEnd = ({ items, stated }: CountedPage<unknown>): number | undefined =>
  stated === items.length ? stated : undefined;

interface NumberedQuery extends ListQuery {
  readonly pageNumber: number;
}

export const pageOf = (
  { where, orderBy }: ListKey,
  pageNumber: number,
  perPage: number,
): NumberedQuery => ({ where, orderBy, pageNumber, perPage });

/**
 * Returns the first page if the platform has shortened it. A full or empty page is at the right
 * position. A short page may be shortened, unless another page was as long as requested. For the
 * first page the following rows decide. For other pages the first page decides.
 */
async function findCut<T>(page: CountedPage<T>, query: NumberedQuery, source: PageSource<T>) {
  const { paging } = source;
  const { pageNumber, perPage } = query;
  if (pageNumber > 1) {
    const isGranted = perPage <= paging.granted;
    if (isGranted && !isFollowed(page, (pageNumber - 1) * perPage)) return undefined;
    const firstPage = await readPage({ ...query, pageNumber: 1 }, source);
    paging.noteLength(perPage, firstPage);
    return isShort(firstPage, perPage) ? firstPage : undefined;
  }

  if (isFollowed(page, 0)) return page;
  if (!mayGoOn(page, perPage, paging)) return undefined;
  const { items } = await readPage({ ...query, pageNumber: 2, perPage: page.items.length }, source);
  if (items.length === 0) return undefined;
  // A list without pages returns the same rows each time.
  return isDeepStrictEqual(items, page.items) ? undefined : page;
}

const isShort = ({ items }: PageRecord<unknown>, perPage: number) =>
  items.length > 0 && items.length < perPage;

/**
 * Returns whether rows may follow a first page. The platform's total or link decides. Without them,
 * a page that is shorter than requested and than earlier pages is the last. A total at the end of a
 * full page may be too small.
 */
export function mayGoOn(page: PageRecord<unknown>, perPage: number, paging: ListPaging): boolean {
  const { length } = page.items;
  const isLong = length > 0 && length >= Math.min(perPage, paging.granted);
  const isDoubtful = page.total === length && page.hasNext !== false && !paging.isExact;
  if (isDoubtful) return isLong;
  return isFollowed(page, 0) ?? isLong;
}

/**
 * Returns whether rows follow a page that starts at `start`. `undefined` if unknown. Some platforms
 * send a next link on every page.
 */
function isFollowed(
  { items, total, hasNext }: PageRecord<unknown>,
  start: number,
): boolean | undefined {
  if (total !== undefined) return total > start + items.length;
  if (items.length === 0) return false;
  return hasNext;
}

/** Returns the slice of a list without pages: each page is the whole list. */
const wholeOf = <T>({ items }: PageRecord<T>) => ({
  offset: 0,
  rows: items,
  total: items.length,
  hasNext: false,
});

/** Joins adjacent pages. @throws {UpstreamError} `malformed` if rows are missing between them. */
function stitch<T>(
  pages: readonly PageRecord<T>[],
  start: number,
  perPage: number,
  { operation, paging }: PageSource<T>,
) {
  const [{ items } = { items: [] }, second] = pages;
  const isRepeated = items.length > 0 && isDeepStrictEqual(items, second?.items);
  const isWhole = isRepeated || items.length > perPage;
  const offset = isWhole ? 0 : start;
  const wrong = pages.find(
    (page, at) => page.items.length !== perPage && isFollowed(page, offset + at * perPage),
  );
  if (wrong) throw pageSizeError(wrong.items.length, perPage, operation);
  if (isWhole) {
    const isLacking = pages.some(({ total = 0 }) => total > items.length);
    if (isLacking) throw firstPageError(operation);
    return wholeOf({ items });
  }

  const rows = pages.flatMap((page) => page.items);
  const end = offset + rows.length;
  // An empty page may be beyond the end, so its position does not bound the total.
  const seen = rows.length === 0 ? 0 : end;
  const total = pages.findLast((page) => page.total !== undefined && page.total >= seen)?.total;
  const hasNext = mayFollow(pages.at(-1), perPage, paging) || (total !== undefined && total > end);
  return { offset, rows, total, hasNext };
}

/**
 * Returns whether rows may follow a last page: it is full, and neither a link nor an exact total
 * ends the list.
 */
function mayFollow(
  page: PageRecord<unknown> | undefined,
  perPage: number,
  paging: ListPaging,
): boolean {
  if (page?.items.length !== perPage) return false;
  if (page.hasNext !== undefined) return page.hasNext;
  return page.total === undefined || !paging.isExact;
}

/** Cuts a slice to the requested range. */
function narrow<T>(
  { rows, total, ...slice }: ListSlice<T>,
  { offset, count }: ListRange,
): ListSlice<T> {
  const start = offset - slice.offset;
  const end = start + count;
  const shown = rows.slice(start, end);
  // An empty page has no cursor for the next one.
  const hasNext = shown.length > 0 && (slice.hasNext || rows.length > end);
  return { offset, rows: shown, total, hasNext };
}

/** Returns the page size and the page numbers (from 1) that cover a range with the fewest calls. */
export function pagesCovering({ offset, count }: ListRange, maxPageSize: number) {
  const end = offset + count;
  for (let perPage = count; perPage <= maxPageSize; perPage++) {
    const page = Math.floor(offset / perPage) + 1;
    if (page * perPage >= end) return { perPage, numbers: [page] };
  }
  const perPage = Math.min(count, maxPageSize);
  const first = Math.floor(offset / perPage) + 1;
  const last = Math.ceil(end / perPage);
  const numbers = Array.from({ length: last - first + 1 }, (_, index) => first + index);
  return { perPage, numbers };
}

function pageSizeError(length: number, perPage: number, operation: string): UpstreamError {
  const rows = `${length} of the ${perPage} rows that a page was asked for came, and the platform has more`;
  return new UpstreamError('malformed', {
    operation,
    advice: `Page sizes do not fit: ${rows}. Set list.maxPageSize in the dialect to the platform’s maximum page size.`,
  });
}

/** Creates the error for a list that ends before its total. */
export function missingRowsError(operation: string): UpstreamError {
  const advice =
    'A page lacks rows that the platform has by its total. Set list.total in the dialect to the ' +
    'member that counts all rows.';
  return new UpstreamError('malformed', { operation, advice });
}

/** Creates the error for two pages with the same rows. */
export function repeatedPageError(operation: string): UpstreamError {
  const advice =
    'Two pages of a list have the same rows: the platform ignores page-number. ' +
    'An adapter can read its pages in another way.';
  return new UpstreamError('malformed', { operation, advice });
}

export function firstPageError(operation: string): UpstreamError {
  const advice =
    'The first page lacks rows that the platform has. Set list.firstPage in the dialect to 0 if the platform counts pages ' +
    'from 0, and list.total to the member that counts all rows.';
  return new UpstreamError('malformed', { operation, advice });
}
