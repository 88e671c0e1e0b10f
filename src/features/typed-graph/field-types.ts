import {
  GraphQLBoolean,
  type GraphQLEnumType,
  GraphQLFloat,
  GraphQLID,
  GraphQLInt,
  type GraphQLList,
  type GraphQLNonNull,
  type GraphQLScalarType,
  GraphQLSchema,
  GraphQLString,
} from 'graphql';
import { readBoolean } from '../../core/boolean.ts';
import { dayAfter, readDateTime, readDay, readEpoch } from '../../core/date-time.ts';
import { writeOut } from '../../core/decimal.ts';
import { InputError } from '../../core/errors.ts';
import {
  compareDecimals,
  toDecimal,
  toExactNumber,
  writeInteger,
} from '../../core/exact-numbers.ts';
import type { Json } from '../../core/json.ts';
import { OtherFormError, toInstanceId } from '../../graphql/relay.ts';
import { DateScalar, Decimal, Long } from '../../graphql/scalars.ts';
import type { ConstraintViolation } from '../../graphql/violations.ts';
import {
  decodeReference,
  decodeReferences,
  toItems,
  unreadableValue,
} from '../../upstream/decoders.ts';
import type { Dialect } from '../../upstream/dialect.ts';
import { decodeFieldDefinition } from '../../upstream/field-definition.ts';
import { isInt64 } from '../../upstream/path.ts';
import type { FieldRecord } from '../../upstream/records.ts';
import { toPascal, wordsOf } from './names.ts';
import { mapField, type Shape, type TypedField } from './typed-form.ts';

export type FilterWord =
  | 'eq'
  | 'ne'
  | 'gt'
  | 'gte'
  | 'lt'
  | 'lte'
  | 'like'
  | 'contains'
  | 'startsWith'
  | 'in'
  | 'notIn';

type Plain = string | number | boolean;

/** The properties of one kind of field. */
interface FieldType {
  /** The GraphQL type in outputs and inputs. Choices use their enum instead. */
  readonly type: GraphQLScalarType;
  /** The filter operators for these fields. */
  readonly words: readonly FilterWord[];
  /** The GraphQL type of values in filters, if it is another one. */
  readonly searchedAs?: GraphQLScalarType;
  /**
   * Reads a platform value. Returns `undefined` if it does not fit the type. Absent if every value
   * fits.
   */
  readonly read?: (value: Plain, shape: Shape) => unknown;
  /** Converts an input value to the platform's notation. Absent if they are the same. */
  readonly write?: (value: unknown, shape: Shape) => Json;
  /** Converts a value of a filter to the platform's notation. Absent if they are the same. */
  readonly writeSearched?: (value: Json, shape: Shape) => Json;
  /**
   * Returns the value after a value of a filter; `undefined` if it is the last one. `eq` then
   * searches for the range from the value to the next one.
   */
  readonly nextSearched?: (value: Json) => Json | undefined;
  /** Checks a value of the right type. Returns the violated constraint, or `undefined`. */
  readonly check?: (value: unknown, field: TypedField) => ConstraintViolation | undefined;
}

type ValueType = GraphQLEnumType | GraphQLScalarType;

/** Returns the nullable type of a field, for outputs and inputs. */
export type TypeOf = (field: TypedField) => ValueType | GraphQLList<GraphQLNonNull<ValueType>>;

/** The properties of all kinds of fields. */
export type FieldTypes = Readonly<Record<Shape['kind'], FieldType>>;

const EXACT: readonly FilterWord[] = ['eq', 'ne', 'in', 'notIn'];
const ORDERED: readonly FilterWord[] = ['eq', 'ne', 'gt', 'gte', 'lt', 'lte', 'in', 'notIn'];
const OF_TEXT: readonly FilterWord[] = [
  'eq',
  'ne',
  'contains',
  'startsWith',
  'like',
  'in',
  'notIn',
];
/** The platform's notation cannot contain a time, only a day: that day, from it on, or before it. */
const OF_TIME: readonly FilterWord[] = ['eq', 'gte', 'lt'];

/** @param typeNames the names of the types of forms, by form id. */
export const createFieldTypes = (
  schema: GraphQLSchema,
  { form }: Dialect,
  typeNames: ReadonlyMap<string, string> = new Map(),
): FieldTypes => ({
  text: { type: GraphQLString, words: OF_TEXT, read: String, check: checkLength },
  int: { type: GraphQLInt, words: ORDERED, read: toInt, check: checkSize },
  long: { type: Long, words: ORDERED, read: toLong, write: toInteger, check: checkSize },
  float: { type: GraphQLFloat, words: ORDERED, read: toFloat, check: checkSize },
  decimal: {
    type: Decimal,
    words: ORDERED,
    read: toDigits,
    write: (value) =>
      form.writtenDecimal === 'text' ? String(value) : toExactNumber(String(value)),
    check: checkSize,
  },
  boolean: {
    type: GraphQLBoolean,
    words: ['eq', 'ne'],
    read: readBoolean,
    write: (value) => writeBoolean(value === true, form),
    writeSearched: (value) => writeBoolean(value === true, form),
  },
  date: { type: DateScalar, words: ORDERED, read: (value) => readDay(String(value)) },
  datetime: {
    type: schema.getType('DateTime') as GraphQLScalarType,
    words: OF_TIME,
    searchedAs: DateScalar,
    read: (value) => toTime(value, form),
    write: (value) => writeTime(value as Date, form),
    writeSearched: (day) =>
      form.writtenDatetime === 'iso' ? day : writeTime(startOf(String(day), form), form),
    nextSearched: (day) => dayAfter(String(day)),
  },
  choice: { type: GraphQLString, words: EXACT, read: toChoice },
  reference: {
    type: GraphQLID,
    words: EXACT,
    writeSearched: (value, shape) => toPlatformId(value, shape, typeNames),
    write: (value, shape) => {
      const id = toPlatformId(value, shape, typeNames);
      return form.writtenReference === 'text' ? id : writeInteger(id);
    },
    check: (value, { shape }) => checkId(value, shape, typeNames),
  },
  json: { type: schema.getType('JSON') as GraphQLScalarType, words: [] },
});

/**
 * Returns the name of the filter input for a kind. All forms share it, except for choices, where
 * each enum has its own.
 */
export const filterNameOf = ({ type }: FieldType): string =>
  `${type === GraphQLString ? 'Text' : type.name}FilterInput`;

/**
 * Reads the value of a field; `undefined` for an empty value.
 *
 * @throws {UpstreamError} `malformed` for a value of another type.
 */
export function readValue(
  types: FieldTypes,
  { shape, record }: TypedField,
  value: Json | undefined,
): unknown {
  const { read } = types[shape.kind];
  if (value === undefined || value === null) return undefined;
  if (read === undefined) return value;
  if (value === '' && shape.kind !== 'text') return undefined;
  const isPlain = typeof value !== 'object';
  const found = isPlain ? read(value as Plain, shape) : undefined;
  if (found !== undefined) return found;
  if (isPlain && shape.kind === 'choice') throw unreadableValue(record.name, NO_OPTION, true);
  throw unreadableValue(record.name, problemOf(shape));
}

/**
 * Reads the values of a list field.
 *
 * @throws {UpstreamError} like `readValue`.
 */
export const readValues = (
  types: FieldTypes,
  field: TypedField,
  value: Json | undefined,
): readonly unknown[] => toItems(value).map((item) => readValue(types, field, item));

/**
 * Checks that the value of a form's field can be read.
 *
 * @throws {UpstreamError} like `readValue`.
 */
export function checkValue(record: FieldRecord, value: Json | undefined, dialect: Dialect): void {
  const field = mapField(decodeFieldDefinition(record, dialect.form), record.name);
  const { isList, shape } = field;
  if (shape.kind === 'reference') {
    const decode = isList ? decodeReferences : decodeReference;
    decode(value, record.name, dialect);
    return;
  }
  const read = isList ? readValues : readValue;
  read(createFieldTypes(WITHOUT_TYPES, dialect), field, value);
}

/** Reading values does not use the types of the graph. */
const WITHOUT_TYPES = new GraphQLSchema({});

const NO_OPTION =
  'has a value that is not, or no longer, among its options, maybe also in other rows of this list. ' +
  'The generic graph can read it (`value`) and find it (`where`)';

/** The members of the dialect that affect a value, besides `form.types`. */
const MEMBERS: Readonly<Partial<Record<Shape['kind'], string>>> = {
  datetime: ' and form.datetime',
  choice: ' and form.fieldMultiple',
};

const problemOf = ({ kind }: Shape): string =>
  `has a value that is no ${kind}: see form.types${MEMBERS[kind] ?? ''} of the dialect`;

/** Converts the coerced input of a field to the platform's notation. `null` empties the field. */
export function writeField(types: FieldTypes, { shape, isList }: TypedField, given: unknown): Json {
  if (given === null) return null;
  if (!isList) return writeValue(types, shape, given);
  return (given as readonly unknown[]).map((value) => writeValue(types, shape, value));
}

/** Converts one coerced value, not `null`, to the platform's notation. */
export function writeValue(types: FieldTypes, shape: Shape, value: unknown): Json {
  const { write } = types[shape.kind];
  return write ? write(value, shape) : (value as Json);
}

const toLong = (value: Plain): string | undefined =>
  isInt64(String(value)) ? String(value) : undefined;
const toInteger = (value: unknown): Json => writeInteger(String(value));

function toInt(value: Plain): number | undefined {
  const number = Number(value);
  const isInt32 = (number | 0) === number;
  return isInt32 && (typeof value === 'number' || isInt64(String(value))) ? number : undefined;
}

const toDigits = (value: Plain): string | undefined =>
  typeof value === 'boolean' ? undefined : writeOut(String(value));

function toFloat(value: Plain): number | undefined {
  const number = typeof value === 'number' ? value : Number(toDigits(value));
  return Number.isFinite(number) ? number : undefined;
}

function writeBoolean(value: boolean, { writtenBoolean }: Dialect['form']): Json {
  if (writtenBoolean === 'boolean') return value;
  return writtenBoolean === 'number' ? Number(value) : String(value);
}

function toTime(value: Plain, { datetime, assumedOffset }: Dialect['form']): Date | undefined {
  const time = typeof value === 'string' ? readDateTime(value, assumedOffset) : undefined;
  return time ?? (datetime === 'iso' ? undefined : readEpoch(toDigits(value) ?? '', datetime));
}

function writeTime(time: Date, { writtenDatetime }: Dialect['form']): Json {
  if (writtenDatetime === 'iso') return time.toISOString();
  return writtenDatetime === 'epoch-ms' ? time.getTime() : time.getTime() / 1_000;
}

/** Returns the first moment of a day in the platform's time zone. */
const startOf = (day: string, { assumedOffset }: Dialect['form']): Date =>
  new Date(`${day}T00:00:00${assumedOffset}`);

const toChoice = (value: Plain, shape: Shape): unknown =>
  shape.kind === 'choice' ? shape.choices.get(String(value))?.value : undefined;

/**
 * Converts a reference to the platform's id. The input may be a global id.
 *
 * @throws {InputError} for any other text. Its message continues a sentence after the field's name.
 */
export function toPlatformId(
  value: unknown,
  shape: Shape,
  typeNames: ReadonlyMap<string, string>,
): string {
  const formId = shape.kind === 'reference' ? shape.formId : '';
  try {
    return toInstanceId(formId, String(value));
  } catch (error) {
    if (!(error instanceof OtherFormError)) throw error;
    // The other form may be hidden from the caller, so its name is made of the client's own id.
    const other = toPascal(wordsOf(error.formId), 'Form');
    const needed = typeNames.get(formId) ?? toPascal(wordsOf(formId), 'Form');
    throw new InputError(`is ${withArticle(other)}, must be ${withArticle(needed)}`);
  }
}

function checkId(
  value: unknown,
  shape: Shape,
  typeNames: ReadonlyMap<string, string>,
): ConstraintViolation | undefined {
  try {
    toPlatformId(value, shape, typeNames);
    return undefined;
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    return { constraint: 'kind', message: error.message };
  }
}

const withArticle = (name: string): string =>
  `${/^[AEIOU]/.test(name) ? 'an' : 'a'} ${name.slice(0, MAX_NAME_LENGTH)}`;

const MAX_NAME_LENGTH = 100;

function checkLength(
  value: unknown,
  { record: { maxLength = Infinity } }: TypedField,
): ConstraintViolation | undefined {
  const text = String(value);
  // The interface does not define "character". A text is rejected only if it is too long in UTF-16
  // code units and in code points.
  if (text.length <= maxLength || [...text].length <= maxLength) return undefined;
  return {
    constraint: 'maxLength',
    limit: maxLength,
    message: `must have at most ${maxLength} characters`,
  };
}

function checkSize(
  value: unknown,
  { record: { min, max } }: TypedField,
): ConstraintViolation | undefined {
  const digits = digitsOf(value);
  if (min !== undefined && compareDecimals(digits, toDecimal(min)) < 0) {
    return { constraint: 'min', limit: min, message: `must be at least ${min}` };
  }
  if (max !== undefined && compareDecimals(digits, toDecimal(max)) > 0) {
    return { constraint: 'max', limit: max, message: `must be at most ${max}` };
  }
  return undefined;
}

const digitsOf = (value: unknown): string =>
  typeof value === 'number' ? toDecimal(value) : String(value);
