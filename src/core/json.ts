import { withoutTrailingZeros } from './decimal.ts';

/** Any value that JSON can carry. */
export type Json = string | number | boolean | null | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [name: string]: Json;
}

/** Whether a value is a JSON object, not an array and not `null`. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value of an object's own member; `undefined` where it has none of this name. */
export const valueAt = (object: JsonObject, name: string): Json | undefined =>
  Object.hasOwn(object, name) ? object[name] : undefined;

/**
 * Parses JSON without losing digits: a number that JavaScript cannot hold with all of its significant digits stays its source
 * text, and so does every integer beyond ±(2^53 − 1). Members named `__proto__` are left out.
 *
 * @param admit gets about how many bytes of memory the value takes, before a large one is made; what it throws is thrown.
 * @throws {SyntaxError} when `text` is not JSON.
 * @throws {Error} when it is nested too deep.
 */
export function parseJson(text: string, admit?: (bytes: number) => void): Json {
  // A reviver is called for every member and costs several times the parse, so only texts that may need it pay.
  const isRevived = mayLoseDigits(text) || hasPrototypeKey(text);
  if (isRevived || text.length > MAX_UNSCANNED_LENGTH) {
    const bytes = scan(text);
    admit?.(bytes);
    return isRevived ? JSON.parse(text, keepExact) : JSON.parse(text);
  }
  // A walk over the values takes a fifth of the time of one over all characters.
  const value: Json = JSON.parse(text);
  const bytes = text.length + (isContainer(value) ? measure(value) : 0);
  admit?.(bytes);
  return value;
}

/** `__proto__` as a key, in any spelling. */
const PROTOTYPE_KEY =
  /"(?:_|\\u005f){2}(?:p|\\u0070)(?:r|\\u0072)(?:o|\\u006f)(?:t|\\u0074)(?:o|\\u006f)(?:_|\\u005f){2}"\s*:/i;

// A search for a fixed text is far quicker than a pattern, and finds nothing in nearly all answers.
const hasPrototypeKey = (text: string): boolean =>
  (text.includes('__proto__') || text.includes('\\u00')) && PROTOTYPE_KEY.test(text);

// `idCase` and `cdActivity` are int64. As doubles, ids past 2^53 would silently name another case.
function keepExact(name: string, value: unknown, context?: { readonly source?: string }): unknown {
  // A member of this name sets a prototype as soon as somebody copies it by assignment.
  if (name === '__proto__') return undefined;
  if (typeof value !== 'number' || context?.source === undefined) return value;
  return isHeldExactly(context.source, value) ? value : context.source;
}

/** Whether a number has all significant digits of the text that it was read from. */
export function isHeldExactly(source: string, value: number): boolean {
  if (/^-?\d+$/.test(source)) return Number.isSafeInteger(value);
  return significantDigits(source) === significantDigits(String(value));
}

/** Gives a decimal number as its digits without leading and trailing zeros; the place of the point is held in any case. */
function significantDigits(source: string): string {
  const digits = source.replace(/e.*$/i, '').replace(/[-.]/g, '');
  return withoutTrailingZeros(digits.replace(/^0+/, ''));
}

/** JSON that is nested deeper is refused: code that walks it later would run out of stack. */
const MAX_DEPTH = 128;
/** About how much memory an object or array takes, and a value in it, besides its characters. */
const BYTES_PER_CONTAINER = 56;
const BYTES_PER_VALUE = 16;
/** A text of brackets alone that is as long is parsed in some ten milliseconds, and its value takes three megabytes. */
const MAX_UNSCANNED_LENGTH = 131_072;
/** Every double holds one digit less. */
const MANY_DIGITS = 16;
const LONG_EXPONENT = /\d[eE][+-]?\d{3}/;
/** A number with either. Within a string it is found only after a bracket, a comma or a quote. */
const LONG_NUMBER = /(?:^|[[,]|"\s*:)\s*-?(?:[\d.]{16}|[\d.]+[eE][+-]?\d{3})/;

/** Whether a number may have more digits than every double holds, or an exponent of three. */
const mayLoseDigits = (text: string): boolean =>
  (hasManyDigits(text) || LONG_EXPONENT.test(text)) && LONG_NUMBER.test(text);

/** Looks at each sixteenth character, since sixteen in a row include one of these. */
function hasManyDigits(text: string): boolean {
  for (let index = 0; index < text.length; index += MANY_DIGITS) {
    let start = index;
    let end = index;
    while (isDigitOrPoint(text.charCodeAt(end))) end++;
    if (end > index) while (isDigitOrPoint(text.charCodeAt(start - 1))) start--;
    if (end - start >= MANY_DIGITS) return true;
  }
  return false;
}

const isDigitOrPoint = (code: number): boolean => (code >= 0x30 && code <= 0x39) || code === 0x2e;

/** Gives about how much memory an array or object takes besides its characters. @throws {Error} where it is nested too deep. */
function measure(container: Container, depth = 1): number {
  if (depth > MAX_DEPTH) throw tooDeep();
  let bytes = BYTES_PER_CONTAINER;
  if (isArray(container)) {
    for (const value of container) bytes += BYTES_PER_VALUE + (isContainer(value) ? measure(value, depth + 1) : 0);
    return bytes;
  }
  // `Object.values` takes several times as long for objects that were just parsed.
  for (const name in container) {
    const value = container[name];
    bytes += BYTES_PER_VALUE + (isContainer(value) ? measure(value, depth + 1) : 0);
  }
  return bytes;
}

type Container = readonly Json[] | JsonObject;
const isContainer = (value: Json | undefined): value is Container => typeof value === 'object' && value !== null;
const isArray = (value: Container): value is readonly Json[] => Array.isArray(value);

/**
 * Gives about how much memory the value of a text will take, by what stands outside of strings.
 *
 * @throws {Error} for a text that is nested too deep. It is not parsed to find out: that alone may take seconds.
 */
function scan(text: string): number {
  let depth = 0;
  let bytes = text.length;
  for (let index = 0; index < text.length; index++) {
    switch (text.charCodeAt(index)) {
      case 0x22: // "
        index = endOfString(text, index);
        break;
      case 0x5b: // [
      case 0x7b: // {
        bytes += BYTES_PER_CONTAINER;
        if (++depth > MAX_DEPTH) throw tooDeep();
        break;
      case 0x5d: // ]
      case 0x7d: // }
        depth--;
        break;
      case 0x2c: // ,
        bytes += BYTES_PER_VALUE;
    }
  }
  return bytes;
}

const tooDeep = () => new Error('the answer is nested too deep');

function endOfString(text: string, start: number): number {
  for (let at = text.indexOf('"', start + 1); at !== -1; at = text.indexOf('"', at + 1)) {
    let backslashes = 0;
    while (text.charCodeAt(at - 1 - backslashes) === 0x5c) backslashes++;
    if (backslashes % 2 === 0) return at;
  }
  return text.length;
}

/** Makes what gives the first member of a kind that is there under one of `names`. */
const pickOf =
  <T extends Json>(isOfKind: (value: Json | undefined) => value is T) =>
  (object: JsonObject, names: readonly string[]): T | undefined => {
    for (const name of names) {
      const value = valueAt(object, name);
      if (isOfKind(value)) return value;
    }
    return undefined;
  };

/** Gives a member that is not `null`. */
export const pick = pickOf((value): value is NonNullable<Json> => value !== undefined && value !== null);

/** Gives a member as text: strings as they are, numbers and booleans by their digits and words. */
export function pickText(object: JsonObject, names: readonly string[]): string | undefined {
  const value = pick(object, names);
  return value === undefined || typeof value === 'object' ? undefined : String(value);
}

/** Gives a member that is an array. */
export const pickArray = pickOf((value): value is readonly Json[] => Array.isArray(value));

/** Gives a member that is an object. */
export const pickObject = pickOf(isJsonObject);

/**
 * Gives back what must be there.
 *
 * @throws {Error} when it is not; the caller's call then counts as malformed.
 */
export function required<T>(value: T | undefined, what: string): T {
  if (value === undefined) throw new Error(`the answer has no ${what}`);
  return value;
}

/** @throws {Error} when the body is no JSON object. */
export function requiredObject(body: Json | undefined, what: string): JsonObject {
  return required(isJsonObject(body) ? body : undefined, what);
}
