import type { ListKey } from '../../loaders/index.ts';
import { pagesCovering } from '../../loaders/offset-range.ts';
import { type ConnectionArgs, type PageLimits, toListKey } from '../connection.ts';
import type { CostBasis } from './basis.ts';
import { nameList } from './look-ups.ts';
import type { Place } from './place.ts';

/** The calls for one page of a connection in every form of a place, and its rows. What cannot be asked costs nothing. */
export function askPages(list: string, place: Place, args: ConnectionArgs, { pages, dialect }: CostBasis) {
  const operation = list === 'forms' ? 'getForms' : 'getFormIntances';
  const key = toKey(args, pages);
  if (key === undefined) return { ask: { operation, calls: 0 } as const, size: 0 };
  const { offset: _, count, ...query } = key;
  const { perPage, numbers } = pagesCovering(key, dialect.list.maxPageSize);
  const certain = numbers.map((pageNumber) => nameList(list, { ...query, pageNumber, perPage }));
  const calls = place.forms * numbers.length;
  return { ask: { operation, calls, ...(place.isCertain && { certain }) } as const, size: count };
}

function toKey(args: ConnectionArgs, limits: PageLimits): ListKey | undefined {
  try {
    return toListKey(args, limits);
  } catch {
    return undefined;
  }
}
