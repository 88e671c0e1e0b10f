import { GraphQLError, GraphQLScalarType, Kind, type ValueNode } from 'graphql';

import { isDate, readDateTime } from '../core/date-time.ts';
import { isDecimal, MAX_CLIENT_ZEROS, writeOut } from '../core/decimal.ts';
import { isHeldExactly, isJsonObject, type Json, type JsonObject } from '../core/json.ts';
import { isInt64 } from '../upstream/path.ts';
import type { Variables } from './admission/arguments.ts';

/**
 * The custom scalars of the generic graph. Their descriptions are in the SDL: a description here
 * would remove the SDL's `@specifiedBy`.
 */
export const scalars = {
  DateTime: new GraphQLScalarType<Date, string>({
    name: 'DateTime',
    specifiedByURL: 'https://www.rfc-editor.org/rfc/rfc3339',
    serialize: formatDateTime,
    parseValue: parseDateTime,
    parseLiteral: atLiteral((node) =>
      parseDateTime(node.kind === Kind.STRING ? node.value : undefined),
    ),
  }),
  JSON: new GraphQLScalarType<Json, Json>({
    name: 'JSON',
    specifiedByURL: 'https://www.rfc-editor.org/rfc/rfc8259',
    serialize: (value) => value as Json,
    parseValue: (value) => checkExact(value as Json),
    parseLiteral: atLiteral(fromLiteral),
  }),
  JSONObject: new GraphQLScalarType<JsonObject, JsonObject>({
    name: 'JSONObject',
    specifiedByURL: 'https://www.rfc-editor.org/rfc/rfc8259#section-4',
    serialize: (value) => value as JsonObject,
    parseValue: (value) => checkObject(checkExact(value as Json)),
    parseLiteral: atLiteral((node, variables) => checkObject(fromLiteral(node, variables))),
  }),
};

function formatDateTime(value: unknown): string {
  if (value instanceof Date && !Number.isNaN(value.getTime())) return value.toISOString();
  throw new GraphQLError('DateTime cannot represent a value that is no valid Date.');
}

/** Creates the parser of a literal. Its errors have the place in the document. */
function atLiteral<T>(parse: (node: ValueNode, variables: Variables) => T) {
  return (node: ValueNode, variables?: Variables | null): T => {
    try {
      return parse(node, variables ?? {});
    } catch (error) {
      if (!(error instanceof GraphQLError)) throw error;
      throw new GraphQLError(error.message, { nodes: node, extensions: error.extensions });
    }
  };
}

function fromLiteral(node: ValueNode, variables: Variables): Json {
  switch (node.kind) {
    case Kind.OBJECT:
      // GraphQL's rule for input objects: a member with an absent variable is left out. `null` must
      // be explicit.
      return Object.fromEntries(
        node.fields
          .filter(
            ({ value }) =>
              value.kind !== Kind.VARIABLE || variables[value.name.value] !== undefined,
          )
          .map(({ name, value }) => [name.value, fromLiteral(value, variables)]),
      );
    case Kind.LIST:
      return node.values.map((value) => fromLiteral(value, variables));
    case Kind.VARIABLE:
      return (variables[node.name.value] as Json | undefined) ?? null;
    case Kind.INT:
    case Kind.FLOAT:
      return exactNumber(node.value);
    case Kind.NULL:
      return null;
    default:
      return node.value;
  }
}

const INEXACT =
  'must be sent as a string, since it has more digits than a JSON number keeps exactly';

function exactNumber(text: string): number {
  const value = Number(text);
  if (isHeldExactly(text, value)) return value;
  throw badInput(INEXACT);
}

const isExact = (value: number): boolean =>
  Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value));

// A double may already have rounded this number. Accepting it would silently change the client's
// value.
function checkExact(value: Json): Json {
  if (typeof value === 'number' && !isExact(value)) throw badInput(INEXACT);
  if (typeof value === 'object' && value !== null) {
    for (const member of Object.values<Json>(value)) checkExact(member);
  }
  return value;
}

function checkObject(value: Json): JsonObject {
  if (isJsonObject(value)) return value;
  throw badInput('must be a JSON object');
}

/** The end of an exact date and time: it has an offset, and no digits below a millisecond. */
const EXACT = /(?<!\.\d{3}\d*[1-9]0*)(Z|[+-]\d{2}:?\d{2})$/i;

/**
 * Parses a point in time.
 *
 * @throws {GraphQLError} if it is invalid, has no offset, or is more precise than a millisecond.
 */
function parseDateTime(value: unknown): Date {
  const parsed =
    typeof value === 'string' && EXACT.test(value) ? readDateTime(value, 'Z') : undefined;
  if (parsed) return parsed;
  throw badInput(
    'must be a date and time with an offset, to the millisecond, such as 2026-01-31T12:00:00.000Z',
  );
}

const A_DECIMAL = 'must be a decimal number, such as 12.50';
const WITHOUT_EXPONENT = `must be written without its exponent, which stands for more than ${MAX_CLIENT_ZEROS} zeros`;
const A_LONG = 'must be a whole number, such as 42';
const A_DATE = 'must be a date, such as 2026-01-31';

/** A decimal number that keeps every digit. */
export const Decimal = new GraphQLScalarType<string, string>({
  name: 'Decimal',
  specifiedByURL: 'https://www.w3.org/TR/xmlschema11-2/#decimal',
  description:
    'A decimal number that keeps every digit: a string such as `"18650.00"`. As input, a number literal is accepted as well.',
  serialize: (value) => value as string,
  parseValue: (value) => parseWith(numberText(value), isDecimal, A_DECIMAL),
  parseLiteral: atLiteral((node) =>
    parseWith(literalText(node, [Kind.STRING, Kind.INT, Kind.FLOAT]), isDecimal, A_DECIMAL),
  ),
});

/** A 64-bit integer as a string of digits. */
export const Long = new GraphQLScalarType<string, string>({
  name: 'Long',
  specifiedByURL: 'https://www.w3.org/TR/xmlschema11-2/#long',
  description:
    'A 64-bit integer: a string of digits such as `"9007199254740993"`. As input, a number within ±(2^53 − 1) is accepted as well.',
  serialize: String,
  parseValue: (value) => parseWith(numberText(value), isInt64, A_LONG),
  parseLiteral: atLiteral((node) =>
    parseWith(literalText(node, [Kind.STRING, Kind.INT]), isInt64, A_LONG),
  ),
});

/** A calendar date. */
export const DateScalar = new GraphQLScalarType<string, string>({
  name: 'Date',
  specifiedByURL: 'https://www.rfc-editor.org/rfc/rfc3339#section-5.6',
  description: 'A calendar date without a time: `2026-01-31`.',
  serialize: (value) => value as string,
  parseValue: (value) => parseWith(typeof value === 'string' ? value : undefined, isDate, A_DATE),
  parseLiteral: atLiteral((node) => parseWith(literalText(node, [Kind.STRING]), isDate, A_DATE)),
});

/** Returns the digits of a number. `undefined` if a double may have rounded it. */
function numberText(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  if (typeof value !== 'number' || !Number.isFinite(value)) return undefined;
  if (Number.isInteger(value) && !Number.isSafeInteger(value)) return undefined;
  return digitsOf(String(value));
}

function literalText(node: ValueNode, kinds: readonly Kind[]): string | undefined {
  if (!('value' in node) || !kinds.includes(node.kind)) return undefined;
  const text = String(node.value);
  return node.kind === Kind.FLOAT ? digitsOf(text) : text;
}

function digitsOf(number: string): string {
  const digits = writeOut(number, MAX_CLIENT_ZEROS);
  if (digits === undefined) throw badInput(WITHOUT_EXPONENT);
  return digits;
}

function parseWith(
  text: string | undefined,
  isValid: (text: string) => boolean,
  rule: string,
): string {
  if (text !== undefined && isValid(text)) return text;
  throw badInput(rule);
}

/**
 * @param rule continues a sentence after the value's name. Users see it beside a field. It does
 *   not quote the value.
 */
const badInput = (rule: string) =>
  new GraphQLError(`This ${rule}.`, { extensions: { code: 'BAD_USER_INPUT', rule } });
