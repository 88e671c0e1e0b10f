import { GraphQLInputObjectType } from 'graphql';

import { orUndefined } from '../../core/errors.ts';
import { toDecimal, withoutPadding } from '../../core/exact-numbers.ts';
import type { Json, JsonObject } from '../../core/json.ts';
import { ExpectedValue, isSameJson, isUnset } from '../../graphql/expected-values.ts';
import { type Violation, ViolationError } from '../../graphql/violations.ts';
import { decodeReference, decodeReferences } from '../../upstream/decoders.ts';
import { readValue, readValues, toPlatformId, writeField } from './field-types.ts';
import type { FormTypes } from './form-types.ts';
import type { GenericTypes } from './generic-types.ts';
import type { Shape, TypedField } from './typed-form.ts';

type Types = Pick<GenericTypes, 'types' | 'typeNames' | 'dialect'>;

/**
 * Creates the input of values that a change of a form's instance expects. `undefined` for a form
 * without fields.
 */
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
    /** Reads an input of this type. @throws {GraphQLError} BAD_USER_INPUT listing every invalid id. */
    read(expected: object): readonly ExpectedValue[] {
      const given = expected as Readonly<Record<string, unknown>>;
      const named = fields.filter(({ name }) => given[name] !== undefined);
      const violations = named.flatMap((field) => checkIds(field, given[field.name], genericTypes));
      if (violations.length > 0) throw new ViolationError(violations);
      return named.map((field) => toExpected(field, given[field.name], genericTypes));
    },
  };
}

/**
 * Checks the ids of a reference. All other values of the right type can be compared, even if the
 * field cannot have them.
 */
function checkIds(field: TypedField, given: unknown, { types }: Types): readonly Violation[] {
  if (field.shape.kind !== 'reference' || given === null) return [];
  const path = ['input', 'expected', field.name];
  const ids = Array.isArray(given) ? given : [given];
  const found = ids.map((id) => types.reference.check?.(id, field));
  const violation = found.find((each) => each !== undefined);
  return violation === undefined ? [] : [{ path, ...violation }];
}

/** Returns an expected value of the graph's type. */
function toExpected(field: TypedField, given: unknown, genericTypes: Types): ExpectedValue {
  const { shape } = field;
  const toId = (value: unknown) =>
    shape.kind === 'reference' ? toPlatformId(value, shape, genericTypes.typeNames) : value;
  const expected = Array.isArray(given) ? given.map(toId) : given && toId(given);
  const written = writeField(genericTypes.types, field, given);
  return expect(field, written, toComparable(field, expected), genericTypes);
}

/** Expects a value, which is compared as the graph reads the stored one. */
const expect = (field: TypedField, given: Json, expected: Json, genericTypes: Types) =>
  new ExpectedValue(field.record.name, given, (stored) =>
    isSameJson(expected, readStored(field, stored, genericTypes)),
  );

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
    const read = orUndefined(() => readStored(field, value, genericTypes));
    if (isUnset(read) && !isUnset(value))
      return new ExpectedValue(name, value, (stored) => isSameJson(value, stored));
    return expect(field, value, read ?? null, genericTypes);
  });
}

/** Reads a stored value as the graph does; of a reference its id. */
function readStored(field: TypedField, value: Json | undefined, { types, dialect }: Types): Json {
  const { shape, record, isList } = field;
  if (shape.kind === 'reference') {
    const decode = isList ? decodeReferences : decodeReference;
    return toComparable(field, decode(value, record.name, dialect));
  }
  const read = isList ? readValues : readValue;
  return toComparable(field, read(types, field, value));
}

const NUMBERS: readonly Shape['kind'][] = ['int', 'long', 'float', 'decimal'];

/** Returns a value of the graph as JSON in which equal values are the same: `12.5` and `12.50`. */
function toComparable(field: TypedField, value: unknown): Json {
  if (Array.isArray(value))
    return value.length === 0 ? null : value.map((item) => toComparable(field, item));
  if (isUnset(value)) return null;
  if (value instanceof Date) return value.toISOString();
  if (!NUMBERS.includes(field.shape.kind)) return value as Json;
  return withoutPadding(typeof value === 'number' ? toDecimal(value) : String(value));
}
