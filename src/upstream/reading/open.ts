import type { Dialect } from '../dialect.ts';
import { UpstreamError } from '../errors.ts';
import { type Json, parseJson } from '../json.ts';
import type { Operation } from '../operations.ts';
import type { AnswerHeaders, WholeAnswer } from '../reception.ts';
import { createContent } from './content.ts';
import { parseBody, toError } from './error.ts';
import { type Held, type Reading, sizeOf, validatorOf, versionOf } from './held.ts';
import { isJsonTyped, isPage } from './meaning.ts';

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

/** How the answer to a read is taken. */
interface Opening<T> {
  readonly held: Held<T> | undefined;
  readonly read: ReadAnswer<T>;
}

/**
 * Turns the answer to a read into a reading. A 304 gives back what is held, and so does a body that says the same again:
 * neither is parsed.
 *
 * @throws {UpstreamError} as `open` does, also for a 304 to what was not asked conditionally.
 */
export function openReading<T>(
  operation: Operation,
  answer: WholeAnswer,
  dialect: Dialect,
  { held, read }: Opening<T>,
): Reading<T> {
  if (answer.status === 304 && held?.validator !== undefined) return { ...held, isNotModified: true };
  checkReadable(operation, answer, dialect);
  const version = versionOf(answer);
  // It may be kept for long: no more of it than its version is made of.
  const { status, text, headers } = answer;
  const kept = { status, text, headers: { link: headers.link } };
  return {
    content: version === held?.version ? held.content : contentOf(() => parse(operation, kept, read)),
    version,
    validator: validatorOf(answer.headers, dialect),
    bytes: sizeOf(answer),
    isNotModified: false,
  };
}

const contentOf = <T>(parsed: () => T) => createContent(parsed(), parsed);

function checkReadable(operation: Operation, answer: WholeAnswer, dialect: Dialect): void {
  const { status } = answer;
  if (status < 200 || status > 299) throw toError(operation.name, answer, dialect);
  if (isPage(answer) || (operation.isBodyDue && !isJsonTyped(answer))) throw unreadable(operation, answer, true);
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
