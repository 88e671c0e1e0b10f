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

/** Operations by the interface's names, spelled as there (sic). */
export type Operations = Readonly<Record<string, Operation>>;

export interface Operation {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** In the router's notation. */
  readonly url: string | readonly string[];
  /** Identifies the caller where no token does. @throws {ApiError} */
  readonly identify?: (request: OperationRequest) => User;
  /** @throws {ApiError} for every error response. */
  run(call: Call): Result;
}

export interface OperationRequest {
  readonly headers: IncomingHttpHeaders;
  /** Percent-decoded path segments. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: ListParameters;
  /** The body as text; empty when there is none. */
  readonly text: string;
}

/** A request whose caller is known and within the request limit. */
export interface Call extends OperationRequest {
  readonly user: User;
}

export interface Result {
  readonly status: number;
  /** Called only when it is sent: a 304 has no body. */
  readonly body?: (() => Json) | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  /**
   * When the content of a read last changed, in epoch milliseconds. Writes have none: `If-Modified-Since` must not
   * prevent them.
   */
  readonly changedAtMs?: number;
}

/** The body as JSON, whatever its Content-Type. @throws {ApiError} 400 when it is empty or not JSON. */
export function readBody({ text }: OperationRequest): Json {
  if (text.trim() === '') throw badRequest('BODY_REQUIRED', 'This operation needs a JSON body.');
  try {
    return parseJson(text);
  } catch (error) {
    const reason = error instanceof RangeError ? error.message : 'The body is not valid JSON.';
    throw badRequest('MALFORMED_BODY', reason);
  }
}

/** The body as a JSON object. @throws {ApiError} 400 when it is not one. */
export function readObject(request: OperationRequest): JsonObject {
  const body = readBody(request);
  if (isJsonObject(body)) return body;
  throw badRequest('MALFORMED_BODY', 'The body must be a JSON object.');
}

/** The body's `values`; empty when absent and not required. @throws {ApiError} 400 when they are required or not an object. */
export function readValues(body: JsonObject, { isRequired }: { readonly isRequired: boolean }): JsonObject {
  const values = body['values'] ?? (isRequired ? undefined : {});
  if (isJsonObject(values)) return values;
  throw badRequest('MALFORMED_BODY', 'The body must have an object "values", with a member for each value.');
}

const INVALID_VALUES = 'INVALID_VALUES';

/** The values of a valid write. @throws {ApiError} 400 naming every invalid value. */
export function acceptValues({ values, problems }: Merged, errorCode = INVALID_VALUES): Values {
  if (problems.length === 0) return values;
  const described = problems.map(({ field, problem }) => `"${field}" ${problem}`).join('; ');
  // A rule's parameters are a list, so that none of them has its name as its place in the body.
  const isByName = errorCode === INVALID_VALUES;
  const violations = isByName ? problems.map(({ field, problem }) => ({ field, message: problem })) : undefined;
  throw new ApiError(400, errorCode, `Invalid values: ${described}.`, {}, violations);
}
