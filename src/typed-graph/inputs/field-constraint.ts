import type { Constraint } from '../../graphql/input/constraint.ts';
import type { Objection } from '../../graphql/input/violation.ts';
import { isInt64 } from '../../upstream/path.ts';
import type { Shape, TypedField } from '../typed-form.ts';
import { compareDecimals, toDecimal } from '../values/decimal.ts';

/** Makes what says whether a field takes a value that is of its type. */
export function createFieldConstraint(field: TypedField): Constraint {
  const { record, shape } = field;
  const objections = CONSTRAINTS[shape.kind];
  return (value) => {
    if (isEmpty(value, shape)) return record.required === true ? REQUIRED : undefined;
    return objections?.(value, field);
  };
}

const REQUIRED: Objection = { constraint: 'required', message: 'must have a value' };

// A text without a character is what a form that nobody has filled in holds.
const isEmpty = (value: unknown, { kind }: Shape): boolean =>
  value === null || value === undefined || (value === '' && kind === 'text');

type Objecting = (value: unknown, field: TypedField) => Objection | undefined;

const CONSTRAINTS: Readonly<Partial<Record<Shape['kind'], Objecting>>> = {
  text: objectToLength,
  int: objectToSize,
  long: objectToSize,
  float: objectToSize,
  decimal: objectToSize,
  reference: (value) =>
    isInt64(String(value)) ? undefined : { constraint: 'kind', message: 'must be an id of the platform, an integer' },
};

function objectToLength(value: unknown, { record: { maxLength = Infinity } }: TypedField): Objection | undefined {
  const text = String(value);
  // The interface does not say what a character is: this refuses what is too long in any sense.
  if (text.length <= maxLength || [...text].length <= maxLength) return undefined;
  return { constraint: 'maxLength', limit: maxLength, message: `must have at most ${maxLength} characters` };
}

function objectToSize(value: unknown, { record: { min, max } }: TypedField): Objection | undefined {
  const digits = typeof value === 'number' ? toDecimal(value) : String(value);
  if (min !== undefined && compareDecimals(digits, toDecimal(min)) < 0) {
    return { constraint: 'min', limit: min, message: `must be at least ${min}` };
  }
  if (max !== undefined && compareDecimals(digits, toDecimal(max)) > 0) {
    return { constraint: 'max', limit: max, message: `must be at most ${max}` };
  }
  return undefined;
}
