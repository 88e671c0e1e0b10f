import { withoutTrailingZeros, writeOut } from './decimal.ts';
import type { Json } from './json.ts';

/** Converts an integer in digits to a value that `JSON.stringify` writes without losing digits. */
export function writeInteger(digits: string): Json {
  const value = Number(digits);
  // Raw JSON is an object in JavaScript, and `JSON.stringify` writes its text.
  return Number.isSafeInteger(value) ? value : (rawJson(digits) as Json);
}

// Node supports `JSON.rawJSON`, but TypeScript's types do not contain it yet.
const { rawJSON: rawJson } = JSON as unknown as { rawJSON(text: string): object };

/** Returns the shortest text of a number, without an exponent. */
export const toDecimal = (value: number): string => writeOut(String(value)) ?? String(value);

/** Converts a decimal to a number if no digits are lost. Otherwise it returns the text. */
export function toExactNumber(text: string): number | string {
  const value = Number(text);
  return toDecimal(value) === withoutPadding(text) ? value : text;
}

/** Returns the shortest text of a decimal: without zeros that do not change it. */
export function withoutPadding(text: string): string {
  const trimmed = text.includes('.') ? withoutTrailingZeros(text).replace(/\.$/, '') : text;
  const plain = trimmed.replace(/^(-?)0+(?=\d)/, '$1');
  return plain === '-0' ? '0' : plain;
}

/**
 * Compares two decimals exactly. The result is negative if the first is less, and positive if it is
 * greater. It compares texts, because parsing a long `BigInt` takes more than linear time.
 */
export function compareDecimals(one: string, other: string): number {
  const first = withoutPadding(one);
  const second = withoutPadding(other);
  const isNegative = first.startsWith('-');
  if (isNegative !== second.startsWith('-')) return isNegative ? -1 : 1;
  return isNegative
    ? comparePositive(second.slice(1), first.slice(1))
    : comparePositive(first, second);
}

function comparePositive(one: string, other: string): number {
  const lengths = wholeLengthOf(one) - wholeLengthOf(other);
  if (lengths !== 0 || one === other) return lengths;
  return one < other ? -1 : 1;
}

const wholeLengthOf = (text: string): number =>
  text.includes('.') ? text.indexOf('.') : text.length;
