import { STATUS_CODES } from 'node:http';

import { type FieldRefusal, LIMIT_EXCEEDED } from '../core/errors.ts';
import {
  isJsonObject,
  type Json,
  type JsonObject,
  parseJson,
  pick,
  pickText,
  valueAt,
} from '../core/json.ts';
import type { Dialect } from './dialect.ts';

type ErrorNames = Dialect['error'];

/** The error in a response's body. */
export interface BodyError {
  readonly code: string | undefined;
  readonly message: string | undefined;
  readonly fields: readonly FieldRefusal[];
  /** The HTTP status in the body, from 400 to 599. */
  readonly status: number | undefined;
}

/** Longer error bodies are not parsed. */
const MAX_LENGTH = 65_536;
const MAX_TEXT = 1_000;
const MAX_CODE = 100;
const MAX_FIELDS = 50;
const MAX_OBJECTS = 50;
const MAX_DEPTH = 5;

/** Members that contain one error or several. */
const HOLDERS: readonly string[] = [
  ...(['error', 'errors', 'Error', 'Errors', 'odata.error', 'fault', 'Fault'] as const),
  ...(['exception', 'detail', 'details', 'messages'] as const),
];
/** Members that are non-empty only after a failure. */
const FAULTS: readonly string[] = [
  'error',
  'errors',
  'fault',
  'Fault',
  'exception',
  'errorMessage',
];
/** Members that are `true` only after a failure. */
const FAILURES: readonly string[] = ['isError', 'hasError', 'hasErrors'];
/** Members with the HTTP status. */
const STATUSES: readonly string[] = [
  'status',
  'statusCode',
  'httpStatus',
  'httpStatusCode',
  'code',
];
/**
 * Message members in addition to the dialect's: RFC 9457, JSON:API, OAuth (RFC 6749), SOAP, Frappe.
 */
const MESSAGES: readonly string[] = [
  ...(['detail', 'error_description', 'description', 'faultstring', 'title'] as const),
  'Message',
  '_server_messages',
];
/** Further members of RFC 9457. */
const PROBLEM_MEMBERS: readonly string[] = ['type', 'instance'];
/** Members with the number of changed records, or with a flag for it. */
const COUNT =
  /^(count|rows)$|(affected|updated|modified|deleted|removed|replaced|(?<!un)changed|matched)(_?(rows|count|records|documents))?$/i;
/** Other names of errors. The letter case separates words, as in `preferred` and `isDefault`. */
export const ERROR_NAME =
  /^(?:\w*_)?(?:err|fault|exception|fail|ERR|FAULT|EXCEPTION|FAIL)|Err(?:or|Code|Msg)|Fault|Exception|Fail/;
/** Other names of codes and outcomes. */
const CODE_NAME = /^(?:status|response|result|return)?_?code$/i;
const OUTCOME_NAME =
  /^(?:is|response|result|return|request)?_?(?:status|state|success\w*|succeeded|ok|result|outcome|accepted|acknowledged|valid)$/i;
/** Names of flags that are `false` if a change was not made. */
const UNDONE_NAME = /^(?:is_?)?(?:saved|stored)$/i;
/** Members that are `false` if nothing was done. */
const FLAGS: readonly string[] = [
  'success',
  'ok',
  'Success',
  'isSuccess',
  'IsSuccess',
  'succeeded',
  'Succeeded',
];
/** Members of error bodies that do not prove a record, in addition to the dialect's. */
const COMPANIONS: ReadonlySet<string> = new Set([
  ...STATUSES,
  ...FLAGS,
  ...FAULTS,
  ...FAILURES,
  ...(['details', 'timestamp', 'path', 'idForm', 'links', '_links'] as const),
  ...(['traceId', 'requestId', 'correlationId'] as const),
]);

/** Returns whether a member of this name describes the outcome. */
const isOfOutcome = (name: string): boolean =>
  COMPANIONS.has(name) ||
  [COUNT, ERROR_NAME, CODE_NAME, OUTCOME_NAME].some((names) => names.test(name));

/**
 * Returns the kind of an error's member with this name. A member like `error` does not prove a
 * record. A member like `message`, for example `title`, proves one unless the body describes an
 * error.
 */
export function kindOfErrorMember(
  name: string,
  { error }: Dialect,
): 'error' | 'message' | undefined {
  const isError = isOfOutcome(name) || error.code.includes(name) || error.message.includes(name);
  if (isError) return 'error';
  const isHeading = MESSAGES.includes(name) || PROBLEM_MEMBERS.includes(name);
  return isHeading ? 'message' : undefined;
}

/** Returns whether a member of this name may belong to an error or to any record. */
export function isCompanion(name: string, { error }: Dialect): boolean {
  if (isOfOutcome(name)) return true;
  const { code, message, fields } = error;
  return [code, message, fields].some((names) => names.includes(name));
}

/**
 * Reads the code, message and refused fields of an error body. Supports flat objects, arrays,
 * members such as `error`, `errors` and `fault`, `application/problem+json` (RFC 9457), JSON:API,
 * and an object of messages by field. Constants bound its work.
 *
 * @param secrets texts that the result must not contain, because clients and the log get it.
 */
export function readErrorBody(
  body: Json | undefined,
  error: ErrorNames,
  secrets: readonly string[],
): BodyError {
  const shorten = (text: string, maxLength: number) =>
    redact(text.slice(0, MAX_LENGTH), secrets).slice(0, maxLength);
  const { objects, texts } = collect(body);
  const codes = objects.map((object) => codeIn(object, error));
  const code = [...codes, ...texts].includes(LIMIT_EXCEEDED)
    ? LIMIT_EXCEEDED
    : codes.find((one) => one !== undefined);
  const messages = objects.map((object) => textAt(object, [...error.message, ...MESSAGES]));
  const listed = typeof body === 'object' ? texts.find((text) => text !== code) : undefined;
  const message = messages.find((one) => one !== undefined) ?? listed;

  const fields = objects.flatMap((object) => fieldsIn(object, error, message));
  if (Array.isArray(body)) fields.push(...namedEntries(body, error));
  const isBare = fields.length === 0 && code === undefined && message === undefined;
  if (isBare && isJsonObject(body) && Object.values(body).every(isTextList))
    fields.push(...byName(body));
  return {
    code: code && shorten(code, MAX_CODE),
    message: message && shorten(unwrap(message, error, secrets), MAX_TEXT),
    fields: fields.slice(0, MAX_FIELDS).map((refused) => ({
      field: shorten(refused.field, MAX_TEXT),
      message: shorten(refused.message, MAX_TEXT),
    })),
    status: objects.map(statusIn).find((one) => one !== undefined),
  };
}

function redact(text: string, secrets: readonly string[]): string {
  let redacted = text;
  for (const secret of secrets) redacted = redacted.replaceAll(secret, REDACTED);
  return redacted;
}

const REDACTED = '[redacted]';

/**
 * Parses an error body. Returns `undefined` if it is empty or too long, and `null` if it is not
 * JSON.
 */
export function parseErrorBody(text: string): Json | undefined {
  if (text === '' || text.length > MAX_LENGTH) return undefined;
  try {
    return parseJson(text);
  } catch {
    return text.trim() === LIMIT_EXCEEDED ? LIMIT_EXCEEDED : null;
  }
}

/**
 * The way in which a 2xx body contradicts its status. `error`: it has an error code or a failure
 * flag. `status`: it has a failed status, which may be the record's own. `none`: its count of
 * changes is 0. `doubt`: it may be a refusal or a success.
 */
export type Contradiction = 'error' | 'status' | 'none' | 'doubt';

/**
 * Finds a contradiction in the outer object of a 2xx body, or in the first object of an array.
 *
 * @param fields the form's fields. Members with these names are ignored.
 */
export function findContradiction(
  body: Json | undefined,
  error: ErrorNames,
  fields?: ReadonlySet<string>,
): Contradiction | undefined {
  // A bare value may be the number of changed rows.
  if (isFailureWord(body) || body === 0) return 'doubt';
  const object = Array.isArray(body) ? body.find(isJsonObject) : body;
  if (!isJsonObject(object)) return undefined;
  const at = (name: string) => (fields?.has(name) ? undefined : valueAt(object, name));

  const isFalse = (name: string) => /^(false|0)$/i.test(textOf(at(name)));
  const isFailure = error.code.some((name) => isErrorCode(at(name))) || FLAGS.some(isFalse);
  if (isFailure || FAILURES.some((name) => at(name) === true)) return 'error';
  if (FAULTS.some((name) => isFilled(at(name)))) return 'error';
  const isFailed = ['status', 'result'].some((name) => isFailureWord(at(name)));
  if (isFailed || STATUSES.some((name) => isErrorStatus(at(name)))) return 'status';
  if (Object.keys(object).some((name) => COUNT.test(name) && isFalse(name))) return 'none';
  const isInDoubt = Object.keys(object).some((name) => isDoubtful(name, at(name), error));
  return isInDoubt ? 'doubt' : undefined;
}

/**
 * Returns whether a member of a body names an error: a filled `ERROR`, an entry for a refused
 * field, or an outcome such as `{"Status": "ERROR"}`. Other doubts may be the state of a record.
 */
export function namesError(body: Json | undefined, error: ErrorNames): boolean {
  if (!isJsonObject(body)) return isFailureWord(body);
  return Object.entries(body).some(([name, value]) => isError(name, value, error));
}

/** Returns whether a member names an error. */
function isError(name: string, value: Json | undefined, error: ErrorNames): boolean {
  if (ERROR_NAME.test(name)) return isFilled(value);
  if (error.fields.includes(name))
    return Array.isArray(value) && namedEntries(value, error).length > 0;
  return isOutcome(name) && /^(error|fail)/i.test(wordOf(value));
}

const isOutcome = (name: string): boolean => OUTCOME_NAME.test(name) || STATUSES.includes(name);

/** Returns whether a member with an unlisted name may report a failure. */
function isDoubtful(name: string, value: Json | undefined, error: ErrorNames): boolean {
  if (isError(name, value, error)) return true;
  if (error.fields.includes(name)) return hasMessages(value);
  if (CODE_NAME.test(name)) return isErrorCode(value);
  const text = wordOf(value);
  if (UNDONE_NAME.test(name)) return /^false$/i.test(text);
  return isOutcome(name) && (DENIAL.test(text) || isRefusedStatus(text));
}

/** Returns whether a member for refused fields has messages, or messages by field. */
const hasMessages = (value: Json | undefined): boolean =>
  isTextList(value) || (isJsonObject(value) && byName(value).length > 0);

/**
 * Returns whether a text is an HTTP status such as `403 Forbidden` or `NOT_FOUND`. A single word
 * such as `LOCKED` may be the state of a record.
 */
function isRefusedStatus(text: string): boolean {
  const isLine = /^(?:HTTP\/[\d.]+ [45]\d\d\b|[45]\d\d [a-z])/i.test(text);
  const isName = text.length <= MAX_CODE && /[a-z][ _-][a-z]/i.test(text);
  return isLine || (isName && REFUSED_STATUSES.has(wordsOf(text)));
}

/** Returns a text in lower case without separators. */
const wordsOf = (text: string): string => text.toLowerCase().replace(/[^a-z]/g, '');

const REFUSED_STATUSES: ReadonlySet<string> = new Set(
  Object.entries(STATUS_CODES).flatMap(([status, text = '']) =>
    // A record may wait for a payment.
    Number(status) >= 400 && status !== '402' ? [wordsOf(text)] : [],
  ),
);

const isFailureWord = (value: Json | undefined): boolean => FAILURE_WORD.test(wordOf(value));

/**
 * Some of these words are common in records. They are only tested for members with a name of an
 * outcome.
 */
const DENIAL = /^(error|fail\w*|false|no|ko|nok|rejected|refused|denied|invalid|aborted)$/i;
const FAILURE_WORD = /^(error|fail|failed|failure|false)$/i;
/** Codes for success. */
const SUCCESS_CODE = /^(|0+|2\d\d|ok|success|successful|none|no_error|null|false)$/i;

/** Returns a string, number or boolean as text. Returns an empty text for other values. */
const textOf = (value: Json | undefined): string =>
  typeof value === 'object' || value === undefined ? '' : String(value);

/**
 * Returns a value's text without spaces around it. `/^\s*(|…)\s*$/` would take quadratic time for
 * many spaces.
 */
const wordOf = (value: Json | undefined): string => textOf(value).trim();

const isErrorCode = (value: Json | undefined): boolean =>
  value !== true && !SUCCESS_CODE.test(wordOf(value));

const isErrorStatus = (value: Json | undefined): boolean => /^[45]\d\d$/.test(textOf(value));

/** Returns whether a member for errors contains one. `{code: 0}` means success. */
function isFilled(value: Json | undefined): boolean {
  if (typeof value !== 'object' || value === null) return !SUCCESS_CODE.test(wordOf(value));
  if (isJsonObject(value) && /^(0|ok|success)$/i.test(textOf(value['code']))) return false;
  return Object.values(value).some((member: Json) => member !== null && member !== '');
}

/** The objects and texts of a body that may describe its error, outermost first. */
interface Collected {
  readonly objects: JsonObject[];
  readonly texts: string[];
}

function collect(body: Json | undefined): Collected {
  const found: Collected = { objects: [], texts: [] };
  collectFrom(body, 0, found, HOLDERS);
  return found;
}

/** Returns the objects inside a body, outermost first. */
export function objectsWithin(body: Json | undefined): readonly JsonObject[] {
  const found: Collected = { objects: [], texts: [] };
  collectFrom(body, 0, found, undefined);
  return found.objects;
}

/** @param names the members to search; by default all. */
function collectFrom(
  value: Json | undefined,
  depth: number,
  found: Collected,
  names: readonly string[] | undefined,
): void {
  if (depth > MAX_DEPTH || found.objects.length >= MAX_OBJECTS) return;
  if (typeof value === 'string' && value !== '') found.texts.push(value);
  if (Array.isArray(value)) {
    // Nested arrays describe no error.
    const items = value.slice(0, MAX_OBJECTS).filter((item) => !Array.isArray(item));
    for (const item of items) collectFrom(item, depth + 1, found, names);
  }
  if (!isJsonObject(value)) return;
  found.objects.push(value);
  for (const name of names ?? Object.keys(value)) {
    collectFrom(valueAt(value, name), depth + 1, found, names);
  }
}

/** Reads a code from the dialect's members or from `code`. A status or a sentence is not a code. */
function codeIn(object: JsonObject, error: ErrorNames): string | undefined {
  const name = error.code.find((one) => isErrorCode(valueAt(object, one)));
  if (name !== undefined) return String(object[name]);
  const { code } = object;
  const isCode = isErrorCode(code) && !isErrorStatus(code) && /^[\w.:-]+$/.test(String(code));
  return isCode ? String(code) : undefined;
}

function statusIn(object: JsonObject): number | undefined {
  const name = STATUSES.find((one) => isErrorStatus(object[one]));
  return name === undefined ? undefined : Number(object[name]);
}

function textAt(object: JsonObject, names: readonly string[]): string | undefined {
  const name = names.find((one) => typeof object[one] === 'string' && object[one] !== '');
  return name === undefined ? undefined : String(object[name]);
}

/** Some platforms send their messages as JSON in a string. */
function unwrap(text: string, error: ErrorNames, secrets: readonly string[]): string {
  const isJson = /^\s*[[{]/.test(text);
  const inner = isJson ? readErrorBody(parseErrorBody(text), error, secrets) : undefined;
  return inner?.message ?? text;
}

/** Reads the refused fields of an object: a list, or an object of messages by field. */
function fieldsIn(object: JsonObject, error: ErrorNames, message = ''): FieldRefusal[] {
  const listed = pick(object, error.fields);
  if (Array.isArray(listed)) return namedEntries(listed, error);
  if (isJsonObject(listed)) return codeIn(listed, error) === undefined ? byName(listed) : [];
  // Salesforce lists only the names. The object's message belongs to them.
  const { fields } = object;
  if (!isTextList(fields)) return [];
  return byName(
    Object.fromEntries(fields.map((field) => [field, textAt(object, error.message) ?? message])),
  );
}

/** Reads entries such as `{field, message}`. */
function namedEntries(entries: readonly Json[], error: ErrorNames): FieldRefusal[] {
  return entries
    .slice(0, MAX_FIELDS)
    .filter(isJsonObject)
    .flatMap((entry) => {
      const field = pickText(entry, error.fieldName) ?? endOfPlace(entry);
      return refusal(field, pickText(entry, error.fieldMessage));
    });
}

/** Reads the last segment of a JSON pointer (JSON:API, RFC 9457) or of a list of names. */
function endOfPlace({ source, pointer, loc, path }: JsonObject): string | undefined {
  // As a string, `path` is usually the request's address.
  const names = loc ?? (Array.isArray(path) ? path : undefined);
  const place = isJsonObject(source) ? source['pointer'] : (pointer ?? names);
  const segments = typeof place === 'string' ? place.split('/') : place;
  const end = Array.isArray(segments) ? segments.at(-1) : undefined;
  return typeof end === 'string' ? end : undefined;
}

/** Reads an object of messages by field. */
function byName(members: JsonObject): FieldRefusal[] {
  return Object.entries(members)
    .slice(0, MAX_FIELDS)
    .flatMap(([field, value]) => {
      const held = isJsonObject(value) ? value['message'] : value;
      return refusal(field, Array.isArray(held) ? held[0] : held);
    });
}

const isTextList = (value: Json | undefined): value is readonly string[] =>
  Array.isArray(value) && value.length > 0 && value.every((item) => typeof item === 'string');

const refusal = (field: string | undefined, message: Json | undefined): FieldRefusal[] =>
  field && typeof message === 'string' ? [{ field, message }] : [];
