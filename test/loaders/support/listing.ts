import type { PageRecord } from '../../../src/upstream/records.ts';

/** How an upstream pages a list, and what it says of the pages that follow. */
export interface Listing {
  readonly size: number;
  readonly tells: 'totals' | 'links' | 'nothing';
  /** `false`: every page is the whole list. */
  readonly isPaged?: boolean;
  /** Pages are never longer, whatever is asked. */
  readonly longestPage?: number;
  /** Whether a page begins where it would if those before it had as many rows as were asked for. */
  readonly isSpaced?: boolean;
}

interface PageRequest {
  readonly pageNumber: number;
  readonly perPage: number;
}

/** Makes an upstream's list of the numbers from 0, which keeps what it was asked. */
export function createListing({ size, tells, ...listing }: Listing) {
  const { isPaged = true, longestPage = Number.POSITIVE_INFINITY, isSpaced = false } = listing;
  const rows = Array.from({ length: size }, (_, row) => row);
  const requested: PageRequest[] = [];
  const readPage = async (page: PageRequest): Promise<PageRecord<number>> => {
    requested.push(page);
    const perPage = Math.min(page.perPage, longestPage);
    const start = isPaged ? (page.pageNumber - 1) * (isSpaced ? page.perPage : perPage) : 0;
    const items = isPaged ? rows.slice(start, start + perPage) : rows;
    return {
      items,
      ...(tells === 'totals' && { total: size }),
      ...(tells === 'links' && { hasNext: start + items.length < size }),
    };
  };
  return { rows, requested, readPage };
}
