/** Any value that JSON can carry. */
export type Json = string | number | boolean | null | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [name: string]: Json;
}

type Reviver = (name: string, value: Json, context: { readonly source?: string }) => Json;

// `idCase` and `cdActivity` are int64. As doubles, ids past 2^53 would silently
// name another case, so such integers keep the digits that the upstream sent.
const keepUnsafeIntegers: Reviver = (_name, value, { source }) =>
  typeof value === 'number' && !Number.isSafeInteger(value) && source !== undefined && /^-?\d+$/.test(source)
    ? source
    : value;

/** 2^53 has sixteen digits; a text without a run that long holds no integer that a double would round. */
const LONG_RUN_OF_DIGITS = /\d{16}/;

/**
 * Parses JSON without losing digits: integers beyond ±(2^53 − 1) become decimal strings.
 *
 * @throws {SyntaxError} when `text` is not JSON.
 */
export function parseJson(text: string): Json {
  // A reviver is called for every member and costs several times the parse, so only texts that need it pay.
  return LONG_RUN_OF_DIGITS.test(text)
    ? (JSON.parse(text, keepUnsafeIntegers as Parameters<typeof JSON.parse>[1]) as Json)
    : (JSON.parse(text) as Json);
}

/** Whether a value is a JSON object, not an array and not `null`. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
