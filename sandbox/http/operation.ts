import type { IncomingHttpHeaders } from 'node:http';
import type { DatabaseSync } from 'node:sqlite';

import { isJsonObject, type Json, type JsonObject, parseJson } from '../json.ts';
import type { ListParameters } from '../list-query.ts';
import type { Definitions } from '../load-definitions.ts';
import type { User } from '../model.ts';
import type { DefinitionChanges } from '../storage/definition-changes.ts';
import type { Merged, Values } from '../values.ts';
import { ApiError, badRequest } from './errors.ts';

/** The definitions and stored data that the operations work on. */
export interface Platform {
  readonly database: DatabaseSync;
  readonly definitions: Definitions;
  readonly changes: DefinitionChanges;
  readonly now: () => number;
}

/** Operations by the interface's names, misspelled as there. */
export type Operations = Readonly<Record<string, Operation>>;

export interface Operation {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** The path in the router's notation. */
  readonly url: string | readonly string[];
  /**
   * Identifies the caller of an operation that needs no token.
   *
   * @throws {ApiError} 401 for wrong credentials.
   */
  readonly identify?: (request: OperationRequest) => User;
  /**
   * Runs the operation.
   *
   * @throws {ApiError} for every error response.
   */
  run(call: Call): Result;
}

export interface OperationRequest {
  readonly headers: IncomingHttpHeaders;
  /** Percent-decoded path segments. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: ListParameters;
  /** The body as text, empty if there is no body. */
  readonly text: string;
}

/** A request whose caller is known and within the request limit. */
export interface Call extends OperationRequest {
  readonly user: User;
}

export interface Result {
  readonly status: number;
  /** Called only if the body is sent. A 304 has no body. */
  readonly body?: (() => Json) | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  /**
   * When the content of a read last changed, in epoch milliseconds. Absent for writes, since
   * `If-Modified-Since` must not prevent them.
   */
  readonly changedAtMs?: number;
}

/**
 * Parses the body as JSON, whatever its Content-Type.
 *
 * @throws {ApiError} 400 when it is empty or not JSON.
 */
export function readBody({ text }: OperationRequest): Json {
  if (text.trim() === '') throw badRequest('BODY_REQUIRED', 'This operation needs a JSON body.');
  try {
    return parseJson(text);
  } catch (error) {
    const reason = error instanceof RangeError ? error.message : 'The body is not valid JSON.';
    throw badRequest('MALFORMED_BODY', reason);
  }
}

/**
 * Parses the body as a JSON object.
 *
 * @throws {ApiError} 400 when it is not one.
 */
export function readObject(request: OperationRequest): JsonObject {
  const body = readBody(request);
  if (isJsonObject(body)) return body;
  throw badRequest('MALFORMED_BODY', 'The body must be a JSON object.');
}

/**
 * Returns the body's `values`, or an empty object if they are absent and not required.
 *
 * @throws {ApiError} 400 when they are not an object, or are required and absent.
 */
export function readValues(
  body: JsonObject,
  { isRequired }: { readonly isRequired: boolean },
): JsonObject {
  const values = body['values'] ?? (isRequired ? undefined : {});
  if (isJsonObject(values)) return values;
  throw badRequest(
    'MALFORMED_BODY',
    'The body must have an object "values", with a member for each value.',
  );
}

const INVALID_VALUES = 'INVALID_VALUES';

/**
 * Returns the values of a valid write.
 *
 * @throws {ApiError} 400 with every invalid value.
 */
export function acceptValues({ values, problems }: Merged, errorCode = INVALID_VALUES): Values {
  if (problems.length === 0) return values;
  const described = problems.map(({ field, problem }) => `"${field}" ${problem}`).join('; ');
  // Only values that have their names as keys in the body get violations. A rule's parameters are a
  // list.
  const isByName = errorCode === INVALID_VALUES;
  const violations = isByName
    ? problems.map(({ field, problem }) => ({ field, message: problem }))
    : undefined;
  throw new ApiError(400, errorCode, `Invalid values: ${described}.`, {}, violations);
}
