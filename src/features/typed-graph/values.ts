import { GraphQLEnumType, GraphQLID, type GraphQLInputType, type GraphQLScalarType } from 'graphql';
import { isDate, readDateTime } from '../../core/date-time.ts';
import { writeOut } from '../../core/decimal.ts';
import { UpstreamError } from '../../core/errors.ts';
import type { Json } from '../../core/json.ts';
import type { Dialect } from '../../upstream/dialect.ts';
import { isInt64 } from '../../upstream/path.ts';
import { toExactNumber, writeInteger } from './exact-numbers.ts';
import type { GenericTypes } from './generic-types.ts';
import type { Choices, Shape, TypedField, TypedForm } from './typed-form.ts';

interface ValueTypeParts {
  readonly genericTypes: GenericTypes;
  readonly enumOf: EnumOf;
}

/** Gives the type that a field's values have in an input, `null` allowed. */
export function inputTypeOf(field: TypedField, parts: ValueTypeParts): GraphQLInputType {
  const { kind } = field.shape;
  return kind === 'reference' ? GraphQLID : leafTypeOf(field, kind, parts);
}

/** Gives the type of the values of a field that refers to nothing: the same in inputs and in answers. */
export function leafTypeOf(
  field: TypedField,
  kind: Exclude<Shape['kind'], 'reference'>,
  { genericTypes, enumOf }: ValueTypeParts,
): GraphQLEnumType | GraphQLScalarType {
  return enumOf(field) ?? genericTypes.scalars[kind === 'choice' ? 'text' : kind];
}

/** Gives the enum of a field's choices; `undefined` for a field that is no choice. */
export type EnumOf = (field: TypedField) => GraphQLEnumType | undefined;

/** Makes the enums of a form. */
export function createEnums(form: TypedForm): EnumOf {
  const enums = new Map(
    form.fields.flatMap(({ name, shape, record }) => {
      const enumName = form.names.enums.get(name)?.type;
      if (shape.kind !== 'choice' || enumName === undefined) return [];
      const description = `The values of ${record.label ?? record.name} of ${form.title}, each with the platform’s own.`;
      return [[name, createChoiceType(shape.choices, { name: enumName, description })] as const];
    }),
  );
  return ({ name }) => enums.get(name);
}

/** Makes the enum of a field's choices. Each value's description says what the platform has for it. */
function createChoiceType(
  choices: Choices,
  { name, description }: { readonly name: string; readonly description: string },
) {
  const values = [...choices.values()].map(({ name: valueName, value, label }) => {
    const text = JSON.stringify(value);
    return [valueName, { value, description: label === undefined ? text : `${label}: ${text}` }] as const;
  });
  return new GraphQLEnumType({ name, description, values: Object.fromEntries(values) });
}

/** Reads a value as an instance holds it. `undefined` for an empty one. @throws {UpstreamError} `malformed` for another type's. */
type ReadValue = (value: Json | undefined) => unknown;

type Plain = string | number | boolean;
/** Gives `undefined` for what is not of the type. */
type Reader = (value: Plain) => unknown;

/** Gives the reader of a field's values; references are read elsewhere. */
export type ReadValueOf = (shape: Exclude<Shape, { kind: 'reference' }>) => ReadValue;

/** Creates readers: fields of one kind, of which there may be very many, share one. */
export function createReaders(dialect: Dialect): ReadValueOf {
  const plain = new Map<string, ReadValue>(
    Object.entries(readersFor(dialect)).map(([kind, read]) => [kind, toReadValue(kind, read)]),
  );
  return (shape) => {
    if (shape.kind === 'choice') {
      const { choices } = shape;
      return toReadValue('choice', (value) => choices.get(String(value))?.value);
    }
    return plain.get(shape.kind) ?? ((value) => value ?? undefined);
  };
}

function toReadValue(kind: string, read: Reader): ReadValue {
  return (value) => {
    if (value === undefined || value === null || (value === '' && kind !== 'text')) return undefined;
    const found = typeof value === 'object' ? undefined : read(value as Plain);
    if (found !== undefined) return found;
    const cause = new Error(`a value is not of the type that its field's definition says (${kind})`);
    throw new UpstreamError('malformed', { operation: 'getFormIntance', cause });
  };
}

const readersFor = ({ form: { assumedOffset } }: Dialect) =>
  ({
    text: String,
    int: (value) =>
      isInt32(Number(value)) && (typeof value === 'number' || isInt64(String(value))) ? Number(value) : undefined,
    long: (value) => toDigits(String(value)),
    float: (value) => (typeof value === 'number' ? value : toFinite(Number(toDigitsOf(value)))),
    decimal: toDigitsOf,
    boolean: (value) => BOOLEANS.get(value),
    date: (value) => toDay(String(value)),
    datetime: (value) => (typeof value === 'string' ? readDateTime(value, assumedOffset) : undefined),
  }) as const satisfies Record<string, Reader>;

const BOOLEANS: ReadonlyMap<Plain, boolean> = new Map<Plain, boolean>([
  [true, true],
  [false, false],
  ['true', true],
  ['false', false],
]);

const toDigits = (text: string): string | undefined => (isInt64(text) ? text : undefined);
const isInt32 = (value: number): boolean => (value | 0) === value;
function toDay(text: string): string | undefined {
  const day = text.slice(0, 10);
  return isDate(day) ? day : undefined;
}
const toDigitsOf = (value: Plain): string | undefined =>
  typeof value === 'boolean' ? undefined : writeOut(String(value));
const toFinite = (value: number): number | undefined => (Number.isFinite(value) ? value : undefined);

/** Makes a value of a typed input, which is of its type, what the platform takes for it. `null` empties a field. */
export type EncodeValue = (value: unknown) => Json;

/** Creates writers of values: fields of one kind share one. */
export function createWriters({ form }: Dialect): (shape: Shape) => EncodeValue {
  const writers = new Map(
    Object.entries(writersFor(form)).map(([kind, write]) => [
      kind,
      (value: unknown) => (value === null ? null : write(value)),
    ]),
  );
  return ({ kind }) => writers.get(kind) ?? asItIs;
}

const asItIs: EncodeValue = (value) => value as Json;

const writersFor = ({ writtenDecimal, writtenReference }: Dialect['form']) =>
  ({
    long: (value) => writeInteger(String(value)),
    decimal: (value) => (writtenDecimal === 'text' ? String(value) : toExactNumber(String(value))),
    datetime: (value) => (value as Date).toISOString(),
    reference: (value) => (writtenReference === 'text' ? String(value) : writeInteger(String(value))),
  }) as const satisfies Partial<Record<Shape['kind'], EncodeValue>>;
