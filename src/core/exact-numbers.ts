import { withoutTrailingZeros, writeOut } from './decimal.ts';
import type { Json } from './json.ts';

/** Gives an integer, written in digits, as a number that `JSON.stringify` writes with all of them. */
export function writeInteger(digits: string): Json {
  const value = Number(digits);
  // It is an object to us, and to JSON.stringify the text that it was made of.
  return Number.isSafeInteger(value) ? value : (rawJson(digits) as Json);
}

// The language has it, and its types do not yet.
const { rawJSON: rawJson } = JSON as unknown as { rawJSON(text: string): object };

/** Writes a number with all its digits and no exponent, as the shortest text that is this number. */
export const toDecimal = (value: number): string => writeOut(String(value)) ?? String(value);

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

/**
 * Compares two decimals by all their digits: below 0 if the first is less, above 0 if it is more. It compares texts, since
 * parsing a long `BigInt` takes more than linear time.
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
