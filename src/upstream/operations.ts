import { InputError } from '../core/errors.ts';
import { type Dialect, maxPageSizeOf, type SearchOperator } from './dialect.ts';

/** How one operation of the interface is called. */
export interface Operation {
  /** Its name in the interface, spelled as there. */
  readonly name: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /**
   * Whether it has no effect and may be repeated. Decided by operation, never derived from the method:
   * here a PUT executes activities and rules, and another PUT only reads.
   */
  readonly isRead: boolean;
  /** Whether a 2xx answer must have a JSON body. */
  readonly hasBody: boolean;
}

const read = { isRead: true, hasBody: true } as const;
const write = { isRead: false, hasBody: false } as const;

const TABLE = {
  getForms: { method: 'GET', ...read },
  getForm: { method: 'GET', ...read },
  getFormIntances: { method: 'GET', ...read },
  createFormIntance: { method: 'POST', ...write },
  getFormIntance: { method: 'GET', ...read },
  updateFormIntance: { method: 'PUT', ...write },
  updateValuesOfFormIntance: { method: 'PATCH', ...write },
  deleteFormIntance: { method: 'DELETE', ...write },
  startCase: { method: 'POST', ...write, hasBody: true },
  executeCurrentActivity: { method: 'PUT', ...write },
  getParameters: { method: 'PUT', ...read },
  execute: { method: 'PUT', ...write, hasBody: true },
} as const satisfies Readonly<Record<string, Omit<Operation, 'name'>>>;

export type OperationName = keyof typeof TABLE;

/** The interface's operations but `getToken`, whose shape is its variant's. Source: the interface's "Operations". */
export const OPERATIONS = Object.fromEntries(
  Object.entries(TABLE).map(([name, row]) => [name, { name, ...row }]),
) as Readonly<Record<OperationName, Operation>>;

/** Where each kind of resource stands, below `{base_url}/v1.0`. */
export const PATHS = {
  forms: () => path`/forms`,
  form: (formId: string) => path`/forms/${formId}`,
  instances: (formId: string) => path`/forms/${formId}/instances`,
  instance: (formId: string, instanceId: string) => path`/forms/${formId}/instances/${instanceId}`,
  cases: () => path`/cases`,
  executeActivity: (caseId: string, activityId: string) => path`/cases/${caseId}/activities/${activityId}/execute`,
  ruleParameters: (rule: string) => path`/rules/${rule}/get-parameters`,
  executeRule: (rule: string) => path`/rules/${rule}/execute`,
} as const;

const MAX_ID_LENGTH = 256;

/**
 * Builds an upstream path from a template: literals stay, each value becomes one percent-encoded segment.
 *
 *     path`/forms/${formId}/instances`
 *
 * @throws {InputError} for a value that would not survive as one segment: servers resolve empty and dot
 *   segments away, and the call would reach another resource.
 */
export function path(literals: TemplateStringsArray, ...values: readonly string[]): string {
  return String.raw({ raw: literals }, ...values.map((value) => encodeURIComponent(checkId(value))));
}

/**
 * Joins a rule's component and version by one hyphen, as the interface's rule paths do.
 *
 * @throws {InputError} for a part that is no id, and for a hyphen in the version unless allowed: `a-b`+`1` and
 *   `a`+`b-1` would be the same rule.
 */
export function joinRule(component: string, version: string, isHyphenAllowed: boolean): string {
  if (!isHyphenAllowed && version.includes('-')) {
    throw new InputError('The rule version contains a hyphen, so its path would be ambiguous.');
  }
  return `${checkId(component)}-${checkId(version)}`;
}

/**
 * Gives back an id that the interface types as an integer or a long.
 *
 * @throws {InputError} when it is not a plain decimal integer of 64 bits.
 */
export function checkInt64(name: string, value: string): string {
  if (!isInt64(value)) throw new InputError(`${name} must be a decimal integer of 64 bits.`);
  return value;
}

/** Whether a text is a plain decimal integer of 64 bits. */
export function isInt64(value: string): boolean {
  if (!/^(0|-?[1-9]\d{0,18})$/.test(value)) return false;
  // Eighteen digits always fit, and most ids have fewer.
  return value.length < 19 || BigInt.asIntN(64, BigInt(value)) === BigInt(value);
}

/** Whether a text survives as one segment of a path. */
export function isId(value: string): boolean {
  if (value === '' || value === '.' || value === '..' || value.length > MAX_ID_LENGTH) return false;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for.
  return value.isWellFormed() && !/[\u0000-\u001f\u007f-\u009f]/.test(value);
}

function checkId(value: string): string {
  if (!isId(value))
    throw new InputError(
      `This is not an id: it is empty, longer than ${MAX_ID_LENGTH} characters, or contains characters that no id may have.`,
    );
  return value;
}

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
