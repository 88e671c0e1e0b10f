import type { IncomingHttpHeaders } from 'node:http';

import { isJsonObject, type Json, type JsonObject, parseJson } from '../json.ts';
import type { ListParameters } from '../list-query.ts';
import type { User } from '../model.ts';
import type { Merged, Values } from '../values.ts';
import { badRequest } from './errors.ts';

/** The interface's operations, spelled as there (sic). */
export type OperationName =
  | 'getToken'
  | 'getForms'
  | 'getForm'
  | 'getFormIntances'
  | 'createFormIntance'
  | 'getFormIntance'
  | 'updateFormIntance'
  | 'updateValuesOfFormIntance'
  | 'deleteFormIntance'
  | 'startCase'
  | 'executeCurrentActivity'
  | 'getParameters'
  | 'execute';

export interface Operation {
  readonly name: OperationName;
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** In the router's notation. */
  readonly url: string;
  /** Where another thing than a token says who calls: the caller. @throws {ApiError} */
  readonly identify?: (request: OperationRequest) => User;
  /** @throws {ApiError} for every refusal. */
  run(call: Call): Result;
}

export interface OperationRequest {
  readonly headers: IncomingHttpHeaders;
  /** Each one percent-decoded path segment. */
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
  /** Made only when it is sent: a 304 needs none. */
  readonly body?: (() => Json) | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  /**
   * When the content of a read last changed, in epoch milliseconds. Writes have none: `If-Modified-Since` must not
   * keep them from being done.
   */
  readonly changedAtMs?: number;
}

/** The body as JSON, whatever its Content-Type says. @throws {ApiError} 400 when it is empty or no JSON. */
export function readBody({ text }: OperationRequest): Json {
  if (text.trim() === '') throw badRequest('BODY_REQUIRED', 'This operation needs a JSON body.');
  try {
    return parseJson(text);
  } catch (error) {
    const reason = error instanceof RangeError ? error.message : 'The body is not valid JSON.';
    throw badRequest('MALFORMED_BODY', reason);
  }
}

/** The body as a JSON object. @throws {ApiError} 400 when it is none. */
export function readObject(request: OperationRequest): JsonObject {
  const body = readBody(request);
  if (isJsonObject(body)) return body;
  throw badRequest('MALFORMED_BODY', 'The body must be a JSON object.');
}

/** The body's `values`. @throws {ApiError} 400 when there are none; an absent one counts as empty where it may be. */
export function readValues(body: JsonObject, { isRequired }: { readonly isRequired: boolean }): JsonObject {
  const values = body['values'] ?? (isRequired ? undefined : {});
  if (isJsonObject(values)) return values;
  throw badRequest('MALFORMED_BODY', 'The body must have an object "values", with a member for each value.');
}

/** The values of a change that can be made. @throws {ApiError} 400 naming every value that cannot be taken. */
export function acceptValues({ values, problems }: Merged, errorCode = 'INVALID_VALUES'): Values {
  if (problems.length === 0) return values;
  const described = problems.map(({ field, problem }) => `"${field}" ${problem}`).join('; ');
  throw badRequest(errorCode, `The values cannot be taken: ${described}.`);
}
