import { isJsonObject, type Json, type JsonObject } from '../json.ts';

/** Gives the first member that is there under one of `names` and is not `null`. */
export function pick(object: JsonObject, names: readonly string[]): Json | undefined {
  for (const name of names) {
    const value = Object.hasOwn(object, name) ? object[name] : undefined;
    if (value !== undefined && value !== null) return value;
  }
  return undefined;
}

/** Gives a member as text: strings as they are, numbers and booleans by their digits and words. */
export function pickText(object: JsonObject, names: readonly string[]): string | undefined {
  const value = pick(object, names);
  return value === undefined || typeof value === 'object' ? undefined : String(value);
}

/** Gives a member that is an array. */
export function pickArray(object: JsonObject, names: readonly string[]): readonly Json[] | undefined {
  for (const name of names) {
    const value = Object.hasOwn(object, name) ? object[name] : undefined;
    if (Array.isArray(value)) return value;
  }
  return undefined;
}

/** Gives a member that is an object. */
export function pickObject(object: JsonObject, names: readonly string[]): JsonObject | undefined {
  for (const name of names) {
    const value = Object.hasOwn(object, name) ? object[name] : undefined;
    if (isJsonObject(value)) return value;
  }
  return undefined;
}

/**
 * Gives back what must be there.
 *
 * @throws {Error} when it is not; the caller's call then counts as malformed.
 */
export function due<T>(value: T | undefined, what: string): T {
  if (value === undefined) throw new Error(`the answer has no ${what}`);
  return value;
}

/** @throws {Error} when the body is no JSON object. */
export function dueObject(body: Json | undefined, what: string): JsonObject {
  return due(isJsonObject(body) ? body : undefined, what);
}
