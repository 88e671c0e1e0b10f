import { type FieldRefusal, LIMIT_EXCEEDED } from '../core/errors.ts';
import { isJsonObject, type Json, type JsonObject, parseJson, pick, pickText, valueAt } from '../core/json.ts';
import type { Dialect } from './dialect.ts';

type ErrorNames = Dialect['error'];

/** The error that a body describes. */
export interface BodyError {
  readonly code: string | undefined;
  readonly message: string | undefined;
  readonly fields: readonly FieldRefusal[];
  /** The HTTP status that the body itself states, from 400 to 599. */
  readonly status: number | undefined;
}

/** Longer bodies of errors are not parsed. */
const MAX_LENGTH = 65_536;
const MAX_TEXT = 1_000;
const MAX_CODE = 100;
const MAX_FIELDS = 50;
const MAX_OBJECTS = 50;
const MAX_DEPTH = 3;

/** Members under which platforms put one error or several. */
const HOLDERS: readonly string[] = ['error', 'errors', 'fault', 'detail'];
/** Members that state the HTTP status. */
const STATUSES: readonly string[] = ['status', 'statusCode', 'httpStatus', 'code'];
/** Messages besides the dialect's: RFC 9457, JSON:API, OAuth (RFC 6749), SOAP, Frappe. */
const MESSAGES: readonly string[] = [
  ...(['detail', 'error_description', 'description', 'faultstring', 'title'] as const),
  ...(['_server_messages', 'exception'] as const),
];
/** Members of error bodies that prove no record, besides those of the dialect. */
const COMPANIONS: ReadonlySet<string> = new Set([
  ...STATUSES,
  ...(['success', 'ok', 'error', 'errors', 'fault', 'details', 'timestamp', 'path'] as const),
  ...(['traceId', 'requestId', 'correlationId'] as const),
]);

/** Whether a member of this name may belong to an error, or to a record of any kind. */
export const isCompanion = (name: string, { error, links }: Dialect): boolean =>
  COMPANIONS.has(name) ||
  [error.code, error.message, error.fields, links.list, links.byRel].some((names) => names.includes(name));

/**
 * Finds code, message and refused fields in the body of an error: flat, in an array, or under
 * `error`, `errors` or `fault`; also `application/problem+json` (RFC 9457), JSON:API, and an object
 * of field names with lists of messages. Its work is bounded by constants.
 */
export function readErrorBody(body: Json | undefined, error: ErrorNames): BodyError {
  const { objects, texts } = collect(body);
  const codes = objects.flatMap((object) => codeIn(object, error) ?? codeBesides(object) ?? []);
  const isLimit = codes.includes(LIMIT_EXCEEDED) || texts.includes(LIMIT_EXCEEDED);
  const code = isLimit ? LIMIT_EXCEEDED : codes[0];
  const message = firstOf(objects, (object) => messageIn(object, error));
  const listedText = typeof body === 'string' ? undefined : texts.find((text) => text !== code);
  const fields = objects.flatMap((object) => fieldsIn(object, error, message));
  if (Array.isArray(body)) fields.push(...namedEntries(body, error));
  if (fields.length === 0 && code === undefined && message === undefined) {
    fields.push(...listedByName(body));
  }

  return {
    code: code?.slice(0, MAX_CODE),
    message: (message ?? listedText)?.slice(0, MAX_TEXT),
    fields: uniqueFields(fields),
    status: firstOf(objects, statusIn),
  };
}

/** Parses the body of an error; `undefined` where it is too long, and `null` where it is no JSON. */
export function parseErrorBody(text: string): Json | undefined {
  if (text === '' || text.length > MAX_LENGTH) return undefined;
  try {
    return parseJson(text);
  } catch {
    return text.trim() === LIMIT_EXCEEDED ? LIMIT_EXCEEDED : null;
  }
}

/**
 * How the body of a 2xx response contradicts its status. `code`: it has an error code. `flag`: a
 * member such as `success: false` says so. `doubt`: it may be a refusal as well as a success.
 */
export type Contradiction = 'code' | 'flag' | 'doubt';

/**
 * Finds a contradiction in the outer object of a 2xx body, or in the first object of an array.
 *
 * @param fields the form's own fields: members of these names mean nothing else.
 */
export function findContradiction(
  body: Json | undefined,
  error: ErrorNames,
  fields?: ReadonlySet<string>,
): Contradiction | undefined {
  if (body === false || isFailureWord(body)) return 'doubt';
  const object = Array.isArray(body) ? body.find(isJsonObject) : body;
  if (!isJsonObject(object)) return undefined;
  const at = (name: string) => (fields?.has(name) ? undefined : valueAt(object, name));

  const held = ['error', 'errors', 'fault'].map(at).filter(isFilled);
  const inner = held.flatMap((value) => collect(value).objects);
  const hasOwnCode = error.code.some((name) => isErrorCode(at(name)));
  if (hasOwnCode || inner.some((one) => codeIn(one, error) ?? codeBesides(one))) return 'code';
  if (hasFailureFlag(at)) return 'flag';
  // `{error: {code: 0}}` reports success.
  if (held.length > 0) return inner.some(hasSuccessCode) ? 'doubt' : 'flag';
  return isErrorCode(at('code')) ? 'doubt' : undefined;
}

/** Whether `success: false`, `status: "error"` or an HTTP status is stated. */
function hasFailureFlag(at: (name: string) => Json | undefined): boolean {
  const isFalse = ['success', 'ok'].some((name) => at(name) === false || at(name) === 'false');
  return isFalse || isFailureWord(at('status')) || STATUSES.some((name) => isErrorStatus(at(name)));
}

const isFailureWord = (value: Json | undefined): boolean => typeof value === 'string' && FAILURE_WORD.test(value);

const FAILURE_WORD = /^\s*(error|fail|failed|failure|false)\s*$/i;
/** Codes by which platforms say that nothing is wrong. */
const SUCCESS_CODE = /^\s*(|0+|2\d\d|ok|success|successful|none|no_error|null|false)\s*$/i;

const isErrorCode = (value: Json | undefined): boolean =>
  (typeof value === 'string' || typeof value === 'number') && !SUCCESS_CODE.test(String(value));

const isErrorStatus = (value: Json | undefined): boolean => toErrorStatus(value) !== undefined;

function toErrorStatus(value: Json | undefined): number | undefined {
  if (typeof value !== 'number' && typeof value !== 'string') return undefined;
  return /^[45]\d\d$/.test(String(value)) ? Number(value) : undefined;
}

/** Whether a member for errors holds one. */
function isFilled(value: Json | undefined): boolean {
  if (typeof value === 'object' && value !== null) return Object.keys(value).length > 0;
  if (typeof value === 'string') return !SUCCESS_CODE.test(value);
  return value === true || (typeof value === 'number' && value !== 0);
}

const hasSuccessCode = ({ code }: JsonObject): boolean =>
  code !== undefined && code !== null && SUCCESS_CODE.test(String(code));

/** The objects and texts of a body that may describe its error, the outermost first. */
interface Collected {
  readonly objects: JsonObject[];
  readonly texts: string[];
}

function collect(body: Json | undefined): Collected {
  const found: Collected = { objects: [], texts: [] };
  collectFrom(body, 0, found);
  return found;
}

function collectFrom(value: Json | undefined, depth: number, found: Collected): void {
  if (depth > MAX_DEPTH || found.objects.length >= MAX_OBJECTS) return;
  if (typeof value === 'string' && value !== '') found.texts.push(value);
  if (Array.isArray(value)) {
    // An array in an array describes no error.
    const items = value.slice(0, MAX_OBJECTS).filter((item) => !Array.isArray(item));
    for (const item of items) collectFrom(item, depth + 1, found);
  }
  if (!isJsonObject(value)) return;
  found.objects.push(value);
  for (const name of HOLDERS) collectFrom(valueAt(value, name), depth + 1, found);
}

function firstOf<T>(objects: readonly JsonObject[], read: (object: JsonObject) => T | undefined) {
  for (const object of objects) {
    const value = read(object);
    if (value !== undefined) return value;
  }
  return undefined;
}

/** Reads a code under one of the dialect's names. */
function codeIn(object: JsonObject, { code }: ErrorNames): string | undefined {
  const name = code.find((one) => isErrorCode(valueAt(object, one)));
  return name === undefined ? undefined : String(object[name]);
}

/** Reads a code under `code`; a status or a sentence there is none. */
function codeBesides({ code }: JsonObject): string | undefined {
  if (!isErrorCode(code) || isErrorStatus(code)) return undefined;
  return /^[\w.:-]+$/.test(String(code)) ? String(code) : undefined;
}

function statusIn(object: JsonObject): number | undefined {
  const name = STATUSES.find((one) => isErrorStatus(valueAt(object, one)));
  return name === undefined ? undefined : toErrorStatus(object[name]);
}

function messageIn(object: JsonObject, error: ErrorNames): string | undefined {
  for (const name of [...error.message, ...MESSAGES]) {
    const value = valueAt(object, name);
    if (typeof value === 'string' && value !== '') return unwrap(value, error);
  }
  return undefined;
}

/** Some platforms write their messages as JSON within a text. */
function unwrap(text: string, error: ErrorNames, depth = 0): string {
  if (depth === 2 || !/^\s*[[{]/.test(text)) return text;
  const body = parseErrorBody(text);
  if (typeof body !== 'object' || body === null) return text;
  const { objects, texts } = collect(body);
  const message = firstOf(objects, (object) => pickText(object, error.message)) ?? texts[0];
  return message === undefined ? text : unwrap(message, error, depth + 1);
}

/** Reads the refused fields of one object: a list of them, or an object with messages by field. */
function fieldsIn(object: JsonObject, error: ErrorNames, message = ''): FieldRefusal[] {
  const listed = pick(object, error.fields);
  const named = Array.isArray(listed) ? namedEntries(listed, error) : [];
  const isError = isJsonObject(listed) && codeIn(listed, error) !== undefined;
  if (isJsonObject(listed) && !isError) named.push(...byName(listed));

  // Salesforce lists the names alone; the message of the object is about them.
  const { fields } = object;
  const names = Array.isArray(fields) ? fields.filter((field) => typeof field === 'string') : [];
  const text = messageIn(object, error) ?? message;
  return [...named, ...names.slice(0, MAX_FIELDS).map((field) => ({ field, message: text }))];
}

/** Reads entries such as `{field, message}`. */
function namedEntries(entries: readonly Json[], error: ErrorNames): FieldRefusal[] {
  return entries
    .slice(0, MAX_FIELDS)
    .filter(isJsonObject)
    .flatMap((entry) => {
      const field = pickText(entry, error.fieldName) ?? endOfPlace(entry);
      const message = pickText(entry, error.fieldMessage);
      return field === undefined || message === undefined ? [] : [{ field, message }];
    });
}

/** The field that a JSON pointer leads to (JSON:API, RFC 9457), or a path of names. */
function endOfPlace({ source, pointer, loc }: JsonObject): string | undefined {
  const place = isJsonObject(source) ? source['pointer'] : (pointer ?? loc);
  const segments = typeof place === 'string' ? place.split('/') : place;
  const end = Array.isArray(segments) ? segments.at(-1) : undefined;
  return typeof end === 'string' && end !== '' ? end : undefined;
}

function byName(members: JsonObject): FieldRefusal[] {
  return Object.entries(members)
    .slice(0, MAX_FIELDS)
    .flatMap(([field, value]) => {
      const message = Array.isArray(value) ? value[0] : value;
      return typeof message === 'string' ? [{ field, message }] : [];
    });
}

/** Reads a body that is nothing but lists of messages by field. */
function listedByName(body: Json | undefined): FieldRefusal[] {
  if (!isJsonObject(body)) return [];
  const isList = (value: Json) => Array.isArray(value) && typeof value[0] === 'string';
  return Object.values(body).every(isList) ? byName(body) : [];
}

/** Cuts what clients get, and leaves out what was found at two places. */
function uniqueFields(fields: readonly FieldRefusal[]): FieldRefusal[] {
  const cut = fields.map(({ field, message }) => ({
    field: field.slice(0, MAX_TEXT),
    message: message.slice(0, MAX_TEXT),
  }));
  return [...new Map(cut.map((one) => [JSON.stringify(one), one])).values()].slice(0, MAX_FIELDS);
}
