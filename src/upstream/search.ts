import { LRUCache } from 'lru-cache';

import { InputError } from '../core/errors.ts';
import type { Dialect, SearchOperator } from './dialect.ts';
import type { PageRecord } from './records.ts';

/** One condition of a search. */
export interface Criterion {
  readonly field: string;
  readonly operator: SearchOperator;
  /** Several for `IN`, exactly one for all else. */
  readonly values: readonly string[];
}

/** One key of an ordering. */
export interface Order {
  readonly field: string;
  readonly direction: 'ASC' | 'DESC';
}

/** The query of one page of a list. */
export interface ListQuery {
  readonly where: readonly Criterion[];
  readonly orderBy: readonly Order[];
  /** From 1. */
  readonly pageNumber: number;
  readonly perPage: number;
}

/**
 * Writes a list query as the interface's "Common query parameters" say, percent-encoded, question mark included.
 *
 * @throws {InputError} for what the search notation cannot carry: it gives no escape for `,` `:` `=`.
 */
export function formatListQuery(query: ListQuery, { search }: Dialect): string {
  const parameters = [
    ['search', query.where.map((criterion) => formatCriterion(criterion, search)).join(',')],
    ['page-number', String(query.pageNumber)],
    ['per-page', String(query.perPage)],
    ['sort', query.orderBy.map(formatOrder).join(',')],
  ] as const;
  // encodeURIComponent writes the plus sign as %2B; a bare one would be read as a space.
  return `?${parameters
    .filter(([, value]) => value !== '')
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    .join('&')}`;
}

/** The largest page that is requested: 100 where it is not known what the platform gives. */
export const maxPageSizeOf = ({ list }: Dialect): number => list.maxPageSize ?? 100;

/** How long a list of ids may be in a search, in characters, so that the address stays within what servers take. */
export const MAX_IDS_LENGTH = 3_000;

/**
 * Splits ids into conditions that each fit one list call; `undefined` when the dialect has no `in`.
 * Ids that the notation cannot carry are in none of them. A call has `maxIds` at most.
 */
export function groupByCriterion(
  field: string,
  ids: readonly string[],
  dialect: Dialect,
  maxIds = maxPageSizeOf(dialect),
): Criterion[] | undefined {
  const { search } = dialect;
  if (search.operators.IN === null) return undefined;
  const groups: string[][] = [];
  let length = 0;
  for (const id of ids.filter((candidate) => isEncodable(candidate, search.separator))) {
    const last = groups.at(-1);
    length += encodeURIComponent(id).length + 3;
    if (last === undefined || last.length >= maxIds || length > MAX_IDS_LENGTH) {
      groups.push([id]);
      length = encodeURIComponent(id).length;
    } else {
      last.push(id);
    }
  }
  return groups.map((values) => ({ field, operator: 'IN', values }));
}

function formatCriterion({ field, operator, values }: Criterion, search: Dialect['search']): string {
  if (!hasOperator(operator, search)) throw new InputError(`The platform has no search operator for ${operator}.`);
  const word = search.operators[isPattern(operator) ? 'LIKE' : operator];
  const texts = isPattern(operator) ? values.map((text) => formatPattern(operator, text, search)) : values;
  for (const text of texts) assertEncodable(text, operator === 'IN' ? search.separator : undefined);
  return `${checkField(field)}=${word}:${texts.join(search.separator)}`;
}

const isPattern = (operator: SearchOperator) => operator === 'CONTAINS' || operator === 'STARTS_WITH';

/** Whether the platform can search by an operator. */
export function hasOperator(operator: SearchOperator, { operators, pattern }: Dialect['search']): boolean {
  return isPattern(operator) ? operators.LIKE !== null && pattern.any !== null : operators[operator] !== null;
}

/** Writes a text as a pattern of `like`. @throws {InputError} for characters that have a meaning there: it gives no escape. */
function formatPattern(operator: SearchOperator, text: string, { pattern }: Dialect['search']): string {
  const any = pattern.any ?? '';
  const special = [any, ...pattern.special].find((characters) => text.includes(characters));
  if (special === undefined) return `${operator === 'CONTAINS' ? any : ''}${text}${any}`;
  throw new InputError(
    `A text to search for must not contain ${JSON.stringify(special)}, which has a meaning in the platform's patterns.`,
  );
}

const formatOrder = ({ field, direction }: Order): string => `${direction === 'DESC' ? '-' : '+'}${checkField(field)}`;

/** Whether a search and an ordering can carry a field's name. */
export const isFieldEncodable = (field: string): boolean => field !== '' && !/^[+-]/.test(field) && isEncodable(field);

function checkField(field: string): string {
  if (!isFieldEncodable(field)) {
    throw new InputError(
      "This cannot be a field's name in a search or an ordering: it is empty, starts with a sign, or holds what the notation cannot carry.",
    );
  }
  return field;
}

function assertEncodable(value: string, separator?: string): void {
  if (isEncodable(value, separator)) return;
  const forbidden = ['","', '":"', '"="', ...(separator ? [JSON.stringify(separator)] : [])].join(', ');
  const problem = `holds one of ${forbidden} or an unprintable character, which the platform's search cannot carry`;
  throw new InputError(`A search value ${problem}.`);
}

function isEncodable(text: string, separator?: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for.
  return text.isWellFormed() && !/[,:=\u0000-\u001f\u007f]/.test(text) && !(separator && text.includes(separator));
}

/** Told once of what a list, that of a form or `forms`, shows that the dialect should say; `rows` is its maximum page size. */
export type ListReport = (list: string, setting: 'list.maxPageSize' | 'list.isPagedById', rows?: number) => void;

/**
 * What is known of the pages of one list, for all callers: the interface does not tell how long they may be, a platform may give
 * fewer rows than requested without a word, and it may ignore or refuse the order of ids.
 */
export class ListPaging {
  /** The largest page that may be requested. */
  readonly largest: number;
  /** The longest page that came, or that the dialect names: one of that size or a smaller one is not cut. */
  granted: number;
  /** Whether rows are found by the id before them; `undefined` until it has shown. */
  isById: boolean | undefined;
  /** Whether the platform takes the order of ids; `undefined` until it has shown. */
  takesOrder: boolean | undefined;
  readonly #list: string;
  readonly #report: ListReport;
  #cut = 0;

  constructor(list: string, dialect: Dialect, report: ListReport) {
    this.largest = maxPageSizeOf(dialect);
    this.granted = dialect.list.maxPageSize ?? 0;
    this.isById = dialect.list.isPagedById;
    this.#list = list;
    this.#report = report;
  }

  /** The largest page that is worth requesting by its number: where one was cut, and none was longer since, that one. */
  get max(): number {
    return this.granted > 0 && this.granted === this.#cut ? this.granted : this.largest;
  }

  /** Notes how long a page was; a longer one than requested is a list without pages. */
  noteLength(perPage: number, { items: { length } }: PageRecord<unknown>): void {
    if (length <= perPage) this.granted = Math.max(this.granted, length);
  }

  /** Notes that rows follow a page of this length, which is shorter than requested. */
  noteCut(rows: number): void {
    if (rows !== this.#cut) this.#report(this.#list, 'list.maxPageSize', rows);
    this.granted = rows;
    this.#cut = rows;
  }

  /** Has the list read by position from now on. */
  giveUpIds(): void {
    if (this.isById !== false) this.#report(this.#list, 'list.isPagedById');
    this.isById = false;
  }
}

export type Lists = ReturnType<typeof createLists>;

/** Gives what is known of each list, by the operation that reads it and the form that it is of, if it is one's. */
export function createLists(dialect: Dialect, report: ListReport) {
  // One that is forgotten shows the same again.
  const lists = new LRUCache<string, ListPaging>({ max: 10_000 });
  return (operation: string, formId?: string): ListPaging => {
    const key = `${operation} ${formId}`;
    const list = lists.get(key) ?? new ListPaging(formId ?? 'forms', dialect, report);
    lists.set(key, list);
    return list;
  };
}
