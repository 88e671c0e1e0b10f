import type { Columns, Sql } from './column.ts';
import { ListingError } from './listing-error.ts';

const MOST_KEYS = 20;

/**
 * Compiles `+field,-field` to `… ASC, … DESC, `, ready for the id that makes the order stable. Empty fields come first
 * in ascending order. Source: the interface's "Common query parameters".
 *
 * @throws {ListingError} naming the key that cannot be used.
 */
export function compileSort(sort: string | undefined, columns: Columns): Sql {
  if (sort === undefined || sort === '') return { sql: '', bound: [] };
  const keys = sort.split(',');
  if (keys.length > MOST_KEYS) throw new ListingError(`a sort has at most ${MOST_KEYS} fields`);
  const compiled = keys.map((key) => compileKey(key, columns));
  return { sql: compiled.map(({ sql }) => `${sql}, `).join(''), bound: compiled.flatMap(({ bound }) => bound) };
}

function compileKey(key: string, columns: Columns): Sql {
  // A `+` that was not percent-encoded arrives as a space.
  const [, sign, field = ''] = /^([+ -]?)(.*)$/s.exec(key) ?? [];
  const column = columns.get(field);
  if (column === undefined) throw new ListingError(`there is no field "${field}" to sort by`);
  return { sql: `${column.sql} ${sign === '-' ? 'DESC' : 'ASC'}`, bound: column.bound };
}
