import { classify, type FieldRefusal, UpstreamError } from '../core/errors.ts';
import { isJsonObject, type Json, type JsonObject, parseJson, pick, pickText } from '../core/json.ts';
import { type Call, type HttpResponse, type Interceptor, isConditional, isRead } from './call.ts';
import { readMediaType } from './content.ts';
import type { Dialect } from './dialect.ts';
import type { Answer } from './operation.ts';
import type { ResponseHeaders } from './records.ts';
import { MAX_PAUSE_MS } from './resilience.ts';

/** An answer's operation: its name, which may be `getToken`, and what it is. */
type Asked = Pick<Call, 'operation' | 'kind' | 'hasBody'>;

/** A record takes at least so much memory. */
const MIN_RECORD_BYTES = 500;
/** A byte of a usual response takes about so many of memory when it is parsed; one of dense JSON takes more, and counts more. */
export const MEMORY_PER_BYTE = 4;

/** Reads the answer to a call, and counts what it takes beyond its text before it is parsed. */
export const createRead =
  (dialect: Dialect): Interceptor =>
  (next) =>
  (call) =>
    next(call).then((response) => {
      if (response.status === 304 && isConditional(call)) return response;
      let bytes = MIN_RECORD_BYTES;
      const body = readBody(call, response, dialect, (estimate) => {
        bytes += estimate;
        const failure = call.work?.received(Math.max(0, bytes / MEMORY_PER_BYTE - response.text.length));
        if (failure) throw new UpstreamError(isRead(call) ? failure : 'outcome-unknown', { operation: call.operation });
      });
      return { ...response, body, bytes: Math.max(bytes, Buffer.byteLength(response.text)) };
    });

/**
 * Parses the body of an answer; `undefined` when it has none.
 *
 * @param admit gets about how many bytes of memory the parsed body will take; what it throws is thrown.
 * @throws {UpstreamError} for the meaning of a status that is not 2xx, and for an answer that cannot be read.
 */
function readBody(asked: Asked, response: HttpResponse, dialect: Dialect, admit?: (bytes: number) => void) {
  const { status, text } = response;
  if (status < 200 || status > 299) throw toError(asked, response, dialect);
  const isEmpty = /^\s*$/.test(text);
  if (status === 204 || (isEmpty && !asked.hasBody)) return undefined;
  // Without a body the content type means nothing.
  if (!isEmpty) checkType(asked, response);
  try {
    // Where no body is promised, one that is not JSON says nothing; the status has said it all.
    return asked.hasBody ? parseJson(text, admit) : parseBody(text, admit);
  } catch (cause) {
    if (cause instanceof UpstreamError) throw cause;
    // A text that was cut may be whole the next time; one that is nested too deep will not.
    throw unreadable(asked, response, { isFinal: !(cause instanceof SyntaxError), cause });
  }
}

/** @throws {UpstreamError} for a body of another type. A page instead of a resource is not the platform's. */
function checkType(asked: Asked, response: HttpResponse): void {
  const { isHtml, isJson } = readMediaType(response.headers['content-type']);
  if (isHtml) throw unreadable(asked, response, { isFinal: false });
  if (asked.hasBody && !isJson) throw unreadable(asked, response, { isFinal: true });
}

/** Decodes an answer that has been read. @throws {UpstreamError} where it cannot be decoded: it means something else. */
export function decodeRead<T>(asked: Asked, response: HttpResponse, decode: (read: HttpResponse) => T): T {
  try {
    return decode(response);
  } catch (cause) {
    throw cause instanceof UpstreamError ? cause : unreadable(asked, response, { isFinal: true, cause });
  }
}

/** Reads the answer to a read, and decodes it. @throws {UpstreamError} as both do. */
export function decodeAnswer<T>(
  operation: string,
  response: HttpResponse,
  dialect: Dialect,
  decode: (answer: Answer) => T,
): T {
  const asked = { operation, kind: 'read', hasBody: true };
  return decodeRead(asked, { ...response, body: readBody(asked, response, dialect) }, decode);
}

// The platform accepted a write whose answer cannot be read: that is a lost answer.
function unreadable(asked: Asked, { status }: HttpResponse, details: { isFinal: boolean; cause?: unknown }) {
  const { operation } = asked;
  return new UpstreamError(isRead(asked) ? 'malformed' : 'outcome-unknown', { operation, status, ...details });
}

const LIMIT_EXCEEDED = 'REQUEST_LIMIT_EXCEEDED';

/** Gives the meaning of an answer that is not 2xx. */
export function toError(
  asked: Pick<Call, 'operation' | 'kind'>,
  { status, headers, text }: HttpResponse,
  dialect: Dialect,
): UpstreamError {
  const { operation } = asked;
  const body = parseBody(text);
  const object = isJsonObject(body) ? body : {};
  // In a text that quotes the request the word may be the client's own, so it counts only as the whole of it.
  const isLimitText = body === null && text.trim() === LIMIT_EXCEEDED;
  const errorCode = pickText(object, dialect.error.code) ?? (isLimitText ? LIMIT_EXCEEDED : undefined);
  // Many servers redirect from a form that they have taken, and a proxy may time out for a request that it has passed on.
  const isLostAnswer = !isRead(asked) && (status < 400 || status === 408);
  const failure = isLostAnswer ? 'outcome-unknown' : classify(status, errorCode);
  const isPause = failure === 'rate-limited' && errorCode === LIMIT_EXCEEDED && operation !== 'getToken';
  return new UpstreamError(failure, {
    operation,
    status,
    errorCode: errorCode?.slice(0, 100),
    reason: pickText(object, dialect.error.message)?.slice(0, MAX_REASON),
    fields: refusedFields(object, dialect.error),
    retryAfterMs:
      retryAfterMs(headers, isPause ? MAX_PAUSE_MS : MAX_RETRY_AFTER_MS) ??
      (failure === 'rate-limited' ? dialect.error.retryAfterMs : undefined),
    isFinal: status < 400,
  });
}

/** The maximum length of a message that is passed on, and the maximum number of fields. */
const MAX_REASON = 1_000;
const MAX_FIELDS = 50;

/** Reads which fields are refused: of `[{field, message}]`, or of `{field: message}`. */
function refusedFields(body: JsonObject, { fields, fieldName, fieldMessage }: Dialect['error']): FieldRefusal[] {
  const listed = pick(body, fields);
  const entries = Array.isArray(listed)
    ? listed.filter(isJsonObject).map((entry) => [pickText(entry, fieldName), pickText(entry, fieldMessage)] as const)
    : Object.entries(isJsonObject(listed) ? listed : {}).map(
        ([field, message]) => [field, [message].flat()[0]] as const,
      );
  return entries
    .slice(0, MAX_FIELDS)
    .flatMap(([field, message]) =>
      typeof field === 'string' && typeof message === 'string'
        ? [{ field: field.slice(0, MAX_REASON), message: message.slice(0, MAX_REASON) }]
        : [],
    );
}

/** Parses a body that may be absent. `null` stands for a text that is not JSON, which no decoder takes. */
export function parseBody(text: string, admit?: (bytes: number) => void): Json | undefined {
  if (text === '') return undefined;
  try {
    return parseJson(text, admit);
  } catch {
    return null;
  }
}

/** The longest wait that is passed on, but for that after the platform's request limit, in milliseconds. */
const MAX_RETRY_AFTER_MS = 60_000;

// Seconds, or a date, which counts from the server's own clock where that is known.
function retryAfterMs({ 'retry-after': header, date }: ResponseHeaders, maxMs: number): number | undefined {
  if (header === undefined) return undefined;
  const ms = /^\d+$/.test(header)
    ? Number(header) * 1_000
    : Date.parse(header) - (Date.parse(date ?? '') || Date.now());
  return ms >= 0 ? Math.min(ms, maxMs) : undefined;
}

/** An error body is no longer than this. */
const ERROR_BODY_MAX_LENGTH = 16_384;
/** Members that error bodies have besides their code and message. */
const STATUSES: readonly string[] = ['status', 'statusCode', 'httpStatus'];
const COMPANIONS: readonly string[] = [...STATUSES, 'timestamp', 'path', 'error', 'details'];

/**
 * Normalises the status: some platforms send an error's body with 200. Anything but a bare error body, which has a code and
 * nothing that a resource would have, is left as it is.
 */
export function normaliseStatus(response: HttpResponse, { error }: Dialect): HttpResponse {
  const { status, text } = response;
  const mayBeError = status === 200 && text.length <= ERROR_BODY_MAX_LENGTH && !text.startsWith('[');
  if (!mayBeError || !error.code.some((name) => text.includes(name))) return response;
  const body = parseBody(text);
  if (!isJsonObject(body) || pickText(body, error.code) === undefined) return response;
  const known = new Set([...error.code, ...error.message, ...COMPANIONS]);
  if (!Object.keys(body).every((name) => known.has(name))) return response;

  const code = pickText(body, error.code);
  if (code === LIMIT_EXCEEDED) return { ...response, status: 403 };
  const stated = [...STATUSES.map((name) => body[name]), code].map(Number);
  // Where the body has no status, a failed platform is the guess that promises least.
  return { ...response, status: stated.find((one) => Number.isInteger(one) && one >= 400 && one <= 599) ?? 500 };
}

/** HTTP's dates have seconds, so that two changes may share one, and only the first of them be in the answer. */
const SETTLED_MS = 2_000;

/**
 * Gives the `If-Modified-Since` of the next read: the answer's `Last-Modified`, unless that was younger than two seconds by the
 * answer's own clock, or where it has none, two seconds before its `Date`.
 */
export function validatorOf({ 'last-modified': modified, date = '' }: ResponseHeaders, { unchanged }: Dialect) {
  const settledMs = Date.parse(date) - SETTLED_MS;
  // Only `Date` shows by whose clock that is old; the gateway's may differ.
  if (!unchanged.isAsked || Number.isNaN(settledMs)) return undefined;
  if (modified === undefined) return new Date(settledMs).toUTCString();
  return Date.parse(modified) <= settledMs ? modified : undefined;
}
