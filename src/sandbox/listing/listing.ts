import type { Columns, Sql } from './column.ts';
import { ListingError } from './listing-error.ts';
import { compileSearch } from './search.ts';
import { compileSort } from './sort.ts';

/** The query parameters of a list operation, as they came. */
export type ListQuery = Readonly<Record<string, string | readonly string[] | undefined>>;

export interface Page {
  /** From 1. */
  readonly number: number;
  readonly limit: number;
  readonly offset: bigint;
}

/** Which part of a list is asked for, ready for SQL. */
export interface Listing {
  readonly where: Sql;
  readonly order: Sql;
  readonly page: Page;
}

// The interface does not say how long a page is, so these two are ours.
const DEFAULT_PER_PAGE = 20;
const MAX_PER_PAGE = 100;

/** @throws {ListingError} for the first parameter that cannot be used. */
export function readListing(query: ListQuery, columns: Columns): Listing {
  return {
    where: compileSearch(single(query, 'search'), columns),
    order: compileSort(single(query, 'sort'), columns),
    page: readPage(query),
  };
}

function readPage(query: ListQuery): Page {
  const number = positive(query, 'page-number') ?? 1;
  // More than a page can hold is no mistake: the answer says how many it gives.
  const limit = Math.min(positive(query, 'per-page') ?? DEFAULT_PER_PAGE, MAX_PER_PAGE);
  return { number, limit, offset: BigInt(number - 1) * BigInt(limit) };
}

function positive(query: ListQuery, name: string): number | undefined {
  const text = single(query, name);
  if (text === undefined) return undefined;
  const value = Number(text);
  if (/^\d+$/.test(text) && Number.isSafeInteger(value) && value > 0) return value;
  throw new ListingError(`${name} must be an integer from 1, got "${text}"`);
}

function single(query: ListQuery, name: string): string | undefined {
  const value = query[name];
  if (value === undefined || typeof value === 'string') return value;
  throw new ListingError(`${name} is given more than once`);
}
