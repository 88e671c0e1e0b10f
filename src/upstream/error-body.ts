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
const MAX_DEPTH = 5;

/** Members under which platforms put one error or several. */
const HOLDERS: readonly string[] = [
  ...(['error', 'errors', 'Error', 'Errors', 'odata.error', 'fault', 'Fault'] as const),
  ...(['exception', 'detail', 'details', 'messages'] as const),
];
/** Members that hold something only if the operation failed. */
const FAULTS: readonly string[] = [
  'error',
  'errors',
  'fault',
  'Fault',
  'exception',
  'errorMessage',
];
/** Members that are `true` only if the operation failed. */
const FAILURES: readonly string[] = ['isError', 'hasError', 'hasErrors'];
/** Members that state the HTTP status. */
const STATUSES: readonly string[] = [
  'status',
  'statusCode',
  'httpStatus',
  'httpStatusCode',
  'code',
];
/** Messages besides the dialect's: RFC 9457, JSON:API, OAuth (RFC 6749), SOAP, Frappe. */
const MESSAGES: readonly string[] = [
  ...(['detail', 'error_description', 'description', 'faultstring', 'title'] as const),
  'Message',
  '_server_messages',
];
/** Further members of RFC 9457. */
const PROBLEM_MEMBERS: readonly string[] = ['type', 'instance'];
/** Members that count what a change has done, or state that it has. */
const COUNT =
  /^(count|rows)$|(affected|updated|modified|deleted|removed|replaced|(?<!un)changed|matched)(_?(rows|count|records|documents))?$/i;
/** Other names for an error. The letter case separates words, as in `preferred` and `isDefault`. */
export const ERROR_NAME =
  /^(?:\w*_)?(?:err|fault|exception|fail)|Err(?:or|Code|Msg)|Fault|Exception|Fail/;
/** Other names for a code, and for an outcome. */
const CODE_NAME = /^(?:status|response|result|return)?_?code$/i;
const OUTCOME_NAME =
  /^(?:is|response|result|return|request)?_?(?:status|state|success\w*|succeeded|ok|result|outcome|accepted|acknowledged|valid)$/i;
/** Members that are `false` where nothing was done. */
const FLAGS: readonly string[] = [
  'success',
  'ok',
  'Success',
  'isSuccess',
  'IsSuccess',
  'succeeded',
  'Succeeded',
];
/** Members of error bodies that prove no record, besides those of the dialect. */
const COMPANIONS: ReadonlySet<string> = new Set([
  ...STATUSES,
  ...FLAGS,
  ...FAULTS,
  ...FAILURES,
  ...(['details', 'timestamp', 'path', 'idForm', 'links', '_links'] as const),
  ...(['traceId', 'requestId', 'correlationId'] as const),
]);

/** Whether a member of this name is about the outcome. */
const isOfOutcome = (name: string): boolean =>
  COMPANIONS.has(name) ||
  [COUNT, ERROR_NAME, CODE_NAME, OUTCOME_NAME].some((names) => names.test(name));

/**
 * Says what a member of an error this name belongs to. A field called like an `error` proves no
 * record. One called like a `message`, such as `title`, does unless the body describes an error.
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

/** Whether a member of this name may belong to an error, or to a record of any kind. */
export function isCompanion(name: string, { error }: Dialect): boolean {
  if (isOfOutcome(name)) return true;
  const { code, message, fields } = error;
  return [code, message, fields].some((names) => names.includes(name));
}

/**
 * Finds code, message and refused fields in the body of an error: flat, in an array, or under
 * `error`, `errors` or `fault`; also `application/problem+json` (RFC 9457), JSON:API, and an object
 * of field names with lists of messages. Its work is bounded by constants.
 */
export function readErrorBody(body: Json | undefined, error: ErrorNames): BodyError {
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
    code: code?.slice(0, MAX_CODE),
    message: message && unwrap(message, error).slice(0, MAX_TEXT),
    fields: fields.slice(0, MAX_FIELDS),
    status: objects.map(statusIn).find((one) => one !== undefined),
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
 * How the body of a 2xx response contradicts its status. `error`: it has an error code, or states
 * that the operation failed. `status`: a status says so, which may be the record's own. `none`: a
 * count says that nothing was changed. `doubt`: it may be a refusal as well as a success.
 */
export type Contradiction = 'error' | 'status' | 'none' | 'doubt';

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
  // The only value may be the number of changed rows.
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
  return Object.keys(object).some((name) => isDoubtful(name, at(name))) ? 'doubt' : undefined;
}

/** Whether a member may state a failure, by what its name has in common with those that do. */
function isDoubtful(name: string, value: Json | undefined): boolean {
  if (ERROR_NAME.test(name)) return isFilled(value);
  if (CODE_NAME.test(name)) return isErrorCode(value);
  return OUTCOME_NAME.test(name) && DENIAL.test(textOf(value));
}

const isFailureWord = (value: Json | undefined): boolean => FAILURE_WORD.test(textOf(value));

/** Words that are more often a record's own than those for a failure. */
const DENIAL = /^\s*(error|fail\w*|false|no|ko|nok|rejected|refused|denied|invalid|aborted)\s*$/i;
const FAILURE_WORD = /^\s*(error|fail|failed|failure|false)\s*$/i;
/** Codes by which platforms say that nothing is wrong. */
const SUCCESS_CODE = /^\s*(|0+|2\d\d|ok|success|successful|none|no_error|null|false)\s*$/i;

/** A text, number or boolean as text; empty for anything else. */
const textOf = (value: Json | undefined): string =>
  typeof value === 'object' || value === undefined ? '' : String(value);

const isErrorCode = (value: Json | undefined): boolean =>
  value !== true && !SUCCESS_CODE.test(textOf(value));

const isErrorStatus = (value: Json | undefined): boolean => /^[45]\d\d$/.test(textOf(value));

/** Whether a member for errors holds one; `{code: 0}` reports success. */
function isFilled(value: Json | undefined): boolean {
  if (typeof value !== 'object' || value === null) return !SUCCESS_CODE.test(textOf(value));
  if (isJsonObject(value) && /^(0|ok|success)$/i.test(textOf(value['code']))) return false;
  return Object.values(value).some((member: Json) => member !== null && member !== '');
}

/** The objects and texts of a body that may describe its error, the outermost first. */
interface Collected {
  readonly objects: JsonObject[];
  readonly texts: string[];
}

function collect(body: Json | undefined): Collected {
  const found: Collected = { objects: [], texts: [] };
  collectFrom(body, 0, found, HOLDERS);
  return found;
}

/** Returns the objects within a body, the outermost first. */
export function objectsWithin(body: Json | undefined): readonly JsonObject[] {
  const found: Collected = { objects: [], texts: [] };
  collectFrom(body, 0, found, undefined);
  return found.objects;
}

/** @param names of the members that are searched; all of them by default. */
function collectFrom(
  value: Json | undefined,
  depth: number,
  found: Collected,
  names: readonly string[] | undefined,
): void {
  if (depth > MAX_DEPTH || found.objects.length >= MAX_OBJECTS) return;
  if (typeof value === 'string' && value !== '') found.texts.push(value);
  if (Array.isArray(value)) {
    // An array in an array describes no error.
    const items = value.slice(0, MAX_OBJECTS).filter((item) => !Array.isArray(item));
    for (const item of items) collectFrom(item, depth + 1, found, names);
  }
  if (!isJsonObject(value)) return;
  found.objects.push(value);
  for (const name of names ?? Object.keys(value)) {
    collectFrom(valueAt(value, name), depth + 1, found, names);
  }
}

/** Reads a code by the dialect, or under `code`; a status or a sentence is no code. */
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

/** Some platforms write their messages as JSON within a text. */
function unwrap(text: string, error: ErrorNames): string {
  const isJson = /^\s*[[{]/.test(text);
  return (isJson ? readErrorBody(parseErrorBody(text), error).message : undefined) ?? text;
}

/** Reads the refused fields of one object: a list of them, or an object with messages by field. */
function fieldsIn(object: JsonObject, error: ErrorNames, message = ''): FieldRefusal[] {
  const listed = pick(object, error.fields);
  if (Array.isArray(listed)) return namedEntries(listed, error);
  if (isJsonObject(listed)) return codeIn(listed, error) === undefined ? byName(listed) : [];
  // Salesforce lists the names alone; the message of the object is about them.
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

/** Reads the end of a JSON pointer (JSON:API, RFC 9457), or of a path of names. */
function endOfPlace({ source, pointer, loc, path }: JsonObject): string | undefined {
  // As a text, `path` is mostly the address of the request.
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
  field && typeof message === 'string'
    ? [{ field: field.slice(0, MAX_TEXT), message: message.slice(0, MAX_TEXT) }]
    : [];
