import type { Json, JsonObject } from './json.ts';
import type { Form, ValueType } from './model.ts';

/** A stored value. An empty field has no value. */
export type Value = string | number | bigint | boolean;

/** Values by the name of their field, variable or parameter. Empty ones are absent. */
export type Values = Readonly<Record<string, Value>>;

/** The definition of a value: of a field, a variable or a parameter. */
export interface ValueShape {
  readonly type: ValueType;
  readonly options?: readonly string[] | undefined;
  readonly maxLength?: number | undefined;
  readonly min?: number | undefined;
  readonly max?: number | undefined;
}

/** The value to store (`undefined` if empty), or a problem that follows the name: "must be …". */
export type Checked = { readonly value: Value | undefined } | { readonly problem: string };

export interface Problem {
  readonly field: string;
  /** Follows the field's name: "must be …". */
  readonly problem: string;
}

export interface Merged {
  readonly values: Values;
  readonly problems: readonly Problem[];
}

interface Change {
  readonly current: Values;
  /** The caller's values by name. `null` clears. */
  readonly named: JsonObject;
  /** Names that must have a value afterwards. */
  readonly required: readonly string[];
  check(name: string, raw: Json): Checked;
}

/** Returns the current values overridden by the caller's, and every problem at once. */
export function mergeValues({ current, named, required, check }: Change): Merged {
  const values: Record<string, Value> = { ...current };
  const problems: Problem[] = [];
  for (const [field, raw = null] of Object.entries(named)) {
    const checked = check(field, raw);
    if ('problem' in checked) problems.push({ field, problem: checked.problem });
    else if (checked.value === undefined) delete values[field];
    else values[field] = checked.value;
  }
  const invalid = new Set(problems.map(({ field }) => field));
  const missing = required.filter((field) => !invalid.has(field) && (values[field] ?? '') === '');
  problems.push(...missing.map((field) => ({ field, problem: 'is required' })));
  return { values, problems };
}

/** Returns whether a form has an instance. References are checked with it. */
export type HasInstance = (idForm: string, idInstance: number) => boolean;

interface InstanceChange {
  /** The present values of the instance, empty for a new one. */
  readonly current: Values;
  readonly named: JsonObject;
  readonly hasInstance: HasInstance;
  /** Whether required fields that the caller did not name must have a value too. */
  readonly isWhole: boolean;
}

/** Returns an instance's values after a change, and every problem, field by field. */
export function changeInstance(
  form: Form,
  { current, named, hasInstance, isWhole }: InstanceChange,
): Merged {
  const fields = new Map(form.fields.map((field) => [field.name, field]));
  const isDue = (name: string) => isWhole || Object.hasOwn(named, name);
  const required = form.fields
    .filter((field) => field.required && isDue(field.name))
    .map(({ name }) => name);

  const check = (name: string, raw: Json): Checked => {
    const field = fields.get(name);
    if (field === undefined) return { problem: `is not a field of the form "${form.idForm}"` };
    const checked = checkValue(field, raw);
    if ('problem' in checked || checked.value === undefined) return checked;
    if (field.reference === undefined) return checked;
    if (hasInstance(field.reference, Number(checked.value))) return checked;
    return { problem: `must be the idInstance of an existing "${field.reference}"` };
  };
  return mergeValues({ current, named, required, check });
}

/** Returns the values that a full update keeps: those in required fields. */
export function requiredValues({ fields }: Form, current: Values): Values {
  const kept: Record<string, Value> = {};
  for (const { name, required } of fields) {
    const value = current[name];
    if (required && value !== undefined) kept[name] = value;
  }
  return kept;
}

/** Checks one value of a body. `null` is empty in every type. */
export function checkValue(shape: ValueShape, raw: Json): Checked {
  if (raw === null) return { value: undefined };
  const { read, expected } = TYPES[shape.type];
  const value = read(raw);
  if (value === undefined) return { problem: `must be ${expected}` };
  const problem = violationOf(shape, value);
  return problem === undefined ? { value } : { problem };
}

/**
 * Checks one value of a `search`, which is text. Only the type matters: a number beyond a field's
 * `max` is valid and matches nothing.
 */
export function checkText({ type, options }: ValueShape, text: string): Checked {
  const { fromText = (same: string): Json => same, expected } = TYPES[type];
  const raw = fromText(text);
  if (raw === undefined) return { problem: `must be ${expected}` };
  return checkValue({ type, options }, raw);
}

function violationOf(
  { options, maxLength, min, max }: ValueShape,
  value: Value,
): string | undefined {
  if (options?.some((option) => option === value) === false)
    return `must be one of ${options.join(', ')}`;
  if (typeof value === 'boolean') return undefined;
  if (typeof value === 'string') {
    const isTooLong = maxLength !== undefined && value.length > maxLength;
    return isTooLong ? `must have at most ${maxLength} characters` : undefined;
  }
  if (min !== undefined && value < min) return `must be at least ${min}`;
  if (max !== undefined && value > max) return `must be at most ${max}`;
  return undefined;
}

interface TypeReader {
  /** Ends the sentence "must be …". */
  readonly expected: string;
  /** Returns the value to store, or `undefined` if `raw` does not have this type. */
  read(raw: Json): Value | undefined;
  /**
   * Converts a text in a `search` to JSON. Returns `undefined` if it does not have this type.
   * Default: the text itself.
   */
  fromText?(text: string): Json | undefined;
}

const readText = (raw: Json): Value | undefined => (typeof raw === 'string' ? raw : undefined);
const integerFromText = (text: string): Json | undefined =>
  /^-?\d{1,19}$/.test(text) ? BigInt(text) : undefined;

/** The interface shows no field types, so these are the sandbox's. */
const TYPES: Readonly<Record<ValueType, TypeReader>> = {
  text: { expected: 'a text', read: readText },
  choice: { expected: 'a text', read: readText },
  integer: { expected: 'an integer of 64 bits', read: readInteger, fromText: integerFromText },
  reference: { expected: 'an idInstance', read: readReference, fromText: integerFromText },
  decimal: {
    expected: 'a number of at most 15 digits',
    read: readDecimal,
    fromText: (text) => (/^-?\d+(\.\d+)?$/.test(text) ? Number(text) : undefined),
  },
  boolean: {
    expected: 'true or false',
    read: (raw) => (typeof raw === 'boolean' ? raw : undefined),
    fromText: (text) =>
      new Map([
        ['true', true],
        ['false', false],
      ]).get(text),
  },
  date: { expected: 'a date like 2026-01-31', read: (raw) => (isDate(raw) ? raw : undefined) },
  datetime: {
    expected: 'a date and time with its offset, like 2026-01-31T09:30:00Z',
    read: readDatetime,
  },
};

function readInteger(raw: Json): Value | undefined {
  if (typeof raw === 'number') return Number.isSafeInteger(raw) ? raw : undefined;
  if (typeof raw !== 'bigint' || BigInt.asIntN(64, raw) !== raw) return undefined;
  return Number.isSafeInteger(Number(raw)) ? Number(raw) : raw;
}

function readReference(raw: Json): Value | undefined {
  const value = readInteger(raw);
  return typeof value === 'number' && value > 0 ? value : undefined;
}

function readDecimal(raw: Json): Value | undefined {
  if (typeof raw === 'bigint') return BigInt(Number(raw)) === raw ? Number(raw) : undefined;
  return typeof raw === 'number' && Number.isFinite(raw) ? raw : undefined;
}

/** Whether a value is a day of the calendar, such as `2026-01-31`. */
export function isDate(raw: Json): raw is string {
  if (typeof raw !== 'string' || !/^\d{4}-\d{2}-\d{2}$/.test(raw)) return false;
  const atMs = Date.parse(`${raw}T00:00:00Z`);
  return !Number.isNaN(atMs) && new Date(atMs).toISOString().startsWith(raw);
}

/** Returns the time in UTC with milliseconds, so that comparing the texts compares the times. */
function readDatetime(raw: Json): Value | undefined {
  const shape = /^(\d{4}-\d{2}-\d{2})T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2})$/;
  if (typeof raw !== 'string') return undefined;
  const date = shape.exec(raw)?.[1];
  if (date === undefined || !isDate(date) || Number.isNaN(Date.parse(raw))) return undefined;
  const utc = new Date(raw).toISOString();
  return utc.length === '2026-01-31T09:30:00.000Z'.length ? utc : undefined;
}
