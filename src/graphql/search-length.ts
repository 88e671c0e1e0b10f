import type { ListQuery } from '../upstream/search.ts';

/** The most characters of names, operators, directions and values of one search. */
export const MAX_SEARCH_LENGTH = 4_000;

/** Returns the characters of a search. They are in the address and the key of each page's call. */
export function searchLength(where: ListQuery['where'], orderBy: ListQuery['orderBy']): number {
  const texts = [
    ...where.map(({ field, operator, values }) => `${field} ${operator}${values.join('|')}`),
    ...orderBy.map(({ field, direction }) => `${field} ${direction}`),
  ];
  return texts.join('').length;
}
