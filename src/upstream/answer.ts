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
import { MAX_PAUSE_MS } from './resilience.ts';

/** An answer's operation: its name, which may be `getToken`, and what it is. */
type Asked = Pick<Call, 'operation' | 'kind' | 'hasBody' | 'expected'>;

/** A record takes at least so much memory. */
const MIN_RECORD_BYTES = 500;
/** A byte of a usual response takes about so many of memory when it is parsed; one of dense JSON takes more, and counts more. */
export const MEMORY_PER_BYTE = 4;

/**
 * Parses, recognises and decodes the answer to a call, and counts what it takes beyond its text
 * before it is parsed. Steps before this one see a refusal in a 2xx answer as any other.
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
        const failure = call.work?.received(
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
 * Parses the body of an answer; `undefined` when it has none.
 *
 * @param admit gets about how many bytes of memory the parsed body will take; what it throws is thrown.
 * @throws {UpstreamError} for the meaning of a status that is not 2xx, and for an answer that cannot be read.
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
  // Without a body the content type means nothing.
  if (!isEmpty) checkType(asked, response);
  try {
    return parseAnswer(asked, text, admit);
  } catch (cause) {
    if (cause instanceof UpstreamError) throw cause;
    // A text that was cut may be whole the next time; one that is nested too deep will not.
    const why = text === '' ? 'empty' : 'not-json';
    throw unreadable(asked, response, why, { isFinal: !(cause instanceof SyntaxError), cause });
  }
}

/** @throws {UpstreamError} for a body of another type. A page instead of a resource is not the platform's. */
function checkType(asked: Asked, response: HttpResponse): void {
  const { isHtml, isJson } = readMediaType(response.headers['content-type']);
  if (isHtml) throw unreadable(asked, response, 'page', { isFinal: false });
  if (asked.hasBody && !isJson) throw unreadable(asked, response, 'not-json', { isFinal: true });
}

function parseAnswer(
  asked: Asked,
  text: string,
  admit?: (bytes: number) => void,
): Json | undefined {
  // A status may confirm a change without a body.
  if (text === '' && !isRead(asked)) return undefined;
  // Where no body is promised, one that is not JSON says nothing; the status has said it all.
  return asked.hasBody ? parseJson(text, admit) : parseBody(text, admit);
}

/** The members of an operation by which its answers are understood. */
export type Understood<A, T> = Pick<Read<A, T>, 'name' | 'decode' | 'path' | 'promises'> &
  Pick<AnyOperation, 'is'>;

/** Says what the answer to a call of an operation should be. */
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
 * Parses, recognises and decodes the answer to a read.
 *
 * @param fields the names of the form's fields, where they are known.
 * @throws {UpstreamError} as the gateway's own reads do.
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

/** The platform accepted a write whose answer cannot be read: that is a lost answer. */
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

/** Statuses with which a proxy may answer for a platform that has made the change. */
const LOST_STATUSES: ReadonlySet<number> = new Set([408, 502, 504, 520, 521, 522, 523, 524]);

/** Gives the meaning of an answer that is not 2xx. */
export function toError(
  asked: Pick<Call, 'operation' | 'kind'>,
  response: HttpResponse,
  dialect: Dialect,
): UpstreamError {
  const { status, text } = response;
  const error = readErrorBody(parseErrorBody(text), dialect.error);
  // Many servers redirect from a form that they have taken.
  const isLost = !isRead(asked) && (status < 400 || LOST_STATUSES.has(status));
  const failure = isLost ? 'outcome-unknown' : classify(status, error.code);
  return describeError(asked, failure, status, error, response.headers, dialect);
}

/** Statuses that mean a refused token or an absent record, which only a real status shows. */
const CALLERS_STATUSES: ReadonlySet<number> = new Set([401, 404, 410]);

/** Gives the meaning of a 2xx answer whose body describes an error. */
function toRefusal(
  asked: Pick<Call, 'operation' | 'kind'>,
  { body, headers }: HttpResponse,
  dialect: Dialect,
): UpstreamError {
  const error = readErrorBody(body, dialect.error);
  const status = error.status ?? (error.code === LIMIT_EXCEEDED ? 403 : 400);
  const isLost = !isRead(asked) && LOST_STATUSES.has(status);
  const read = CALLERS_STATUSES.has(status) ? 'rejected' : classify(status, error.code);
  const failure = isLost ? 'outcome-unknown' : read;
  return describeError(asked, failure, status, error, headers, dialect);
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
  const statedMs = retryAfterMs(headers, isPause ? MAX_PAUSE_MS : MAX_RETRY_AFTER_MS);
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

/** HTTP's dates have seconds, so that two changes may share one, and only the first of them be in the answer. */
const SETTLED_MS = 2_000;

/**
 * Gives the `If-Modified-Since` of the next read: the answer's `Last-Modified`, unless that was younger than two seconds by the
 * answer's own clock, or where it has none, two seconds before its `Date`.
 */
export function validatorOf(
  { 'last-modified': modified, date = '' }: ResponseHeaders,
  { unchanged }: Dialect,
) {
  const settledMs = Date.parse(date) - SETTLED_MS;
  // Only `Date` shows by whose clock that is old; the gateway's may differ.
  if (!unchanged.isAsked || Number.isNaN(settledMs)) return undefined;
  if (modified === undefined) return new Date(settledMs).toUTCString();
  return Date.parse(modified) <= settledMs ? modified : undefined;
}
