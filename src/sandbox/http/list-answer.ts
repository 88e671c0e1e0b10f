import type { Json } from '../json.ts';
import type { Columns } from '../listing/column.ts';
import { type Listing, type ListQuery, readListing } from '../listing/listing.ts';
import { ListingError } from '../listing/listing-error.ts';
import { badRequest } from './api-error.ts';
import { pageLinks } from './links.ts';
import type { Answer } from './operation.ts';

interface ListSource {
  /** Where the list is, for its links. */
  readonly path: string;
  readonly columns: Columns;
  readonly changedAtMs: number;
  fetch(listing: Listing): { readonly total: number; readonly items: readonly Json[] };
}

/** One page of a list. @throws {ApiError} 400 for a search, sort or page that cannot be used, before any 304. */
export function listAnswer(query: ListQuery, { path, columns, changedAtMs, fetch }: ListSource): Answer {
  const listing = toListing(query, columns);
  const { page } = listing;
  const body = (): Json => {
    const { total, items } = fetch(listing);
    const links = pageLinks(path, query, { page, total });
    return { items, total, 'page-number': page.number, 'per-page': page.limit, links };
  };
  return { status: 200, changedAtMs, body };
}

function toListing(query: ListQuery, columns: Columns): Listing {
  try {
    return readListing(query, columns);
  } catch (error) {
    throw error instanceof ListingError
      ? badRequest('INVALID_QUERY', `The list cannot be given: ${error.message}.`)
      : error;
  }
}
