import { isJsonObject, type Json, type JsonObject, parseJson } from '../json.ts';
import { badRequest } from './api-error.ts';

/** The body as JSON, whatever its Content-Type says. @throws {ApiError} 400 when it is empty or no JSON. */
export function readBody(text: string): Json {
  if (text.trim() === '') throw badRequest('BODY_REQUIRED', 'This operation needs a JSON body.');
  try {
    return parseJson(text);
  } catch (error) {
    const reason = error instanceof RangeError ? error.message : 'The body is not valid JSON.';
    throw badRequest('MALFORMED_BODY', reason);
  }
}

/** The body as a JSON object. @throws {ApiError} 400 when it is none. */
export function readObject(text: string): JsonObject {
  const body = readBody(text);
  if (isJsonObject(body)) return body;
  throw badRequest('MALFORMED_BODY', 'The body must be a JSON object.');
}

/** The body's `values`. @throws {ApiError} 400 when there are none; an absent one counts as empty where it may be. */
export function readValues(body: JsonObject, { isRequired }: { readonly isRequired: boolean }): JsonObject {
  const values = body['values'] ?? (isRequired ? undefined : {});
  if (isJsonObject(values)) return values;
  throw badRequest('MALFORMED_BODY', 'The body must have an object "values", with a member for each value.');
}
