import { UpstreamError } from '../core/errors.ts';
import type { PageSizes } from '../upstream/page-sizes.ts';
import type { PageRecord } from '../upstream/records.ts';

/** A range of a list, by position. */
export interface OffsetRange {
  /** From 0. */
  readonly offset: number;
  readonly count: number;
}

/** The rows of a range, and what is known of the whole list. */
export interface ListSlice<T> {
  readonly rows: readonly T[];
  readonly total?: number | undefined;
  readonly hasNext: boolean;
}

/** How pages are read. */
export interface PageSource<T> {
  /** The operation's name in the interface. */
  readonly operation: string;
  /** Equal for reads of one list: of the same rows in the same order. Absent where only its first page is ever read. */
  readonly list?: string | undefined;
  readonly idOf: (row: T) => string;
  readonly pageSizes: PageSizes;
  /** One for all lists of a GraphQL operation. */
  readonly looks: Looks;
  /** Reads one page; `pageNumber` counts from 1. */
  readonly readPage: (page: PageNumber) => Promise<PageRecord<T>>;
}

/** The call by which an operation looks what follows a short page; its other lists wait, as they may learn from it. */
export interface Looks {
  current?: Promise<unknown> | undefined;
}

interface PageNumber {
  readonly pageNumber: number;
  readonly perPage: number;
}

/**
 * Reads a range in the fewest pages: one wherever a page size up to the largest puts the whole range into one page,
 * else the pages covering it, stitched. A platform that gives fewer rows on a page than were asked for is read by pages of
 * that length; where it does not say that rows follow, the next page is looked at. A list that the platform does not page is cut
 * to the range.
 *
 * @throws {UpstreamError} `malformed` when pages of that length are short as well, and when the platform ignores either the
 *   page number or the page size: positions would be wrong.
 */
export async function readRange<T>(range: OffsetRange, source: PageSource<T>): Promise<ListSlice<T>> {
  const { operation, pageSizes, readPage } = source;
  const pages = await readPages(range, pageSizes.max(operation), readPage);
  for (const { items } of pages.read) pageSizes.saw(operation, items.length);
  const suspect = findSuspect(pages, source) ?? lookForRepeated(pages, source);
  const whole = suspect && (await wholeOf(await suspect, source));
  if (whole !== undefined) return cutTo(range, whole);
  const found = findCut(pages) ?? lookForCut(pages, source);
  const cut = found instanceof Promise ? await found : found;
  if (cut === undefined) return stitch(pages, range);

  const { length } = cut.page.items;
  if (length === 0) throw pageSizeError(cut.page, pages.perPage, operation);
  // What came as the first page is the first one of that length as well.
  const again = await readPages(range, length, async (page) =>
    cut.number === 1 && page.pageNumber === 1 && page.perPage === length ? cut.page : readPage(page),
  );
  const cutAgain = findCut(again);
  if (cutAgain !== undefined) throw pageSizeError(cutAgain.page, again.perPage, operation);
  pageSizes.settle(operation, length, true);
  return stitch(again, range);
}

/** Neighbouring pages of one size. */
interface Pages<T> {
  readonly perPage: number;
  /** The number of the first one, from 1. */
  readonly first: number;
  readonly read: readonly PageRecord<T>[];
}

function readPages<T>(range: OffsetRange, maxPageSize: number, readPage: PageSource<T>['readPage']): Promise<Pages<T>> {
  const { perPage, numbers } = pagesCovering(range, maxPageSize);
  const pages = numbers.map((pageNumber) => readPage({ pageNumber, perPage }));
  return Promise.all(pages).then((read) => ({ perPage, first: numbers[0] ?? 1, read }));
}

interface Cut<T> {
  readonly number: number;
  readonly page: PageRecord<T>;
}

/** Finds a page that is shorter than requested although rows follow. */
function findCut<T>({ perPage, first, read }: Pages<T>): Cut<T> | undefined {
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
function lookForCut<T>(pages: Pages<T>, source: PageSource<T>): Promise<Cut<T> | undefined> | undefined {
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
  return lookUnlessKnown({ number, page }, perPage, source);
}

/** Waits for what another list looks for, which may tell. */
async function lookUnlessKnown<T>(cut: Cut<T>, perPage: number, source: PageSource<T>) {
  const { operation, pageSizes, looks } = source;
  await looks.current?.catch(() => undefined);
  if (!pageSizes.isInDoubt(operation, cut.page.items.length)) return undefined;
  const look = lookBeside(cut, perPage, source);
  looks.current = look;
  return look;
}

async function lookBeside<T>(cut: Cut<T>, perPage: number, source: PageSource<T>) {
  const { operation, pageSizes, readPage } = source;
  const { number, page } = cut;
  const { length } = page.items;
  if (number > 1) {
    const before = await readPage({ pageNumber: number - 1, perPage });
    pageSizes.saw(operation, before.items.length);
    return findCut({ perPage, first: number - 1, read: [before, page] });
  }
  const next = await readPage({ pageNumber: 2, perPage: length });
  const whole = await wholeOf(findSuspect({ perPage: length, first: 1, read: [page, next] }, source), source);
  const isCut = next.items.length > 0 && whole === undefined;
  pageSizes.settle(operation, length, isCut);
  return isCut ? cut : undefined;
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

/** A page that does not fit the parameters of its call, beside another page of the same size where that was read. */
interface Suspect<T> {
  readonly perPage: number;
  readonly number: number;
  readonly page: PageRecord<T>;
  readonly other: PageRecord<T> | undefined;
}

/** Finds a page with more rows than requested, or with the same rows as the next. */
function findSuspect<T>({ perPage, first, read }: Pages<T>, source: PageSource<T>): Suspect<T> | undefined {
  const [one, other] = read;
  const at = read.findIndex(({ items }) => items.length > perPage);
  const page = read[at] ?? (isRepeated(one, other, source) ? one : undefined);
  return page && { perPage, number: first + Math.max(0, at), page, other: page === one ? other : one };
}

function isRepeated<T>(one: PageRecord<T> | undefined, other: PageRecord<T> | undefined, { idOf }: PageSource<T>) {
  if (!one || !other || one.items.length !== other.items.length || one.items.length === 0) return false;
  return one.items.every((row, index) => idOf(row) === idOf(other.items[index] ?? row));
}

/** Reads the first page again where a later one begins as that did. */
function lookForRepeated<T>({ perPage, first, read }: Pages<T>, source: PageSource<T>) {
  const { operation, list, pageSizes, idOf, readPage } = source;
  const [page] = read;
  const [row] = page?.items ?? [];
  if (page === undefined || row === undefined || list === undefined) return undefined;
  if (!pageSizes.isRepeated(operation, list, first, idOf(row))) return undefined;
  return readPage({ pageNumber: 1, perPage }).then((one) =>
    findSuspect({ perPage, first: 1, read: [one, page] }, source),
  );
}

/**
 * Gives the page that is all of a list which the platform does not page: then it ignores the page's number and its size alike,
 * which another call shows where the platform states no total.
 *
 * @throws {UpstreamError} where it ignores one of them alone, so that rows are lost.
 */
async function wholeOf<T>(suspect: Suspect<T> | undefined, source: PageSource<T>): Promise<PageRecord<T> | undefined> {
  if (suspect === undefined) return undefined;
  const { perPage, page } = suspect;
  const { operation, pageSizes } = source;
  const isLong = page.items.length > perPage;
  const isTold = page.total !== undefined || pageSizes.isUnpaged(operation);
  const losesRows = hasRowsAfter(page, 0) || (!isTold && (await (isLong ? isNumbered : isSized)(suspect, source)));
  if (losesRows) throw ignoredError(isLong ? 'perPage' : 'pageNumber', operation);
  pageSizes.settleUnpaged(operation);
  return page;
}

/** Whether another page has other rows. */
async function isNumbered<T>({ perPage, number, page, other }: Suspect<T>, source: PageSource<T>): Promise<boolean> {
  const beside = other ?? (await source.readPage({ pageNumber: number === 1 ? 2 : 1, perPage }));
  return beside.items.length > 0 && !isRepeated(page, beside, source);
}

/** Whether a smaller page has fewer rows. */
async function isSized<T>({ page: { items } }: Suspect<T>, { readPage }: PageSource<T>): Promise<boolean> {
  const smaller = await readPage({ pageNumber: 1, perPage: Math.max(1, items.length - 1) });
  return smaller.items.length < items.length;
}

function cutTo<T>({ offset, count }: OffsetRange, { items }: PageRecord<T>): ListSlice<T> {
  const end = offset + count;
  return { rows: items.slice(offset, end), total: items.length, hasNext: items.length > end };
}

function stitch<T>({ perPage, first, read: pages }: Pages<T>, { offset, count }: OffsetRange): ListSlice<T> {
  const skipped = (first - 1) * perPage;
  const items = pages.flatMap((page) => page.items);
  const end = offset + count - skipped;
  const total = pages.findLast((page) => page.total !== undefined)?.total;
  const last = pages.at(-1);
  const isLinked = last?.hasNext ?? (total === undefined && last?.items.length === perPage);
  const hasNext = isLinked || items.length > end || (total !== undefined && total > offset + count);
  return { rows: items.slice(offset - skipped, end), total, hasNext };
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

function ignoredError(member: 'pageNumber' | 'perPage', operation: string): UpstreamError {
  const what = member === 'perPage' ? 'page size' : 'page number';
  return new UpstreamError('malformed', {
    operation,
    advice: `The platform seems to ignore the ${what}: set list.${member} in the dialect to the name of its parameter.`,
  });
}
