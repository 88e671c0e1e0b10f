import { GraphQLError, GraphQLScalarType, Kind, type ValueNode } from 'graphql';

import { isDate } from '../graphql/scalars.ts';
import { withoutTrailingZeros } from '../upstream/json.ts';
import { isInt64 } from '../upstream/operations.ts';

/** A decimal number that keeps every digit. */
export const Decimal = new GraphQLScalarType<string, string>({
  name: 'Decimal',
  specifiedByURL: 'https://www.w3.org/TR/xmlschema11-2/#decimal',
  description:
    'A decimal number that keeps every digit: a string such as `"18650.00"`. As input, a number literal will do as well.',
  serialize: (value) => value as string,
  parseValue: (value) => due(numberText(value), isDecimal, 'Decimal'),
  parseLiteral: (node) => due(literalText(node, [Kind.STRING, Kind.INT, Kind.FLOAT]), isDecimal, 'Decimal'),
});

/** A whole number of 64 bits. */
export const Long = new GraphQLScalarType<string, string>({
  name: 'Long',
  specifiedByURL: 'https://www.w3.org/TR/xmlschema11-2/#long',
  description:
    'A whole number of 64 bits: a string of digits such as `"9007199254740993"`. As input, a number within ±(2^53 − 1) will do as well.',
  serialize: String,
  parseValue: (value) => due(numberText(value), isInt64, 'Long'),
  parseLiteral: (node) => due(literalText(node, [Kind.STRING, Kind.INT]), isInt64, 'Long'),
});

/** A day. */
export const DateScalar = new GraphQLScalarType<string, string>({
  name: 'Date',
  specifiedByURL: 'https://www.rfc-editor.org/rfc/rfc3339#section-5.6',
  description: 'A day of the calendar, without a time: `2026-01-31`.',
  serialize: (value) => value as string,
  parseValue: (value) => due(typeof value === 'string' ? value : undefined, isDate, 'Date'),
  parseLiteral: (node) => due(literalText(node, [Kind.STRING]), isDate, 'Date'),
});

/** Digits of a number; of those that a double may have rounded, none. */
function numberText(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  if (typeof value !== 'number' || !Number.isFinite(value)) return undefined;
  return Number.isInteger(value) && !Number.isSafeInteger(value) ? undefined : toDecimal(value);
}

function literalText(node: ValueNode, kinds: readonly Kind[]): string | undefined {
  if (!('value' in node) || !kinds.includes(node.kind)) return undefined;
  const text = String(node.value);
  return node.kind === Kind.FLOAT && !isDecimal(text) ? toDecimal(Number(text)) : text;
}

function due(text: string | undefined, isValid: (text: string) => boolean, type: string): string {
  if (text !== undefined && isValid(text)) return text;
  throw badInput(`${type} cannot represent this value.`);
}

const badInput = (message: string) => new GraphQLError(message, { extensions: { code: 'BAD_USER_INPUT' } });

/** A decimal number as a text, without an exponent. */
const DECIMAL = /^-?\d+(\.\d+)?$/;

export const isDecimal = (text: string): boolean => DECIMAL.test(text);

/** Writes a number with all its digits and no exponent, as the shortest text that is this number. */
export function toDecimal(value: number): string {
  const text = String(value);
  if (!text.includes('e')) return text;
  const [, sign = '', whole = '', fraction = '', power = ''] = /^(-?)(\d)(?:\.(\d+))?e([+-]\d+)$/.exec(text) ?? [];
  if (power === '') return text;
  const digits = whole + fraction;
  const point = 1 + Number(power);
  if (point <= 0) return `${sign}0.${'0'.repeat(-point)}${digits}`;
  return sign + digits.padEnd(point, '0');
}

/** Gives a decimal as a number where a number has all its digits; else as it is. */
export function toExactNumber(text: string): number | string {
  const value = Number(text);
  return toDecimal(value) === withoutPadding(text) ? value : text;
}

function withoutPadding(text: string): string {
  const trimmed = text.includes('.') ? withoutTrailingZeros(text).replace(/\.$/, '') : text;
  const plain = trimmed.replace(/^(-?)0+(?=\d)/, '$1');
  return plain === '-0' ? '0' : plain;
}

/** Compares two decimals by all their digits: below 0 where the first is less, above where it is more. */
export function compareDecimals(one: string, other: string): number {
  const places = Math.max(...[one, other].map((text) => splitDecimal(text)[1].length));
  const [first = 0n, second = 0n] = [one, other].map((text) => {
    const [whole, fraction] = splitDecimal(text);
    return BigInt(whole + fraction.padEnd(places, '0'));
  });
  return first < second ? -1 : Number(first > second);
}

function splitDecimal(text: string): readonly [whole: string, fraction: string] {
  const [whole = '0', fraction = ''] = text.split('.');
  return [whole, fraction];
}
