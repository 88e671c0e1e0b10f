import type { Dialect } from '../dialect.ts';
import { UpstreamError } from '../errors.ts';
import { type Json, parseJson } from '../json.ts';
import type { Operation } from '../operations.ts';
import type { AnswerHeaders, WholeAnswer } from '../reception.ts';
import type { ReadResult } from '../records.ts';
import { parseBody, toError } from './error.ts';
import { isJsonTyped, isPage } from './meaning.ts';
import { sizeOf, validatorOf } from './result.ts';

/** A 2xx answer, parsed. */
export interface Answer {
  /** `undefined` when the answer has no body. */
  readonly body: Json | undefined;
  readonly headers: AnswerHeaders;
}

/** Makes a record of an answer, or throws when it holds none. */
export type ReadAnswer<T> = (answer: Answer) => T;

/**
 * Turns an answer into what `read` makes of it.
 *
 * @throws {UpstreamError} for what the answer means where it is not 2xx, and where it cannot be read.
 */
export function open<T>(operation: Operation, answer: WholeAnswer, dialect: Dialect, read: ReadAnswer<T>): T {
  checkReadable(operation, answer, dialect);
  return parse(operation, answer, read);
}

/**
 * Turns the answer to a read into its result.
 *
 * @throws {UpstreamError} as `open` does, also for a 304 to what was not asked conditionally.
 */
export function openRead<T>(
  operation: Operation,
  answer: WholeAnswer,
  dialect: Dialect,
  { isConditional, read }: { readonly isConditional: boolean; readonly read: ReadAnswer<T> },
): ReadResult<T> {
  if (answer.status === 304 && isConditional) return { notModified: true };
  const record = open(operation, answer, dialect, read);
  return { notModified: false, record, validator: validatorOf(answer.headers, dialect), bytes: sizeOf(answer) };
}

function checkReadable(operation: Operation, answer: WholeAnswer, dialect: Dialect): void {
  const { status } = answer;
  if (status < 200 || status > 299) throw toError(operation.name, answer, dialect);
  // A page for people says nothing of the token. It is often a gateway's in between, and gone the next time.
  if (isPage(answer)) throw unreadable(operation, answer, false);
  if (operation.isBodyDue && !isJsonTyped(answer)) throw unreadable(operation, answer, true);
}

function parse<T>(operation: Operation, answer: WholeAnswer, read: ReadAnswer<T>): T {
  const { headers, text } = answer;
  try {
    // Where no body is promised, one that is no JSON says nothing; the status has said it all.
    return read({ body: operation.isBodyDue ? parseJson(text) : parseBody(text), headers });
  } catch (cause) {
    // A text that was cut may be whole the next time; one that means something else will not.
    throw unreadable(operation, answer, !(cause instanceof SyntaxError), cause);
  }
}

// The platform accepted a write whose answer cannot be read: that is an answer lost.
function unreadable({ name, isRead }: Operation, { status }: WholeAnswer, isFinal: boolean, cause?: unknown) {
  return new UpstreamError(isRead ? 'malformed' : 'outcome-unknown', { operation: name, status, isFinal, cause });
}
