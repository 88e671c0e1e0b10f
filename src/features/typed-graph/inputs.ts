import { type GraphQLInputFieldConfig, GraphQLInputObjectType, type GraphQLInputType, GraphQLNonNull } from 'graphql';
import { toDecimal } from '../../core/decimal.ts';
import { InputError } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json.ts';
import { toInstanceId } from '../../graphql/relay.ts';
import { withConstraint } from '../../graphql/schema-metadata.ts';
import { type Constraint, type ConstraintViolation, type Violation, violationError } from '../../graphql/violations.ts';
import type { Dialect } from '../../upstream/dialect.ts';
import { isInt64 } from '../../upstream/path.ts';
import { compareDecimals } from './exact-numbers.ts';
import type { Shape, TypedField } from './typed-form.ts';
import { createWriters, type EncodeValue } from './values.ts';

/** A field as typed inputs take it. */
interface InputField extends TypedField {
  readonly constraint: Constraint;
  readonly write: EncodeValue;
  /** In inputs where it may be left out. */
  readonly config: GraphQLInputFieldConfig;
}

/** Prepares fields for inputs. */
export function toInputFields(
  fields: readonly TypedField[],
  dialect: Dialect,
  typeOf: (field: TypedField) => GraphQLInputType,
): InputField[] {
  const writeValueOf = createWriters(dialect);
  return fields.map((field) => {
    const constraint = createFieldConstraint(field);
    const config = { type: typeOf(field), description: field.description, ...withConstraint(constraint) };
    return { ...field, constraint, write: withPlatformId(field.shape, writeValueOf(field.shape)), config };
  });
}

/** A reference may be given by a global id. */
function withPlatformId(shape: Shape, write: EncodeValue): EncodeValue {
  if (shape.kind !== 'reference') return write;
  return (value) => write(value === null ? null : toInstanceId(shape.formId, String(value)));
}

/** The values of a typed input, each of its type. */
export type GivenValues = Readonly<Record<string, unknown>>;

/**
 * Makes the values of a typed input what the platform takes, by its own names. `path` is where they stand.
 *
 * @throws {GraphQLError} BAD_USER_INPUT that lists every value which violates a constraint.
 */
export function writeValues(fields: readonly InputField[], given: GivenValues, path: readonly string[]): JsonObject {
  const named = fields.filter(({ name }) => given[name] !== undefined);
  const violations = named.flatMap(({ name, constraint }): Violation[] => {
    const violation = constraint(given[name]);
    return violation === undefined ? [] : [{ path: [...path, name], ...violation }];
  });
  if (violations.length > 0) throw violationError(violations);
  return Object.fromEntries(named.map(({ name, record, write }) => [record.name, write(given[name])]));
}

interface ValuesOptions {
  readonly name: string;
  readonly description: string;
  /** Whether required fields must be given. */
  readonly isWhole: boolean;
}

/** Makes the input of values by field; `undefined` where there is no field, since no type can be without any. */
export function createValuesInput(
  fields: readonly InputField[],
  { name, description, isWhole }: ValuesOptions,
): GraphQLInputObjectType | undefined {
  if (fields.length === 0) return undefined;
  const configs = fields.map(({ name: field, record, config }) => {
    const isDue = isWhole && record.required === true;
    return [field, isDue ? { ...config, type: new GraphQLNonNull(config.type) } : config] as const;
  });
  return new GraphQLInputObjectType({ name, description, fields: Object.fromEntries(configs) });
}

/** Checks whether a field takes a value that is of its type. */
function createFieldConstraint(field: TypedField): Constraint {
  const { record, shape } = field;
  const check = CONSTRAINTS[shape.kind];
  return (value) => {
    if (isEmpty(value, shape)) return record.required === true ? REQUIRED : undefined;
    return check?.(value, field);
  };
}

const REQUIRED: ConstraintViolation = { constraint: 'required', message: 'must have a value' };

// An empty text is the value of a field that was not filled in.
const isEmpty = (value: unknown, { kind }: Shape): boolean =>
  value === null || value === undefined || (value === '' && kind === 'text');

type CheckConstraint = (value: unknown, field: TypedField) => ConstraintViolation | undefined;

const CONSTRAINTS: Readonly<Partial<Record<Shape['kind'], CheckConstraint>>> = {
  text: checkLength,
  int: checkSize,
  long: checkSize,
  float: checkSize,
  decimal: checkSize,
  reference: checkId,
};

function checkId(value: unknown, { shape }: TypedField): ConstraintViolation | undefined {
  const formId = shape.kind === 'reference' ? shape.formId : '';
  try {
    if (isInt64(toInstanceId(formId, String(value)))) return undefined;
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
  }
  return { constraint: 'kind', message: 'must be an id of the platform, an integer, or a global id' };
}

function checkLength(
  value: unknown,
  { record: { maxLength = Infinity } }: TypedField,
): ConstraintViolation | undefined {
  const text = String(value);
  // The interface does not say what a character is: this refuses what is too long in any sense.
  if (text.length <= maxLength || [...text].length <= maxLength) return undefined;
  return { constraint: 'maxLength', limit: maxLength, message: `must have at most ${maxLength} characters` };
}

function checkSize(value: unknown, { record: { min, max } }: TypedField): ConstraintViolation | undefined {
  const digits = digitsOf(value);
  if (min !== undefined && compareDecimals(digits, toDecimal(min)) < 0) {
    return { constraint: 'min', limit: min, message: `must be at least ${min}` };
  }
  if (max !== undefined && compareDecimals(digits, toDecimal(max)) > 0) {
    return { constraint: 'max', limit: max, message: `must be at most ${max}` };
  }
  return undefined;
}

const digitsOf = (value: unknown): string => (typeof value === 'number' ? toDecimal(value) : String(value));
