import { Refusal } from './wire.ts';

/** A row of a list, as it is searched and sorted. */
export type Row = Readonly<Record<string, unknown>>;

export interface Page<R> {
  readonly rows: readonly R[];
  readonly total: number;
  readonly number: number;
  readonly size: number;
}

const DEFAULT_SIZE = 10;
const LARGEST_SIZE = 50;

const SEPARATOR = ';';
const OPERATORS: Readonly<Record<string, (found: unknown, expected: string) => boolean>> = {
  equals: (found, expected) => compare(found, expected) === 0,
  differs: (found, expected) => compare(found, expected) !== 0,
  above: (found, expected) => compare(found, expected) > 0,
  atLeast: (found, expected) => compare(found, expected) >= 0,
  below: (found, expected) => compare(found, expected) < 0,
  atMost: (found, expected) => compare(found, expected) <= 0,
  contains: (found, expected) => String(found).includes(expected),
  oneOf: (found, expected) => expected.split(SEPARATOR).some((one) => compare(found, one) === 0),
};

interface ListOptions {
  /** Whether it supports a search by several values. */
  readonly hasOneOf: boolean;
  /** Whether a page has the largest size where more is asked for, instead of an error. */
  readonly isCapped: boolean;
}

/** Gives one page of the rows of a query. */
export function pageOf<R extends Row>(
  rows: readonly R[],
  query: URLSearchParams,
  { hasOneOf, isCapped }: ListOptions,
): Page<R> {
  const found = sorted(searched(rows, query.get('search') ?? '', hasOneOf), query.get('sort') ?? '');
  const number = integer(query, 'page-number', 1, Number.MAX_SAFE_INTEGER);
  const asked = integer(query, 'per-page', DEFAULT_SIZE, isCapped ? Number.MAX_SAFE_INTEGER : LARGEST_SIZE);
  const size = Math.min(asked, LARGEST_SIZE);
  return { rows: found.slice((number - 1) * size, number * size), total: found.length, number, size };
}

function searched<R extends Row>(rows: readonly R[], search: string, hasOneOf: boolean): readonly R[] {
  return search
    .split(',')
    .filter((criterion) => criterion !== '')
    .reduce<readonly R[]>((left, criterion) => {
      const [, field = '', word = '', expected = ''] = /^([^=]+)=(\w+):(.*)$/.exec(criterion) ?? [];
      const holds = word === 'oneOf' && !hasOneOf ? undefined : OPERATORS[word];
      if (holds === undefined) throw new Refusal(400, 'OPERATOR_UNKNOWN', `There is no operator in "${criterion}".`);
      checkField(rows, field);
      return left.filter((row) => holds(row[field], expected));
    }, rows);
}

function sorted<R extends Row>(rows: readonly R[], sort: string): readonly R[] {
  const keys = sort.split(',').filter((key) => key !== '');
  return [...rows].sort((left, right) => {
    for (const key of keys) {
      const field = key.slice(1);
      if (!/^[+-]/.test(key)) throw new Refusal(400, 'SORT_UNREADABLE', `"${key}" has no direction.`);
      checkField(rows, field);
      const order = compare(left[field], String(right[field])) * (key.startsWith('-') ? -1 : 1);
      if (order !== 0) return order;
    }
    return 0;
  });
}

function checkField(rows: readonly Row[], field: string): void {
  if (rows[0] !== undefined && !(field in rows[0])) throw new Refusal(400, 'FIELD_UNKNOWN', `No field is "${field}".`);
}

function compare(found: unknown, expected: string): number {
  if (typeof found === 'number') return found - Number(expected);
  const text = String(found);
  return text < expected ? -1 : Number(text > expected);
}

function integer(query: URLSearchParams, name: string, fallback: number, largest: number): number {
  const text = query.get(name);
  if (text === null) return fallback;
  const value = Number(text);
  if (Number.isInteger(value) && value >= 1 && value <= largest) return value;
  throw new Refusal(400, 'PAGE_UNKNOWN', `${name} must be from 1 to ${largest}.`);
}
