import type { Json } from '../json.ts';
import {
  type Columns,
  type ListParameters,
  type ListQuery,
  ListQueryError,
  parseListQuery,
} from '../list-query.ts';
import { badRequest } from './errors.ts';
import type { Call, Result } from './operation.ts';

interface ListSource {
  /** The path of the list, for its links. */
  readonly path: string;
  readonly columns: Columns;
  readonly changedAtMs: number;
  fetch(query: ListQuery): { readonly total: number; readonly items: readonly Json[] };
}

/**
 * Returns one page of a list.
 *
 * @throws {ApiError} 400 for an invalid search, sort or page, also where a 304 would follow.
 */
export function listResult(
  { query: parameters }: Call,
  { path, columns, changedAtMs, fetch }: ListSource,
): Result {
  const query = parse(() => parseListQuery(parameters, columns));
  const { number, limit } = query.page;
  const body = (): Json => {
    const { total, items } = fetch(query);
    const last = Math.max(1, Math.ceil(total / limit));
    const links = pageLinks(path, parameters, { number, limit, last });
    return { items, total, 'page-number': number, 'per-page': limit, links };
  };
  return { status: 200, changedAtMs, body };
}

function parse(read: () => ListQuery): ListQuery {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof ListQueryError)) throw error;
    throw badRequest('INVALID_QUERY', `Invalid list parameters: ${error.message}.`);
  }
}

/** Returns links to the neighbouring pages, each with the same search and sort. */
function pageLinks(
  path: string,
  parameters: ListParameters,
  { number, limit, last }: Readonly<Record<'number' | 'limit' | 'last', number>>,
): Json[] {
  const pages: readonly (readonly [rel: string, number: number])[] = [
    ['self', number],
    ['first', 1],
    ['prev', Math.min(number - 1, last)],
    ['next', number + 1],
    ['last', last],
  ];
  const isExisting = ([rel, page]: readonly [string, number]) => {
    return rel === 'self' || (page >= 1 && page <= last);
  };
  return pages.filter(isExisting).map(([rel, page]) => {
    const search = new URLSearchParams();
    for (const name of ['search', 'sort']) {
      const value = parameters[name];
      if (typeof value === 'string' && value !== '') search.set(name, value);
    }
    search.set('page-number', String(page));
    search.set('per-page', String(limit));
    return { rel, href: `${path}?${search}`, methods: ['GET'] };
  });
}
