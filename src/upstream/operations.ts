import { InputError } from './errors.ts';

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
  readonly isBodyDue: boolean;
}

const read = { isRead: true, isBodyDue: true } as const;
const write = { isRead: false, isBodyDue: false } as const;

const TABLE = {
  getForms: { method: 'GET', ...read },
  getForm: { method: 'GET', ...read },
  getFormIntances: { method: 'GET', ...read },
  createFormIntance: { method: 'POST', ...write },
  getFormIntance: { method: 'GET', ...read },
  updateFormIntance: { method: 'PUT', ...write },
  updateValuesOfFormIntance: { method: 'PATCH', ...write },
  deleteFormIntance: { method: 'DELETE', ...write },
  startCase: { method: 'POST', ...write, isBodyDue: true },
  executeCurrentActivity: { method: 'PUT', ...write },
  getParameters: { method: 'PUT', ...read },
  execute: { method: 'PUT', ...write, isBodyDue: true },
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
const INT64_MIN = -(2n ** 63n);
const INT64_MAX = 2n ** 63n - 1n;

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
    throw new InputError('The rule version holds a hyphen, so that its path would be ambiguous.');
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
  return /^(0|-?[1-9]\d{0,18})$/.test(value) && BigInt(value) >= INT64_MIN && BigInt(value) <= INT64_MAX;
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
      `This is not an id: it is empty, longer than ${MAX_ID_LENGTH} characters, or holds what no id can hold.`,
    );
  return value;
}
