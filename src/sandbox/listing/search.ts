import { checkValue } from '../values/check-value.ts';
import { READERS, type Value } from '../values/value-type.ts';
import { type Column, type Columns, type Sql, toSqlite } from './column.ts';
import { ListingError } from './listing-error.ts';

type Compile = (column: Column, text: string) => Sql;

/** SQLite nests conditions; far beyond this it would refuse the statement. */
const MOST_CRITERIA = 100;

/** The eight operators. Source: ours; the interface shows none. Nothing but `ne` matches an empty field. */
const OPERATORS: Readonly<Record<string, Compile>> = {
  eq: comparison('='),
  ne: comparison('IS NOT'),
  gt: comparison('>'),
  ge: comparison('>='),
  lt: comparison('<'),
  le: comparison('<='),
  like: (column, text) => {
    if (!['text', 'choice'].includes(column.shape.type)) {
      throw new ListingError('like needs a field of type text or choice');
    }
    return { sql: `fold(${column.sql}) LIKE ? ESCAPE '\\'`, bound: [...column.bound, likePattern(text)] };
  },
  in: (column, text) => {
    const values = text.split('|').map((each) => toSqlite(readText(column, each)));
    return { sql: `${column.sql} IN (${values.map(() => '?').join(', ')})`, bound: [...column.bound, ...values] };
  },
};

/**
 * Compiles `field=operator:value,field=operator:value` to ` AND …`; no criteria give no SQL.
 * Source: the interface's "Common query parameters". The notation has no escape, so a value holds no comma.
 *
 * @throws {ListingError} naming the criterion that cannot be used.
 */
export function compileSearch(search: string | undefined, columns: Columns): Sql {
  if (search === undefined || search === '') return { sql: '', bound: [] };
  const criteria = search.split(',');
  if (criteria.length > MOST_CRITERIA) throw new ListingError(`a search has at most ${MOST_CRITERIA} criteria`);
  const compiled = criteria.map((criterion) => compileCriterion(criterion, columns));
  return {
    sql: compiled.map(({ sql }) => ` AND ${sql}`).join(''),
    bound: compiled.flatMap(({ bound }) => bound),
  };
}

function compileCriterion(criterion: string, columns: Columns): Sql {
  const [, field, operator, text] = /^([^=]+)=([^:]*):(.*)$/s.exec(criterion) ?? [];
  if (field === undefined || operator === undefined || text === undefined) {
    throw new ListingError(`the criterion "${criterion}" does not read field=operator:value`);
  }
  const column = columns.get(field);
  if (column === undefined) throw new ListingError(`there is no field "${field}" to search by`);
  const compile = Object.hasOwn(OPERATORS, operator) ? OPERATORS[operator] : undefined;
  if (compile === undefined) {
    const known = Object.keys(OPERATORS).join(', ');
    throw new ListingError(`there is no operator "${operator}" for "${field}": use one of ${known}`);
  }
  try {
    return compile(column, text);
  } catch (error) {
    throw error instanceof ListingError ? new ListingError(`"${field}": ${error.message}`) : error;
  }
}

function comparison(operator: string): Compile {
  return (column, text) => ({
    sql: `${column.sql} ${operator} ?`,
    bound: [...column.bound, toSqlite(readText(column, text))],
  });
}

/** A criterion's value in its field's type. Only the type counts: a number beyond a field's `max` finds nothing. */
function readText({ shape: { type, options } }: Column, text: string): Value {
  const { expects, fromText } = READERS[type];
  const checked = checkValue({ type, options }, fromText(text) ?? null);
  if ('problem' in checked) throw new ListingError(`"${text}" ${checked.problem}`);
  if (checked.value === undefined) throw new ListingError(`"${text}" must be ${expects}`);
  return checked.value;
}

/** `%` is any run of characters; a pattern without one is looked for anywhere. */
function likePattern(text: string): string {
  const pattern = text.toLowerCase().replace(/[\\_]/g, '\\$&');
  return pattern.includes('%') ? pattern : `%${pattern}%`;
}
