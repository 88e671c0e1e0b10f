import { InputError } from '../core/errors.ts';
import type { Dialect, SearchOperator } from './dialect.ts';

/** One condition of a search. */
export interface Criterion {
  readonly field: string;
  readonly operator: SearchOperator;
  /** Any number for `IN`, exactly one for all else. */
  readonly values: readonly string[];
}

/** One key of the sort order. */
export interface Order {
  readonly field: string;
  readonly direction: 'ASC' | 'DESC';
}

/** Whether a search has a condition that no value meets: `IN` without values. */
export const matchesNothing = (where: readonly Criterion[]): boolean =>
  where.some(({ operator, values }) => operator === 'IN' && values.length === 0);

/** The query of one page of a list. */
export interface ListQuery {
  readonly where: readonly Criterion[];
  readonly orderBy: readonly Order[];
  /**
   * The first page is 1, whatever the platform's numbering. Absent for the platform's default page.
   */
  readonly pageNumber?: number | undefined;
  readonly perPage: number;
}

/**
 * Formats a list query by the interface's "Common query parameters", percent-encoded, with question
 * mark.
 *
 * @throws {InputError} for text with `,` `:` or `=`, which the notation cannot escape.
 */
export function formatListQuery(query: ListQuery, { list, search }: Dialect): string {
  const { pageNumber } = query;
  const parameters = [
    ['search', query.where.map((criterion) => formatCriterion(criterion, search)).join(',')],
    ['page-number', pageNumber === undefined ? '' : String(pageNumber - 1 + (list.firstPage ?? 1))],
    ['per-page', String(query.perPage)],
    ['sort', query.orderBy.map(formatOrder).join(',')],
  ] as const;
  // encodeURIComponent writes a plus sign as %2B. A bare one would be read as a space.
  return `?${parameters
    .filter(([, value]) => value !== '')
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    .join('&')}`;
}

/** Returns the largest page to request. 100 if the platform's maximum is unknown. */
export const maxPageSizeOf = ({ list }: Dialect): number => list.maxPageSize ?? 100;

/**
 * The longest address of a look-up by ids. Servers refuse longer ones from about 2,000 characters
 * on.
 */
const MAX_ADDRESS_LENGTH = 1_800;
/** The characters left for ids, if the ids of the path are not known. */
export const MAX_IDS_LENGTH = 1_600;

/** Returns the number of characters left for the ids of a look-up. */
export function idsLengthAt(path: string, field: string, dialect: Dialect): number {
  const where = [{ field, operator: 'IN', values: [] }] as const;
  const query = formatListQuery(
    { where, orderBy: [], pageNumber: 1, perPage: maxPageSizeOf(dialect) },
    dialect,
  );
  return MAX_ADDRESS_LENGTH - `/v1.0${path}${query}`.length;
}

/** The limits of ids in one call. */
interface IdLimits {
  readonly maxIds?: number;
  /** The characters of the encoded ids. */
  readonly maxLength?: number;
}

/**
 * Splits ids into conditions for one list call each. Returns `undefined` if the dialect has no
 * `in`. Ids that the notation cannot express are omitted.
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

/** Returns the highest number of ids in a look-up, apart from their length. */
export const maxIdsOf = (dialect: Dialect): number =>
  Math.min(maxPageSizeOf(dialect), dialect.search.maxIds ?? Number.POSITIVE_INFINITY);

/**
 * Returns why the search notation cannot carry a text, to be read after the name of its place;
 * `undefined` if it can.
 */
export function findSearchProblem(
  { operator, values }: Pick<Criterion, 'operator' | 'values'>,
  { pattern, separator }: Dialect['search'],
): string | undefined {
  const ofPattern = isPattern(operator) ? [pattern.any ?? '', ...pattern.special] : [];
  const special = operator === 'IN' ? [separator] : ofPattern;
  for (const text of values) {
    const character = special.find((one) => one !== '' && text.includes(one));
    if (character !== undefined)
      return `must not contain ${JSON.stringify(character)}, which has a meaning in the platform’s search`;
    if (!isEncodable(text)) return NOT_CARRIED;
  }
  return undefined;
}

const NOT_CARRIED =
  'must not contain a comma, a colon, an equals sign or an unprintable character, which the platform’s search cannot carry';

function formatCriterion(
  { field, operator, values }: Criterion,
  search: Dialect['search'],
): string {
  if (!hasOperator(operator, search))
    throw new InputError(`The platform has no search operator for ${operator}.`);
  const word = search.operators[isPattern(operator) ? 'LIKE' : operator];
  const problem = findSearchProblem({ operator, values }, search);
  if (problem !== undefined) throw new InputError(`A search value ${problem}.`);
  const texts = isPattern(operator)
    ? values.map((text) => formatPattern(operator, text, search))
    : values;
  return `${checkField(field)}=${word}:${texts.join(search.separator)}`;
}

/** Returns whether the values of an operator are parts of texts. */
export const isPattern = (operator: SearchOperator) =>
  operator === 'CONTAINS' || operator === 'STARTS_WITH';

/** Returns whether the platform supports a search operator. */
export function hasOperator(
  operator: SearchOperator,
  { operators, pattern }: Dialect['search'],
): boolean {
  return isPattern(operator)
    ? operators.LIKE !== null && pattern.any !== null
    : operators[operator] !== null;
}

/** Writes a text as a pattern of `like`. */
function formatPattern(operator: SearchOperator, text: string, { pattern }: Dialect['search']) {
  const any = pattern.any ?? '';
  return `${operator === 'CONTAINS' ? any : ''}${text}${any}`;
}

const formatOrder = ({ field, direction }: Order): string =>
  `${direction === 'DESC' ? '-' : '+'}${checkField(field)}`;

/** Returns whether search and order can contain a field's name. */
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

/** Whether a search can contain a value. */
export function isEncodable(text: string, separator?: string): boolean {
  return (
    text.isWellFormed() &&
    // biome-ignore lint/suspicious/noControlCharactersInRegex: it searches for control characters.
    !/[,:=\u0000-\u001f\u007f]/.test(text) &&
    !(separator && text.includes(separator))
  );
}
