import { GraphQLInputObjectType } from 'graphql';

import { orUndefined } from '../../core/errors.ts';
import { compareDecimals, toDecimal } from '../../core/exact-numbers.ts';
import type { Json, JsonObject } from '../../core/json.ts';
import { ExpectedValue, isSameJson, isUnset } from '../../graphql/expected-values.ts';
import { decodeReference, decodeReferences } from '../../upstream/decoders.ts';
import { readValue, readValues, toPlatformId, writeField } from './field-types.ts';
import type { FormTypes } from './form-types.ts';
import type { GenericTypes } from './generic-types.ts';
import type { Shape, TypedField } from './typed-form.ts';

type Types = Pick<GenericTypes, 'types' | 'dialect'>;

/** Creates the input of values that a change of a form's instance expects; `undefined` without fields. */
export function createExpectedInput({ form, typeOf }: FormTypes, genericTypes: Types) {
  const { fields, names, title } = form;
  if (fields.length === 0) return undefined;
  const type = new GraphQLInputObjectType({
    name: names.expected,
    description: `Values that an instance of ${title} must have before it is changed; \`null\` for a field without a value.`,
    fields: Object.fromEntries(
      fields.map((field) => [field.name, { type: typeOf(field), description: field.description }]),
    ),
  });
  return {
    type,
    /** Reads an input of this type. @throws {InputError} for the id of another form. */
    read(expected: object): readonly ExpectedValue[] {
      const given = expected as Readonly<Record<string, unknown>>;
      const named = fields.filter(({ name }) => given[name] !== undefined);
      return named.map((field) => toExpected(field, given[field.name], genericTypes));
    },
  };
}

/** Returns an expected value of the graph's type. */
function toExpected(field: TypedField, given: unknown, { types, dialect }: Types): ExpectedValue {
  const { shape, record } = field;
  const toKnown = (value: unknown) =>
    shape.kind === 'reference' ? toPlatformId(value, shape) : value;
  const expected = Array.isArray(given) ? given.map(toKnown) : given && toKnown(given);
  return new ExpectedValue(record.name, writeField(types, field, given), (stored) =>
    isEqual(shape, expected, readStored(field, stored, { types, dialect })),
  );
}

/**
 * Returns the expected values of the generic graph, which are compared as the typed graph reads them.
 * A value that is not of the field's type is compared as JSON.
 */
export function readGenericExpected(
  expected: JsonObject,
  fields: readonly TypedField[],
  genericTypes: Types,
): readonly ExpectedValue[] {
  const byName = new Map(fields.map((field) => [field.record.name, field]));
  return Object.entries(expected).map(([name, value]) => {
    const field = byName.get(name);
    if (field === undefined) return new ExpectedValue(name, value);
    const platformValue = toPlatformValue(field, value);
    const read = orUndefined(() => readStored(field, platformValue, genericTypes));
    if (read === undefined && !isUnset(value)) return new ExpectedValue(name, value);
    return new ExpectedValue(name, value, (stored) =>
      isEqual(field.shape, read, readStored(field, stored, genericTypes)),
    );
  });
}

/** Converts the global ids of a reference. */
function toPlatformValue({ shape }: TypedField, value: Json): Json {
  if (shape.kind !== 'reference') return value;
  const toId = (id: Json) => (typeof id === 'string' && id !== '' ? toPlatformId(id, shape) : id);
  return Array.isArray(value) ? value.map(toId) : toId(value);
}

/** Reads a stored value as the graph does; of a reference its id. */
function readStored(
  field: TypedField,
  value: Json | undefined,
  { types, dialect }: Types,
): unknown {
  const { shape, record, isList } = field;
  if (shape.kind === 'reference') {
    const decode = isList ? decodeReferences : decodeReference;
    return decode(value, record.name, dialect);
  }
  return isList ? readValues(types, field, value) : readValue(types, field, value);
}

const NUMBERS: readonly Shape['kind'][] = ['int', 'long', 'float', 'decimal'];

/** Whether two values of the graph's type are the same. */
function isEqual(shape: Shape, one: unknown, other: unknown): boolean {
  if (isEmpty(one) || isEmpty(other)) return isEmpty(one) && isEmpty(other);
  if (Array.isArray(one)) {
    return (
      Array.isArray(other) &&
      one.length === other.length &&
      one.every((item, index) => isEqual(shape, item, other[index]))
    );
  }
  if (one instanceof Date) return other instanceof Date && one.getTime() === other.getTime();
  if (NUMBERS.includes(shape.kind)) return compareDecimals(digitsOf(one), digitsOf(other)) === 0;
  return isSameJson(one as Json, other as Json);
}

const isEmpty = (value: unknown): boolean =>
  isUnset(value) || (Array.isArray(value) && value.length === 0);

const digitsOf = (value: unknown): string =>
  typeof value === 'number' ? toDecimal(value) : String(value);
