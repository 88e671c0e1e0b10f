import { isDeepStrictEqual } from 'node:util';

import { UpstreamError } from '../core/errors.ts';
import type { PageSizes } from '../upstream/index.ts';
import type { ListQuery } from '../upstream/operations.ts';
import type { PageRecord } from '../upstream/records.ts';

/** A range of a list, by position. */
export interface OffsetRange {
  /** From 0. */
  readonly offset: number;
  readonly count: number;
  /** How many rows the whole list is believed to have; absent where nothing is known. */
  readonly total?: number | undefined;
}

/** The rows of a range, and what is known of the whole list. */
export interface ListSlice<T> {
  /** The position of the first one. */
  readonly offset: number;
  readonly rows: readonly T[];
  readonly total?: number | undefined;
  readonly hasNext: boolean;
  /** Whether it may begin too early, with rows that a reader has seen. */
  readonly isGuessed?: boolean;
}

/** How pages are read. */
export interface PageSource<T> {
  /** The operation's name in the interface. */
  readonly operation: string;
  readonly pageSizes: PageSizes;
  /** One for all lists of a GraphQL operation. */
  readonly probe: PageProbe;
  /** Reads one page; `pageNumber` counts from 1. */
  readonly readPage: (page: Pick<ListQuery, 'pageNumber' | 'perPage'>) => Promise<PageRecord<T>>;
  readonly idOf: (record: T) => string;
  /** Takes calls that the operation was not admitted with; `false` where it has no room for them. */
  readonly spare: { takeSpareCalls(calls: number): boolean };
}

/** The call by which an operation looks what follows a short page; its other lists wait, as they may learn from it. */
export interface PageProbe {
  current?: Promise<unknown> | undefined;
}

/**
 * Reads a range in the fewest pages: one wherever a page size up to the largest puts the whole range into one page,
 * else the pages covering it, stitched. A platform that gives fewer rows on a page than were asked for is read by pages of
 * that length; where it does not say that rows follow, the next page is looked at.
 *
 * @throws {UpstreamError} `malformed` when pages of that length are short as well, or longer than requested although more
 *   follow: positions would be wrong.
 */
export const readRange = <T>(range: OffsetRange, source: PageSource<T>): Promise<ListSlice<T>> =>
  readRows(range, source).then((slice) => narrow(slice, range));

/** Reads the pages of a range, and gives all of their rows. @throws {UpstreamError} as `readRange` does. */
export async function readRows<T>(range: OffsetRange, source: PageSource<T>): Promise<ListSlice<T>> {
  const { operation, pageSizes, readPage } = source;
  const pages = await readPages(range, pageSizes.max(operation), readPage);
  for (const { items } of pages.read) pageSizes.saw(operation, items.length);
  const whole = wholeOf(pages);
  if (whole !== undefined) return unpaged(whole, pages, operation);
  const found = findShortPage(pages) ?? probeForShortPage(pages, source);
  const short = found instanceof Promise ? await found : found;
  if (short === undefined) return stitch(pages);

  const { length } = short.page.items;
  if (length === 0) throw pageSizeError(short.page, pages.perPage, operation);
  // What came as the first page is the first one of that length as well.
  const again = await readPages(range, length, async (page) =>
    short.number === 1 && page.pageNumber === 1 && page.perPage === length ? short.page : readPage(page),
  );
  const shortAgain = findShortPage(again);
  if (shortAgain !== undefined) throw pageSizeError(shortAgain.page, again.perPage, operation);
  pageSizes.settle(operation, length, true);
  return stitch(again);
}

/** Neighbouring pages of one size. */
interface Pages<T> {
  readonly perPage: number;
  /** The number of the first one, from 1. */
  readonly first: number;
  readonly read: readonly PageRecord<T>[];
}

/** Reads the first page and those that are known to have rows at once, and the others if these came full. */
async function readPages<T>(range: OffsetRange, max: number, readPage: PageSource<T>['readPage']): Promise<Pages<T>> {
  const { perPage, numbers } = pagesCovering(range, max);
  const [first = 1, ...others] = numbers;
  const isIn = (total: number) => (number: number) => (number - 1) * perPage < total;
  const readOne = (pageNumber: number) => readPage({ pageNumber, perPage });
  const known = others.filter(isIn(range.total ?? 0));
  const read = known.length === 0 ? [await readOne(first)] : await Promise.all([first, ...known].map(readOne));
  const { items, total = Number.POSITIVE_INFINITY, hasNext = true } = read.at(-1) ?? { items: [] };
  const rest = hasNext && items.length === perPage ? others.slice(known.length).filter(isIn(total)) : [];
  if (rest.length > 0) read.push(...(await Promise.all(rest.map(readOne))));
  return { perPage, first, read };
}

interface ShortPage<T> {
  readonly number: number;
  readonly page: PageRecord<T>;
}

/** Finds a page that is shorter than requested although rows follow. */
function findShortPage<T>({ perPage, first, read }: Pages<T>): ShortPage<T> | undefined {
  const index = read.findIndex(
    (page, at) =>
      page.items.length < perPage &&
      ((read[at + 1]?.items.length ?? 0) > 0 || hasRowsAfter(page, (first - 1 + at) * perPage)),
  );
  const page = read[index];
  return page && { number: first + index, page };
}

/**
 * Looks whether the last page with rows was cut, where it is short and the platform does not say: by what follows the first
 * page, and for any other by the page before it, which is full unless pages are cut. A `next` link, or its absence, does not say
 * which rows a later page holds.
 */
function probeForShortPage<T>(pages: Pages<T>, source: PageSource<T>): Promise<ShortPage<T> | undefined> | undefined {
  const { perPage, first, read } = pages;
  const { operation, pageSizes } = source;
  const at = read.findLastIndex(({ items }) => items.length > 0);
  const page = read[at];
  if (page === undefined) return undefined;
  const { total, hasNext, items } = page;
  const number = first + at;
  const end = (number - 1) * perPage + items.length;
  const isTold = total === undefined ? hasNext !== undefined && number === 1 : end <= total;
  if (isTold || items.length >= perPage) return undefined;

  if (!pageSizes.isInDoubt(operation, items.length)) return undefined;
  return probeUnlessKnown({ number, page }, perPage, source);
}

/** Waits for what another list looks for, which may tell. */
async function probeUnlessKnown<T>(short: ShortPage<T>, perPage: number, source: PageSource<T>) {
  const { operation, pageSizes, probe } = source;
  await probe.current?.catch(() => undefined);
  if (!pageSizes.isInDoubt(operation, short.page.items.length)) return undefined;
  const probing = probeBeside(short, perPage, source);
  probe.current = probing;
  return probing;
}

async function probeBeside<T>(short: ShortPage<T>, perPage: number, { operation, pageSizes, readPage }: PageSource<T>) {
  const { number, page } = short;
  const { length } = page.items;
  if (number > 1) {
    const before = await readPage({ pageNumber: number - 1, perPage });
    pageSizes.saw(operation, before.items.length);
    return findShortPage({ perPage, first: number - 1, read: [before, page] });
  }
  const next = await readPage({ pageNumber: 2, perPage: length });
  const isShort = next.items.length > 0 && wholeOf({ perPage: length, read: [page, next] }) === undefined;
  pageSizes.settle(operation, length, isShort);
  return isShort ? short : undefined;
}

/** Gives the page size and the page numbers, from 1, by which a range is read in the fewest calls. */
export function pagesCovering({ offset, count }: OffsetRange, maxPageSize: number) {
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

/**
 * Gives the page that is all of a list which the upstream does not page: one with more rows than requested, or with the same
 * rows as the next.
 */
function wholeOf<T>({ perPage, read }: Pick<Pages<T>, 'perPage' | 'read'>): PageRecord<T> | undefined {
  const [first, second] = read;
  const isRepeated = second !== undefined && second.items.length > 0 && isDeepStrictEqual(first?.items, second.items);
  return read.find(({ items }) => items.length > perPage) ?? (isRepeated ? first : undefined);
}

/** @throws {UpstreamError} where the upstream says that rows follow. */
function unpaged<T>(whole: PageRecord<T>, { perPage }: Pages<T>, operation: string): ListSlice<T> {
  if (hasRowsAfter(whole, 0)) throw pageSizeError(whole, perPage, operation);
  return { offset: 0, rows: whole.items, total: whole.items.length, hasNext: false };
}

function stitch<T>({ perPage, first, read: pages }: Pages<T>): ListSlice<T> {
  const offset = (first - 1) * perPage;
  const rows = pages.flatMap((page) => page.items);
  const total = pages.findLast((page) => page.total !== undefined)?.total;
  const last = pages.at(-1);
  const isLinked = last?.hasNext ?? (total === undefined && last?.items.length === perPage);
  return { offset, rows, total, hasNext: isLinked || (total !== undefined && total > offset + rows.length) };
}

/** Gives a range of what was read. */
export function narrow<T>({ rows, total, ...slice }: ListSlice<T>, { offset, count }: OffsetRange): ListSlice<T> {
  const start = offset - slice.offset;
  const end = start + count;
  return { offset, rows: rows.slice(start, end), total, hasNext: slice.hasNext || rows.length > end };
}

/** Whether the upstream says that rows follow those of a page that starts at `start`. */
function hasRowsAfter({ items, total, hasNext }: PageRecord<unknown>, start: number): boolean {
  return total === undefined ? hasNext === true : total > start + items.length;
}

function pageSizeError({ items }: PageRecord<unknown>, perPage: number, operation: string): UpstreamError {
  const rows = `${items.length} of the ${perPage} rows that a page was asked for came, and the platform has more`;
  return new UpstreamError('malformed', {
    operation,
    advice: `Page sizes do not fit: ${rows}. Set list.maxPageSize in the dialect to the platform’s maximum page size.`,
  });
}
