import type { SQLInputValue } from 'node:sqlite';

import type { Form } from './model.ts';
import { checkText, isDate, type Value, type ValueShape } from './values.ts';

/** The raw query parameters of a list operation. */
export type ListParameters = Readonly<Record<string, string | readonly string[] | undefined>>;

/** A fragment of SQL and the values of its placeholders, in order. */
export interface Sql {
  readonly sql: string;
  readonly bound: readonly SQLInputValue[];
}

export interface Page {
  /** The page's number, counted from 1. */
  readonly number: number;
  readonly limit: number;
  readonly offset: bigint;
}

/** Filter, order and page of a list, as SQL. */
export interface ListQuery {
  /** ` AND …`, or an empty text. */
  readonly where: Sql;
  /** `… ASC, … DESC, `, to be followed by the id, which makes the order stable. */
  readonly order: Sql;
  readonly page: Page;
}

/** A column to search and sort by: the SQL that reads it, and the shape of its values. */
interface Column extends Sql {
  readonly shape: ValueShape;
}
export type Columns = ReadonlyMap<string, Column>;

/**
 * An invalid `search`, `sort`, `page-number` or `per-page`. Its message is meant for the client.
 */
export class ListQueryError extends Error {
  override readonly name = 'ListQueryError';
}

// The interface does not define page sizes, so these two are the sandbox's own.
const DEFAULT_PER_PAGE = 20;
const MAX_PER_PAGE = 100;
/** SQLite nests conditions and rejects statements that are far longer. */
const MAX_CRITERIA = 100;
const MAX_SORT_KEYS = 20;

/**
 * Returns the columns of a form's instances. The interface shows no names, so they are the
 * sandbox's.
 */
export function instanceColumns({ fields }: Form): Columns {
  return new Map<string, Column>([
    ['idInstance', { sql: 'id_instance', bound: [], shape: { type: 'integer' } }],
    // The JSON path is bound too, so that a field's name never becomes SQL.
    ...fields.map((field): [string, Column] => [
      field.name,
      { sql: 'json_extract(values_json, ?)', bound: [`$."${field.name}"`], shape: field },
    ]),
  ]);
}

/** The columns of the list of forms, over one JSON value for each form. */
export const FORM_COLUMNS: Columns = new Map(
  (['idForm', 'name', 'description', 'version'] as const).map((name) => [
    name,
    { sql: 'json_extract(value, ?)', bound: [`$."${name}"`], shape: { type: 'text' } },
  ]),
);

/**
 * Converts the parameters of a list to SQL.
 *
 * @throws {ListQueryError} for the first invalid parameter.
 */
export function parseListQuery(parameters: ListParameters, columns: Columns): ListQuery {
  const number = positive(parameters, 'page-number') ?? 1;
  // A larger number is not an error: the response contains the actual page size.
  const limit = Math.min(positive(parameters, 'per-page') ?? DEFAULT_PER_PAGE, MAX_PER_PAGE);
  return {
    where: compileSearch(single(parameters, 'search'), columns),
    order: compileSort(single(parameters, 'sort'), columns),
    page: { number, limit, offset: BigInt(number - 1) * BigInt(limit) },
  };
}

function positive(parameters: ListParameters, name: string): number | undefined {
  const text = single(parameters, name);
  if (text === undefined) return undefined;
  const value = Number(text);
  if (/^\d+$/.test(text) && Number.isSafeInteger(value) && value > 0) return value;
  throw new ListQueryError(`${name} must be an integer from 1, got "${text}"`);
}

function single(parameters: ListParameters, name: string): string | undefined {
  const value = parameters[name];
  if (value === undefined || typeof value === 'string') return value;
  throw new ListQueryError(`${name} is given more than once`);
}

/**
 * Converts `field=operator:value,field=operator:value` to SQL. The notation has no escape, so a
 * value cannot contain a comma. Source: the interface's "Common query parameters".
 */
function compileSearch(search: string | undefined, columns: Columns): Sql {
  if (search === undefined || search === '') return { sql: '', bound: [] };
  const criteria = search.split(',');
  if (criteria.length > MAX_CRITERIA)
    throw new ListQueryError(`a search has at most ${MAX_CRITERIA} criteria`);
  const compiled = criteria.map((criterion) => compileCriterion(criterion, columns));
  return {
    sql: compiled.map(({ sql }) => ` AND ${sql}`).join(''),
    bound: compiled.flatMap(({ bound }) => bound),
  };
}

function compileCriterion(criterion: string, columns: Columns): Sql {
  const [, field, operator, text] = /^([^=]+)=([^:]*):(.*)$/s.exec(criterion) ?? [];
  if (field === undefined || operator === undefined || text === undefined) {
    throw new ListQueryError(
      `the criterion "${criterion}" is not of the form field=operator:value`,
    );
  }
  const column = columns.get(field);
  if (column === undefined) throw new ListQueryError(`there is no field "${field}" to search by`);
  const compile = Object.hasOwn(OPERATORS, operator) ? OPERATORS[operator] : undefined;
  if (compile === undefined) {
    const known = Object.keys(OPERATORS).join(', ');
    throw new ListQueryError(
      `there is no operator "${operator}" for "${field}": use one of ${known}`,
    );
  }
  try {
    return compile(isOfDays(column, text) ? dayOf(column) : column, text);
  } catch (error) {
    if (!(error instanceof ListQueryError)) throw error;
    throw new ListQueryError(`"${field}": ${error.message}`);
  }
}

const isOfDays = ({ shape }: Column, text: string): boolean =>
  shape.type === 'datetime' && text.split('|').every(isDate);

/**
 * Returns the days of date-times. They are stored in UTC, so the days begin at midnight in UTC. The
 * interface does not define how date-times are searched.
 */
const dayOf = ({ sql, bound }: Column): Column => ({
  sql: `substr(${sql}, 1, 10)`,
  bound,
  shape: { type: 'date' },
});

/**
 * The eight operators. The interface shows no operators, so they are the sandbox's. Only `ne`
 * matches an empty field.
 */
const OPERATORS: Readonly<Record<string, (column: Column, text: string) => Sql>> = {
  eq: comparison('='),
  ne: comparison('IS NOT'),
  gt: comparison('>'),
  ge: comparison('>='),
  lt: comparison('<'),
  le: comparison('<='),
  like(column, text) {
    if (!['text', 'choice'].includes(column.shape.type)) {
      throw new ListQueryError('like needs a field of type text or choice');
    }
    // `%` matches any characters. A pattern without `%` matches anywhere.
    const pattern = text.toLowerCase().replace(/[\\_]/g, '\\$&');
    const bound = [...column.bound, pattern.includes('%') ? pattern : `%${pattern}%`];
    return { sql: `fold(${column.sql}) LIKE ? ESCAPE '\\'`, bound };
  },
  in(column, text) {
    const values = text.split('|').map((each) => readText(column, each));
    const placeholders = values.map(() => '?').join(', ');
    return { sql: `${column.sql} IN (${placeholders})`, bound: [...column.bound, ...values] };
  },
};

function comparison(operator: string) {
  return (column: Column, text: string): Sql => ({
    sql: `${column.sql} ${operator} ?`,
    bound: [...column.bound, readText(column, text)],
  });
}

/**
 * Returns a criterion's value in its field's type, as SQLite compares it.
 *
 * @throws {ListQueryError} when it does not have this type.
 */
function readText({ shape }: Column, text: string): SQLInputValue {
  const checked = checkText(shape, text);
  if ('problem' in checked) throw new ListQueryError(`"${text}" ${checked.problem}`);
  const value: Value = checked.value ?? text;
  return typeof value === 'boolean' ? Number(value) : value;
}

/**
 * Converts `+field,-field` to SQL. Empty fields come first in ascending order. Source: the
 * interface's "Common query parameters".
 */
function compileSort(sort: string | undefined, columns: Columns): Sql {
  if (sort === undefined || sort === '') return { sql: '', bound: [] };
  const keys = sort.split(',');
  if (keys.length > MAX_SORT_KEYS)
    throw new ListQueryError(`a sort has at most ${MAX_SORT_KEYS} fields`);
  const compiled = keys.map((key) => {
    // A `+` that was not percent-encoded arrives as a space.
    const [, sign, field = ''] = /^([+ -]?)(.*)$/s.exec(key) ?? [];
    const column = columns.get(field);
    if (column === undefined) throw new ListQueryError(`there is no field "${field}" to sort by`);
    return { sql: `${column.sql} ${sign === '-' ? 'DESC' : 'ASC'}, `, bound: column.bound };
  });
  const sql = compiled.map((key) => key.sql).join('');
  return { sql, bound: compiled.flatMap(({ bound }) => bound) };
}
