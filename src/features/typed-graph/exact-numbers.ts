import { toDecimal, withoutTrailingZeros } from '../../core/decimal.ts';
import type { Json } from '../../core/json.ts';

/** Gives an integer, written in digits, as a number that `JSON.stringify` writes with all of them. */
export function writeInteger(digits: string): Json {
  const value = Number(digits);
  // It is an object to us, and to JSON.stringify the text that it was made of.
  return Number.isSafeInteger(value) ? value : (rawJson(digits) as Json);
}

// The language has it, and its types do not yet.
const { rawJSON: rawJson } = JSON as unknown as { rawJSON(text: string): object };

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
