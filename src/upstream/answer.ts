import { classify, LIMIT_EXCEEDED, UpstreamError, type UpstreamFailure } from '../core/errors.ts';
import { type Json, parseJson } from '../core/json.ts';
import {
  type Call,
  type ExpectedAnswer,
  type HttpResponse,
  type Interceptor,
  isConditional,
  isRead,
} from './call.ts';
import { readMediaType } from './content.ts';
import type { Dialect } from './dialect.ts';
import { type BodyError, parseErrorBody, readErrorBody } from './error-body.ts';
import type { AnyOperation, Read } from './operation.ts';
import { type Answer, type Mismatch, UnrecognisedError } from './promised.ts';
import { describeMismatch, recognise } from './recognise.ts';
import type { ResponseHeaders } from './records.ts';
import { MAX_BACKOFF_MS } from './resilience.ts';

/** The call of a response: its operation (which may be `getToken`), kind and promised body. */
type Asked = Pick<Call, 'operation' | 'kind' | 'hasBody' | 'expected'>;

/** The smallest memory of a record. */
const MIN_RECORD_BYTES = 500;
/**
 * The approximate memory of a parsed response, per byte of text. Dense JSON takes more, and is
 * counted separately.
 */
export const MEMORY_PER_BYTE = 4;

/**
 * Creates the step that parses, recognises and decodes responses. It counts their memory beyond the
 * text before parsing. It throws for a refusal in a 2xx response, so earlier steps handle all
 * refusals alike.
 */
export const createRead =
  (dialect: Dialect): Interceptor =>
  (next) =>
  (call) =>
    next(call).then((response) => {
      if (response.status === 304 && isConditional(call)) return response;
      let bytes = MIN_RECORD_BYTES;
      const body = readBody(call, response, dialect, (estimate) => {
        bytes += estimate;
        const failure = call.requestState?.received(
          Math.max(0, bytes / MEMORY_PER_BYTE - response.text.length),
        );
        if (failure)
          throw new UpstreamError(isRead(call) ? failure : 'outcome-unknown', {
            operation: call.operation,
          });
      });
      const answer = {
        ...response,
        body,
        bytes: Math.max(bytes, Buffer.byteLength(response.text)),
      };
      return { ...answer, decoded: call.expected?.decode(answer) };
    });

/**
 * Parses the body of a response. Returns `undefined` if the response has no body.
 *
 * @param admit receives the estimated memory of the parsed body in bytes. Its exceptions are
 *   passed on.
 * @throws {UpstreamError} for a status that is not 2xx, and for an unreadable response.
 */
function readBody(
  asked: Asked,
  response: HttpResponse,
  dialect: Dialect,
  admit?: (bytes: number) => void,
) {
  const { status, text } = response;
  if (status < 200 || status > 299) throw toError(asked, response, dialect);
  const isEmpty = /^\s*$/.test(text);
  if (status === 204 || (isEmpty && !asked.hasBody)) return undefined;
  // The content type of an empty body does not matter.
  if (!isEmpty) checkType(asked, response);
  try {
    return parseAnswer(asked, response, admit);
  } catch (cause) {
    if (cause instanceof UpstreamError) throw cause;
    // A truncated text may be complete in a second attempt. A text that is nested too deep fails
    // again.
    const why = text === '' ? 'empty' : 'not-json';
    throw unreadable(asked, response, why, { isFinal: !(cause instanceof SyntaxError), cause });
  }
}

/**
 * Checks the content type. An HTML page comes from a proxy, not from the platform.
 *
 * @throws {UpstreamError} for another type.
 */
function checkType(asked: Asked, response: HttpResponse): void {
  const { isHtml, isJson } = readMediaType(response.headers['content-type']);
  if (isHtml) throw unreadable(asked, response, 'page', { isFinal: false });
  if (asked.hasBody && !isJson) throw unreadable(asked, response, 'not-json', { isFinal: true });
}

/** @throws {SyntaxError} for text that should be JSON and is not. */
function parseAnswer(
  asked: Asked,
  { text, headers }: HttpResponse,
  admit?: (bytes: number) => void,
): Json | undefined {
  // The status alone may confirm a change.
  if (text === '' && !isRead(asked)) return undefined;
  const type = headers['content-type'];
  const isWrong = readMediaType(type).isNamedJson && !CONFIRMATION.test(text);
  const mustBeJson = asked.hasBody || isWrong || MARKUP.test(text);
  // Without a promised body, a plain text such as `OK` is ignored. The status is sufficient.
  return mustBeJson ? parseJson(text, admit) : parseBody(text, admit);
}

/** The start of XML and HTML. These may report a failure. */
const MARKUP = /^\s*</;
/** Some platforms send such a word with the type of JSON. */
const CONFIRMATION = /^(ok|done|success|accepted|created|updated|deleted)\s{0,9}$/i;

/** The members of an operation that are needed to read its responses. */
export type Understood<A, T> = Pick<Read<A, T>, 'name' | 'decode' | 'path' | 'promises'> &
  Pick<AnyOperation, 'is'>;

/** Returns the description of an operation's promised response. */
export function expectAnswer<A, T>(
  of: Understood<A, T>,
  args: A,
  dialect: Dialect,
  fields?: Answer['fields'],
): ExpectedAnswer<T> {
  const { name: operation, is, promises } = of;
  const kind = is === 'read' ? 'read' : 'write';
  const describe = (why: Mismatch) => `${operation}: ${describeMismatch(promises, why, dialect)}`;
  const expected: ExpectedAnswer<T> = {
    describe,
    decode(response) {
      try {
        const path = () => of.path(args);
        const reading = { promised: promises, answer: { ...response, fields }, dialect, path };
        return of.decode(recognise(reading, promises.askedId?.(args)), dialect, args);
      } catch (cause) {
        if (cause instanceof UpstreamError) throw cause;
        const why = cause instanceof UnrecognisedError ? cause.why : 'absent';
        const asked = { operation, kind, expected };
        if (why === 'refused') throw toRefusal(asked, response, dialect);
        throw unreadable(asked, response, why, { isFinal: true, cause });
      }
    },
  };
  return expected;
}

/**
 * Parses, recognises and decodes the response to a read.
 *
 * @param fields the names of the form's fields, if known.
 * @throws {UpstreamError} for a failed or unreadable response.
 */
export function readAnswer<A, T>(
  of: Understood<A, T>,
  args: A,
  response: HttpResponse,
  dialect: Dialect,
  fields?: Answer['fields'],
): T {
  const expected = expectAnswer(of, args, dialect, fields);
  const asked = { operation: of.name, kind: 'read', hasBody: true, expected };
  return expected.decode({ ...response, body: readBody(asked, response, dialect) });
}

/**
 * Returns the failure of an unreadable response. For a write the outcome is unknown, because the
 * platform may have accepted it.
 */
function unreadable(
  asked: Asked,
  { status }: HttpResponse,
  why: Mismatch,
  details: { readonly isFinal: boolean; readonly cause?: unknown },
): UpstreamError {
  const { operation, expected } = asked;
  const { isFinal, cause } = details;
  const failure = isRead(asked) ? 'malformed' : 'outcome-unknown';
  const advice = expected?.describe(why);
  return new UpstreamError(failure, { operation, status, advice, isFinal, cause });
}

/** Statuses that a proxy may send although the platform has made the change. */
const LOST_STATUSES: ReadonlySet<number> = new Set([408, 502, 504, 520, 521, 522, 523, 524]);

/** Returns the failure of a response that is not 2xx. */
export function toError(
  asked: Pick<Call, 'operation' | 'kind' | 'expected'>,
  response: HttpResponse,
  dialect: Dialect,
): UpstreamError {
  const { status, text } = response;
  if (isStrayPage(response)) return unreadable(asked, response, 'page', { isFinal: true });

  const error = readErrorBody(parseErrorBody(text), dialect.error, secretsOf(response));
  // Many servers redirect after they accepted a form.
  const isLost = !isRead(asked) && (status < 400 || LOST_STATUSES.has(status));
  const failure = isLost ? 'outcome-unknown' : classify(status, error.code);
  return describeError(asked, failure, status, error, response.headers, dialect);
}

/**
 * Returns whether a 404 or 410 has an HTML page. A proxy may have sent it, so it does not prove
 * that a record is absent.
 */
function isStrayPage({ status, headers, text }: HttpResponse): boolean {
  if (status !== 404 && status !== 410) return false;
  // Some platforms send plain text with the type of HTML.
  const { isHtml } = readMediaType(headers['content-type']);
  return isHtml ? MARKUP.test(text) : PAGE.test(text);
}

const PAGE = /^\s*<(!doctype html|html)\b/i;

/** These statuses mean a refused token or a missing record. Only a real status proves that. */
const CALLERS_STATUSES: ReadonlySet<number> = new Set([401, 404, 410]);

/** Returns the failure of a 2xx response whose body contains an error. */
function toRefusal(
  asked: Pick<Call, 'operation' | 'kind'>,
  response: HttpResponse,
  dialect: Dialect,
): UpstreamError {
  const error = readErrorBody(response.body, dialect.error, secretsOf(response));
  const status = error.status ?? (error.code === LIMIT_EXCEEDED ? 403 : 400);
  const isLost = !isRead(asked) && LOST_STATUSES.has(status);
  const read = CALLERS_STATUSES.has(status) ? 'rejected' : classify(status, error.code);
  const failure = isLost ? 'outcome-unknown' : read;
  return describeError(asked, failure, status, error, response.headers, dialect);
}

/** The request headers that the gateway sets to known values. All others may have secrets. */
const PUBLIC_HEADERS: ReadonlySet<string> = new Set([
  ...['accept', 'accept-encoding', 'accept-language', 'content-type', 'if-modified-since'],
  ...['traceparent', 'tracestate', 'user-agent', 'x-request-id'],
]);
/** A shorter value may be a common word, which may be in any message. */
const MIN_SECRET_LENGTH = 8;

/** Returns the secrets in the headers of a response's request, with and without their scheme. */
function secretsOf({ sentHeaders = {} }: HttpResponse): readonly string[] {
  const names = Object.keys(sentHeaders).filter((name) => !PUBLIC_HEADERS.has(name));
  return names
    .flatMap((name) => {
      const value = (sentHeaders[name] ?? '').trim();
      return [value, value.slice(value.indexOf(' ') + 1).trim()];
    })
    .filter((secret) => secret.length >= MIN_SECRET_LENGTH);
}

function describeError(
  { operation }: Pick<Call, 'operation'>,
  failure: UpstreamFailure,
  status: number,
  { code: errorCode, message: reason, fields }: BodyError,
  headers: ResponseHeaders,
  dialect: Dialect,
): UpstreamError {
  const isLimited = failure === 'rate-limited';
  const isPause = isLimited && errorCode === LIMIT_EXCEEDED && operation !== 'getToken';
  const statedMs = retryAfterMs(headers, isPause ? MAX_BACKOFF_MS : MAX_RETRY_AFTER_MS);
  return new UpstreamError(failure, {
    operation,
    status,
    errorCode,
    reason,
    fields,
    retryAfterMs: statedMs ?? (isLimited ? dialect.error.retryAfterMs : undefined),
    isFinal: status < 400,
  });
}

/** Parses an optional body. Returns `null` for text that is not JSON; decoders refuse `null`. */
export function parseBody(text: string, admit?: (bytes: number) => void): Json | undefined {
  if (text === '') return undefined;
  try {
    return parseJson(text, admit);
  } catch {
    return null;
  }
}

/** The longest wait for clients in milliseconds, except after the platform's request limit. */
const MAX_RETRY_AFTER_MS = 60_000;

// The header has seconds or a date. The date is compared with the server's own clock, if it is
// known.
function retryAfterMs(
  { 'retry-after': header, date }: ResponseHeaders,
  maxMs: number,
): number | undefined {
  if (header === undefined) return undefined;
  const ms = /^\d+$/.test(header)
    ? Number(header) * 1_000
    : Date.parse(header) - (Date.parse(date ?? '') || Date.now());
  return ms >= 0 ? Math.min(ms, maxMs) : undefined;
}

/**
 * HTTP dates have whole seconds. Two changes may share one second, and the response may contain
 * only the first.
 */
const SETTLED_MS = 2_000;

/**
 * Returns the `If-Modified-Since` of the next read: `Last-Modified` if it is at least two seconds
 * older than `Date`. Without `Last-Modified` it is two seconds before `Date`. Otherwise returns
 * `undefined`.
 */
export function validatorOf(
  { 'last-modified': modified, date = '' }: ResponseHeaders,
  { unchanged }: Dialect,
) {
  const settledMs = Date.parse(date) - SETTLED_MS;
  // Without `Date` the server's clock is unknown. The gateway's clock may differ.
  if (!unchanged.isAsked || Number.isNaN(settledMs)) return undefined;
  if (modified === undefined) return new Date(settledMs).toUTCString();
  return Date.parse(modified) <= settledMs ? modified : undefined;
}
