import { isDeepStrictEqual } from 'node:util';

import { UpstreamError } from '../upstream/errors.ts';
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
  /** The operation's name in the interface, for errors. */
  readonly operation: string;
  readonly maxPageSize: number;
  /** Reads one page; `pageNumber` counts from 1. */
  readonly readPage: (page: { readonly pageNumber: number; readonly perPage: number }) => Promise<PageRecord<T>>;
}

/**
 * Reads a range in the fewest pages: one wherever a page size up to the largest puts the whole range into one page,
 * else the pages covering it, stitched.
 *
 * @throws {UpstreamError} `malformed` when a page is shorter or longer than requested although more follow: positions
 *   would be wrong.
 */
export async function readRange<T>(range: OffsetRange, source: PageSource<T>): Promise<ListSlice<T>> {
  const { perPage, numbers } = pagesCovering(range, source.maxPageSize);
  const pages = await Promise.all(numbers.map((pageNumber) => source.readPage({ pageNumber, perPage })));

  const skipped = ((numbers[0] ?? 1) - 1) * perPage;

  const whole = pages.find(({ items }) => items.length > perPage) ?? repeated(pages);
  if (whole !== undefined) {
    if (hasRowsAfter(whole, 0)) throw pageSizeError(whole, perPage, source.operation);
    return unpaged(whole.items, range);
  }
  const cut = pages.find((page, index) => {
    const isFollowed = (pages[index + 1]?.items.length ?? 0) > 0 || hasRowsAfter(page, skipped + index * perPage);
    return page.items.length < perPage && isFollowed;
  });
  if (cut !== undefined) throw pageSizeError(cut, perPage, source.operation);
  return stitch(pages, range, { perPage, skipped });
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

// The same rows on two pages are the whole list, sent twice by an upstream that does not page it.
function repeated<T>([first, second]: readonly PageRecord<T>[]): PageRecord<T> | undefined {
  if (first === undefined || second === undefined || first.items.length === 0) return undefined;
  return isDeepStrictEqual(first.items, second.items) ? first : undefined;
}

// More rows than requested: the upstream does not page this list, and sent all of it.
function unpaged<T>(items: readonly T[], { offset, count }: OffsetRange): ListSlice<T> {
  const end = offset + count;
  return { rows: items.slice(offset, end), total: items.length, hasNext: items.length > end };
}

function stitch<T>(
  pages: readonly PageRecord<T>[],
  { offset, count }: OffsetRange,
  { perPage, skipped }: { readonly perPage: number; readonly skipped: number },
): ListSlice<T> {
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
  const cause = new Error(`a page of ${perPage} came with ${items.length}; set list.maxPageSize in the dialect`);
  return new UpstreamError('malformed', { operation, cause });
}
