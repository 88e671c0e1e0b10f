import type { FastifyRequest } from 'fastify';
import {
  isJsonObject,
  type Json,
  JsonLimitError,
  type JsonLimits,
  type JsonObject,
  JsonScan,
} from '../core/json.ts';
import type { DocumentParameters } from '../graphql/admission/persisted-documents.ts';
import type { Violation } from '../graphql/violations.ts';
import { RequestError } from './errors.ts';

/** The GraphQL parameters of a POST or GET request. */
export interface RequestParameters extends DocumentParameters {
  readonly operationName: string | undefined;
  readonly variables: Readonly<Record<string, unknown>>;
}

const PARAMETERS = ['query', 'documentId', 'operationName', 'variables', 'extensions'] as const;

/**
 * Reads the GraphQL request parameters of an HTTP request.
 *
 * @throws {RequestError} 400 for parameters of another type, for parameters that a GET has twice, and
 *   for JSON in them that is malformed or too large.
 */
export function readParameters(request: FastifyRequest): RequestParameters {
  const parameters = request.method === 'GET' ? readSearch(request) : request.body;
  if (!isJsonObject(parameters)) {
    throw new RequestError(400, 'The request body must be a JSON object, and no list of requests.');
  }
  const { query, documentId, operationName, variables, extensions } = parameters;
  if (operationName != null && typeof operationName !== 'string') {
    throw new RequestError(400, '`operationName` must be a string.');
  }
  if (variables != null && !isJsonObject(variables)) {
    throw new RequestError(400, '`variables` must be an object.');
  }
  if (extensions != null && !isJsonObject(extensions)) {
    throw new RequestError(400, '`extensions` must be an object.');
  }
  return {
    query,
    documentId,
    extensions,
    operationName: operationName || undefined,
    variables: variables ?? {},
  };
}

/** Reads the parameters of a GET. @throws {RequestError} 415 for a content type that is not JSON. */
function readSearch({ url, headers }: FastifyRequest): JsonObject {
  const { 'content-type': contentType } = headers;
  if (contentType !== undefined && !JSON_TYPE.test(contentType)) {
    throw new RequestError(415, 'A GET may have no content type other than application/json.');
  }
  const { searchParams } = new URL(url, 'http://gateway');
  const parameters: Record<string, Json> = {};
  for (const name of PARAMETERS) {
    const [value, second] = searchParams.getAll(name);
    if (second !== undefined) {
      throw new RequestError(400, `The parameter ${name} is given twice.`);
    }
    // Clients with a URL template leave unused parameters empty.
    if (!value) continue;
    const isJson = name === 'variables' || name === 'extensions';
    const parsed = isJson ? parseJson(value, `parameter ${name}`) : value;
    // Unlike in a body, `null` is not an object there, so its text is refused.
    parameters[name] = parsed === null ? value : parsed;
  }
  return parameters;
}

/** Whether a client accepts the stream of a subscription. */
export const acceptsStream = ({ accept }: FastifyRequest['headers']): boolean =>
  accept !== undefined && /text\/event-stream|multipart\/mixed/i.test(accept);

const JSON_TYPE = /^application\/json\s*(;|$)/i;

export const MAX_BODY_BYTES = 262_144;
/** The limits allow a bulk write of a hundred items, each with the fields of a form. */
const LIMITS: JsonLimits = { levels: 64, listItems: 1_000, members: 10_000 };
/** In characters. Also applies to the document. */
const MAX_STRING_LENGTH = 100_000;

const decoder = new TextDecoder('utf-8', { fatal: true });

/** Parses a request body. Fails with a `RequestError` for malformed UTF-8, and like `parseJson`. */
export function parseBody(
  _request: FastifyRequest,
  body: Buffer,
  done: (error: Error | null, value?: unknown) => void,
): void {
  let value: unknown;
  try {
    value = parseJson(decode(body), 'request body');
  } catch (error) {
    done(error as RequestError);
    return;
  }
  done(null, value);
}

/** Decodes UTF-8 strictly. Otherwise malformed bytes would silently become other characters. */
function decode(body: Buffer): string {
  try {
    return decoder.decode(body);
  } catch {
    throw new RequestError(400, 'The request body is not UTF-8.');
  }
}

/**
 * Parses JSON of a request.
 *
 * @param called the name of the part of the request, for the message.
 * @throws {RequestError} 400 for malformed JSON, JSON beyond the limits, a lone surrogate, and
 *   numbers that JavaScript cannot hold with all their digits. The message does not quote the text.
 */
function parseJson(text: string, called: string): Json {
  let scanned: JsonScan;
  let value: Json;
  try {
    scanned = new JsonScan(text, LIMITS, markInexact);
    value = JSON.parse(scanned.text);
  } catch (error) {
    const message = error instanceof JsonLimitError ? error.message : `The ${called} is not JSON.`;
    throw new RequestError(400, message);
  }

  const mayBeTooLong = text.length > MAX_STRING_LENGTH;
  const mayBeLone = ESCAPED_SURROGATE.test(text);
  if (scanned.hasInexact || mayBeTooLong || mayBeLone) checkValue(value, []);
  return value;
}

/**
 * Returns the replacement of a number. An integer stays, because its type refuses it with the
 * variable's name. No type accepts one with more digits.
 */
const markInexact = (digits: string): string =>
  /^-?\d{1,21}$/.test(digits) ? digits : BEYOND_DOUBLES;

/** The JSON text of `INEXACT`. It replaces numbers that a double cannot hold. */
const BEYOND_DOUBLES = '1e999';
const INEXACT = Number.POSITIVE_INFINITY;

/** The body is well-formed UTF-8, so only an escape can be a lone surrogate. */
const ESCAPED_SURROGATE = /\\ud/i;

/** Checks strings after unescaping, and the numbers that the scan has marked. */
function checkValue(value: unknown, path: (string | number)[]): void {
  if (typeof value === 'string') checkString(value);
  if (value === INEXACT) throw inexact(path);
  if (typeof value !== 'object' || value === null) return;
  for (const [name, member] of Object.entries(value)) {
    checkString(name);
    path.push(Array.isArray(value) ? Number(name) : name);
    checkValue(member, path);
    path.pop();
  }
}

function checkString(text: string): void {
  if (text.length > MAX_STRING_LENGTH) throw new RequestError(400, TOO_LONG);
  if (!text.isWellFormed()) {
    throw new RequestError(400, 'A string in the request contains a lone surrogate.');
  }
}

const TOO_LONG = new JsonLimitError('characters in a string', MAX_STRING_LENGTH).message;

/**
 * Returns the error for a number. Its path starts at the variable, because the document has not
 * been read yet.
 */
function inexact(pathInBody: Violation['path']): RequestError {
  const isVariable = pathInBody[0] === 'variables';
  const violation: Violation = {
    path: pathInBody.slice(isVariable ? 1 : 0),
    constraint: 'kind',
    message: 'must be sent as a string, to keep all its digits',
  };
  const message =
    'A number in the request has more digits than a JSON number can hold; send it as a string.';
  return new RequestError(400, message, { violations: [violation] });
}
