/** Any JSON value. Integers beyond ±(2^53 − 1) are bigints, so that no digit is lost. */
export type Json = string | number | bigint | boolean | null | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [name: string]: Json | undefined;
}

type Reviver = (name: string, value: Json, context: { readonly source?: string }) => Json;

/** TypeScript's library does not declare `JSON.rawJSON` yet. Every supported Node has it. */
const { rawJSON } = JSON as unknown as { readonly rawJSON: (text: string) => object };

/**
 * A double keeps any 15 digits, so only longer numbers need the slow check of their source text.
 */
const LONG_NUMBER = /\d[\d.]{15}/;
const LONGEST_INTEGER = 40;

/**
 * Parses JSON without losing digits.
 *
 * @throws {SyntaxError} when `text` is not JSON.
 * @throws {RangeError} when a number in it has too many digits.
 */
export function parseJson(text: string): Json {
  const reviver = LONG_NUMBER.test(text)
    ? (keepDigits as Parameters<typeof JSON.parse>[1])
    : undefined;
  return JSON.parse(text, reviver) as Json;
}

/** Formats JSON. Bigints become numbers with all their digits; absent members are left out. */
export function formatJson(value: Json): string {
  return JSON.stringify(value, (_name, member: unknown) =>
    typeof member === 'bigint' ? rawJSON(String(member)) : member,
  );
}

/** Returns whether a value is a JSON object, not an array and not `null`. */
export function isJsonObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const keepDigits: Reviver = (_name, value, { source = '' }) => {
  if (typeof value !== 'number' || Number.isSafeInteger(value)) return value;
  if (/^-?\d+$/.test(source) && source.length <= LONGEST_INTEGER) return BigInt(source);
  if (significant(source) === significant(String(value))) return value;
  throw new RangeError(`The number ${source.slice(0, LONGEST_INTEGER)} has too many digits.`);
};

/** Returns the significant digits: without sign, point, exponent and zeros at either end. */
function significant(source: string): string {
  const digits = source.replace(/e.*$/i, '').replace(/[-.]/g, '').replace(/^0+/, '');
  // The pattern /0+$/ would take quadratic time if the zeros are not at the end.
  let end = digits.length;
  while (digits[end - 1] === '0') end--;
  return digits.slice(0, end);
}
