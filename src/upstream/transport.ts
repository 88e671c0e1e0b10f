import { type Deadline, within } from './deadline.ts';
import type { Dialect } from './dialect.ts';
import { unlessEnded } from './ending.ts';
import { UpstreamError } from './errors.ts';
import type { Exchanger } from './exchange.ts';
import { type Json, parseJson } from './json.ts';
import type { Operation } from './operations.ts';
import type { Patience } from './patience.ts';
import { parseBody, toError } from './reading/error.ts';
import { isJsonTyped, isPage, standFor } from './reading/meaning.ts';
import type { AnswerHeaders, WholeAnswer } from './reception.ts';
import type { Token, TokenSource } from './token-source.ts';
import type { Headers } from './variant.ts';

/** One authorized call. */
export interface Call {
  readonly operation: Operation;
  /** Below `{base_url}/v1.0`, with its query. */
  readonly path: string;
  readonly body?: Json | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** A 2xx answer, parsed. */
export interface Answer {
  /** `undefined` when the answer has no body. */
  readonly body: Json | undefined;
  readonly headers: AnswerHeaders;
}

export interface Transport {
  /**
   * Makes one authorized call and resolves to what `read` makes of its 2xx answer.
   *
   * A 401 is answered by one repeat with a new token; what else is repeated, and how long all of it may take, is for
   * the patience to say.
   * @throws {UpstreamError} for every answer that is not 2xx, for an unreadable one, and for none.
   */
  call<T>(call: Call, read: (answer: Answer) => T): Promise<T>;
}

interface TransportOptions {
  readonly exchange: Exchanger;
  readonly headers: Headers;
  readonly tokens: TokenSource;
  readonly dialect: Dialect;
  readonly patience: Patience;
}

export function createTransport({ exchange, headers, tokens, dialect, patience }: TransportOptions): Transport {
  const tokenFor = ({ operation: { name }, signal }: Call, deadline: Deadline) =>
    within(deadline, name, signal ? unlessEnded(tokens.current(), name, signal) : tokens.current());

  const send = ({ operation, path, body, signal }: Call, token: Token, deadline: Deadline) => {
    const { name, method, isRead } = operation;
    return exchange({
      operation: name,
      method,
      path: `/v1.0${path}`,
      headers: { ...headers(body !== undefined), authorization: token.authorization },
      body: body === undefined ? undefined : JSON.stringify(body),
      isWrite: !isRead,
      timeoutMs: deadline.restMs(),
      signal,
    }).then((answer) => standFor(answer, dialect));
  };

  const callOnce = async <T>(call: Call, deadline: Deadline, read: (answer: Answer) => T): Promise<T> => {
    const { operation } = call;
    const token = await tokenFor(call, deadline);
    const answer = await send(call, token, deadline);
    if (!isSessionRefused(operation, answer)) return open(operation, answer, dialect, read);

    // A 401 means that the upstream did not act, so the repeat is safe even for a POST.
    tokens.discard(token);
    const newer = await tokenFor(call, deadline);
    if (newer === token) return open(operation, answer, dialect, read);
    const second = await send(call, newer, deadline);
    if (isSessionRefused(operation, second)) tokens.discard(newer);
    return open(operation, second, dialect, read);
  };

  return {
    call(call, read) {
      const { operation, signal } = call;
      const task = { operation: operation.name, isRead: operation.isRead, signal };
      return patience.run(task, (deadline) => callOnce(call, deadline, read));
    },
  };
}

// A page instead of a read resource may be one to sign in by; of a write it says nothing, which may have happened.
const isSessionRefused = ({ isRead }: Operation, answer: WholeAnswer): boolean =>
  answer.status === 401 || (isRead && isPage(answer));

/** Turns an answer into what `read` makes of it, or throws what the answer means. */
function open<T>(operation: Operation, answer: WholeAnswer, dialect: Dialect, read: (answer: Answer) => T): T {
  const { status, headers, text } = answer;
  const { name, isRead, isBodyDue } = operation;
  if (status < 200 || status > 299) throw toError(name, answer, dialect);
  // The platform accepted a write whose answer cannot be read: that is an answer lost.
  const unreadable = (isFinal: boolean, cause?: unknown) =>
    new UpstreamError(isRead ? 'malformed' : 'outcome-unknown', { operation: name, status, isFinal, cause });
  if (isPage(answer) || (isBodyDue && !isJsonTyped(answer))) throw unreadable(true);
  try {
    // Where no body is promised, one that is no JSON says nothing; the status has said it all.
    return read({ body: isBodyDue ? parseJson(text) : parseBody(text), headers });
  } catch (cause) {
    // A text that was cut may be whole the next time; one that means something else will not.
    throw unreadable(!(cause instanceof SyntaxError), cause);
  }
}
