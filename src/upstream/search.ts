import { InputError } from '../core/errors.ts';
import type { Dialect, SearchOperator } from './dialect.ts';

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
  /** From 1, whatever the platform counts from; absent for the platform's own first page. */
  readonly pageNumber?: number | undefined;
  readonly perPage: number;
}

/**
 * Writes a list query as the interface's "Common query parameters" say, percent-encoded, question mark included.
 *
 * @throws {InputError} for what the search notation cannot carry: it gives no escape for `,` `:` `=`.
 */
export function formatListQuery(query: ListQuery, { list, search }: Dialect): string {
  const { pageNumber } = query;
  const parameters = [
    ['search', query.where.map((criterion) => formatCriterion(criterion, search)).join(',')],
    ['page-number', pageNumber === undefined ? '' : String(pageNumber - 1 + (list.firstPage ?? 1))],
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

/** How long the address of a look-up by ids may be, in characters: servers refuse longer ones from some 2,000 on. */
const MAX_ADDRESS_LENGTH = 1_800;
/** The characters of it that are left for ids where the ids before them in the path are not known. */
export const MAX_IDS_LENGTH = 1_600;

/** How many characters of an address are left for the ids of a look-up. */
export function idsLengthAt(path: string, field: string, dialect: Dialect): number {
  const where = [{ field, operator: 'IN', values: [] }] as const;
  const query = formatListQuery(
    { where, orderBy: [], pageNumber: 1, perPage: maxPageSizeOf(dialect) },
    dialect,
  );
  return MAX_ADDRESS_LENGTH - `/v1.0${path}${query}`.length;
}

/** How many ids one call may search for. */
interface IdLimits {
  readonly maxIds?: number;
  /** Of their text in the address. */
  readonly maxLength?: number;
}

/**
 * Splits ids into conditions that each fit one list call; `undefined` when the dialect has no `in`.
 * Ids that the notation cannot carry are in none of them.
 */
export function groupByCriterion(
  field: string,
  ids: readonly string[],
  dialect: Dialect,
  { maxIds = maxIdsOf(dialect), maxLength = MAX_IDS_LENGTH }: IdLimits = {},
): Criterion[] | undefined {
  const { search } = dialect;
  if (search.operators.IN === null) return undefined;
  const separatorLength = encodeURIComponent(search.separator).length;
  const groups: string[][] = [];
  let length = 0;
  for (const id of ids.filter((candidate) => isEncodable(candidate, search.separator))) {
    const last = groups.at(-1);
    const idLength = encodeURIComponent(id).length;
    length += separatorLength + idLength;
    if (last === undefined || last.length >= maxIds || length > maxLength) {
      groups.push([id]);
      length = idLength;
    } else {
      last.push(id);
    }
  }
  return groups.map((values) => ({ field, operator: 'IN', values }));
}

/** How many ids a look-up has at most, where their length allows it. */
export const maxIdsOf = (dialect: Dialect): number =>
  Math.min(maxPageSizeOf(dialect), dialect.search.maxIds ?? Number.POSITIVE_INFINITY);

function formatCriterion(
  { field, operator, values }: Criterion,
  search: Dialect['search'],
): string {
  if (!hasOperator(operator, search))
    throw new InputError(`The platform has no search operator for ${operator}.`);
  const word = search.operators[isPattern(operator) ? 'LIKE' : operator];
  const texts = isPattern(operator)
    ? values.map((text) => formatPattern(operator, text, search))
    : values;
  for (const text of texts) assertEncodable(text, operator === 'IN' ? search.separator : undefined);
  return `${checkField(field)}=${word}:${texts.join(search.separator)}`;
}

const isPattern = (operator: SearchOperator) =>
  operator === 'CONTAINS' || operator === 'STARTS_WITH';

/** Whether the platform can search by an operator. */
export function hasOperator(
  operator: SearchOperator,
  { operators, pattern }: Dialect['search'],
): boolean {
  return isPattern(operator)
    ? operators.LIKE !== null && pattern.any !== null
    : operators[operator] !== null;
}

/** Writes a text as a pattern of `like`. @throws {InputError} for characters that have a meaning there: it gives no escape. */
function formatPattern(
  operator: SearchOperator,
  text: string,
  { pattern }: Dialect['search'],
): string {
  const any = pattern.any ?? '';
  const special = [any, ...pattern.special].find((characters) => text.includes(characters));
  if (special === undefined) return `${operator === 'CONTAINS' ? any : ''}${text}${any}`;
  throw new InputError(
    `A text to search for must not contain ${JSON.stringify(special)}, which has a meaning in the platform's patterns.`,
  );
}

const formatOrder = ({ field, direction }: Order): string =>
  `${direction === 'DESC' ? '-' : '+'}${checkField(field)}`;

/** Whether a search and an ordering can carry a field's name. */
export const isFieldEncodable = (field: string): boolean =>
  field !== '' && !/^[+-]/.test(field) && isEncodable(field);

function checkField(field: string): string {
  if (!isFieldEncodable(field)) {
    throw new InputError(
      "This field name cannot be searched or sorted by: it is empty, starts with + or -, or has a character that the platform's search notation cannot express.",
    );
  }
  return field;
}

function assertEncodable(value: string, separator?: string): void {
  if (isEncodable(value, separator)) return;
  const forbidden = ['","', '":"', '"="', ...(separator ? [JSON.stringify(separator)] : [])].join(
    ', ',
  );
  const problem = `holds one of ${forbidden} or an unprintable character, which the platform's search cannot carry`;
  throw new InputError(`A search value ${problem}.`);
}

function isEncodable(text: string, separator?: string): boolean {
  return (
    text.isWellFormed() &&
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for.
    !/[,:=\u0000-\u001f\u007f]/.test(text) &&
    !(separator && text.includes(separator))
  );
}
