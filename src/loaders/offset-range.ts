import { UpstreamError } from '../core/errors.ts';
import type { PageSizes } from '../upstream/index.ts';
import type { ListQuery } from '../upstream/operations.ts';
import type { PageRecord } from '../upstream/records.ts';

/** A range of a list, by position. */
export interface OffsetRange {
  /** From 0. */
  readonly offset: number;
  readonly count: number;
}

/** The rows of a range, and what is known of the whole list. */
export interface ListSlice<T> {
  /** The position of the first one. */
  readonly offset: number;
  readonly rows: readonly T[];
  readonly total?: number | undefined;
  readonly hasNext: boolean;
}

/** How pages are read. */
export interface PageSource<T> {
  /** The operation's name in the interface. */
  readonly operation: string;
  readonly pageSizes: PageSizes;
  /** Reads one page; `pageNumber` counts from 1. */
  readonly readPage: (page: Pick<ListQuery, 'pageNumber' | 'perPage'>) => Promise<PageRecord<T>>;
}

/**
 * Reads a range in the fewest pages. A platform whose pages are shorter than requested, although it says that more rows follow, is
 * read by pages of that length; one that gives more rows than requested has no pages.
 *
 * @throws {UpstreamError} `malformed` when pages of that length are short as well: positions would be wrong.
 */
export async function readRange<T>(range: OffsetRange, source: PageSource<T>): Promise<ListSlice<T>> {
  const { operation, pageSizes } = source;
  const first = await readPages(range, source);
  const length = lengthOfCut(first);
  if (length === undefined) return narrow(stitch(first), range);
  if (length === 0 || length > first.perPage) throw pageSizeError(length, first.perPage, operation);
  pageSizes.learn(operation, length);
  const [page] = first.read;
  // What came as the first page is the first one of that length as well.
  const isFirst = ({ pageNumber, perPage }: { readonly pageNumber: number; readonly perPage: number }) =>
    first.offset === 0 && pageNumber === 1 && page?.items.length === perPage;
  const again = await readPages(range, {
    ...source,
    readPage: async (asked) => (page && isFirst(asked) ? page : source.readPage(asked)),
  });
  const lengthAgain = lengthOfCut(again);
  if (lengthAgain !== undefined) throw pageSizeError(lengthAgain, again.perPage, operation);
  return narrow(stitch(again), range);
}

/** Neighbouring pages of one size. */
interface Pages<T> {
  readonly perPage: number;
  /** Where the first one starts. */
  readonly offset: number;
  readonly read: readonly PageRecord<T>[];
}

/** Reads the first page, and the others if it came full. */
async function readPages<T>(range: OffsetRange, source: PageSource<T>): Promise<Pages<T>> {
  const { perPage, numbers } = pagesCovering(range, source.pageSizes.max(source.operation));
  const [number = 1, ...others] = numbers;
  const first = await source.readPage({ pageNumber: number, perPage });
  const { items, total = Number.POSITIVE_INFINITY, hasNext = true } = first;
  const isIn = (pageNumber: number) => hasNext && items.length === perPage && (pageNumber - 1) * perPage < total;
  const rest = others.filter(isIn).map((pageNumber) => source.readPage({ pageNumber, perPage }));
  return { perPage, offset: (number - 1) * perPage, read: [first, ...(await Promise.all(rest))] };
}

/** Gives the length of a page that does not fit what the platform says of its list. */
function lengthOfCut({ perPage, offset, read }: Pages<unknown>): number | undefined {
  const isWrong = (page: PageRecord<unknown>, at: number) => {
    const { length } = page.items;
    return length > perPage ? isCut(page, 0) : length < perPage && isCut(page, offset + at * perPage);
  };
  return read.find(isWrong)?.items.length;
}

/** Whether a page that should start at `start`, and is not full, does not end where the platform says that the list does. */
function isCut({ items, total, hasNext }: PageRecord<unknown>, start: number): boolean {
  if (total === undefined) return hasNext === true;
  return items.length === 0 ? total > start : total !== start + items.length;
}

function stitch<T>({ perPage, offset, read }: Pages<T>): ListSlice<T> {
  // More rows than requested are all rows of a platform without pages.
  const all = read.find(({ items }) => items.length > perPage)?.items;
  if (all !== undefined) return { offset: 0, rows: all, total: all.length, hasNext: false };
  const rows = read.flatMap((page) => page.items);
  const total = read.findLast((page) => page.total !== undefined)?.total;
  const last = read.at(-1);
  const isLinked = last?.hasNext ?? (total === undefined && last?.items.length === perPage);
  return { offset, rows, total, hasNext: isLinked || (total !== undefined && total > offset + rows.length) };
}

/** Gives a range of what was read. */
function narrow<T>({ rows, total, ...slice }: ListSlice<T>, { offset, count }: OffsetRange): ListSlice<T> {
  const start = offset - slice.offset;
  const end = start + count;
  return { offset, rows: rows.slice(start, end), total, hasNext: slice.hasNext || rows.length > end };
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

function pageSizeError(length: number, perPage: number, operation: string): UpstreamError {
  const rows = `${length} of the ${perPage} rows that a page was asked for came, and the platform has more`;
  return new UpstreamError('malformed', {
    operation,
    advice: `Page sizes do not fit: ${rows}. Set list.maxPageSize in the dialect to the platform’s maximum page size.`,
  });
}
