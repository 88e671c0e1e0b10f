import { isFarTooDeep, tooDeep } from './depth.ts';
import { needsCare } from './needs-care.ts';

/** Any value that JSON can carry. */
export type Json = string | number | boolean | null | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [name: string]: Json;
}

type Reviver = (name: string, value: Json, context: { readonly source?: string }) => Json | undefined;

// `idCase` and `cdActivity` are int64. As doubles, ids past 2^53 would silently
// name another case, so such integers keep the digits that the upstream sent.
const keepExact: Reviver = (name, value, { source }) => {
  // A member of this name sets a prototype as soon as somebody copies it by assignment.
  if (name === '__proto__') return undefined;
  if (typeof value !== 'number' || Number.isSafeInteger(value) || source === undefined) return value;
  if (/^-?\d+$/.test(source)) return source;
  if (!Number.isFinite(value)) throw new Error('the answer holds a number that is too large to be one');
  return value;
};

/**
 * Parses JSON without losing digits: integers beyond ±(2^53 − 1) become decimal strings. Members named `__proto__` are
 * left out.
 *
 * @throws {SyntaxError} when `text` is not JSON.
 * @throws {Error} when it holds a number beyond all doubles, or is nested too deep.
 */
export function parseJson(text: string): Json {
  if (isFarTooDeep(text)) throw tooDeep();
  const plain = JSON.parse(text) as Json;
  // A reviver is called for every member and costs several times the parse, so only texts that need it pay.
  return needsCare(plain) ? (JSON.parse(text, keepExact as Parameters<typeof JSON.parse>[1]) as Json) : plain;
}

/** Whether a value is a JSON object, not an array and not `null`. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Gives an integer, written in digits, as the number of a body that has all of them, beyond ±(2^53 − 1) as well. */
export function writeInteger(digits: string): Json {
  const value = Number(digits);
  // It is an object to us, and to JSON.stringify the text that it was made of.
  return Number.isSafeInteger(value) ? value : (rawJson(digits) as Json);
}

// The language has it, and its types do not yet.
const { rawJSON: rawJson } = JSON as unknown as { rawJSON(text: string): object };
