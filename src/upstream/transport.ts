import { type Deadline, within } from './deadline.ts';
import type { Dialect } from './dialect.ts';
import { unlessEnded } from './ending.ts';
import { UpstreamError } from './errors.ts';
import type { Exchanger } from './exchange.ts';
import { type Json, parseJson } from './json.ts';
import type { Operation } from './operations.ts';
import type { Patience } from './patience.ts';
import { parseBody, toError } from './reading/error.ts';
import type { AnswerHeaders, WholeAnswer } from './reception.ts';
import type { TokenSource } from './token-source.ts';
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
  const send = async ({ operation, path, body, signal }: Call, deadline: Deadline) => {
    const { name, method, isRead } = operation;
    const token = await within(deadline, name, signal ? unlessEnded(tokens.current(), name, signal) : tokens.current());
    const answer = await exchange({
      operation: name,
      method,
      path: `/v1.0${path}`,
      headers: { ...headers(body !== undefined), authorization: token.authorization },
      body: body === undefined ? undefined : JSON.stringify(body),
      isWrite: !isRead,
      timeoutMs: deadline.restMs(),
      signal,
    });
    return { token, answer };
  };

  const callOnce = async <T>(call: Call, deadline: Deadline, read: (answer: Answer) => T): Promise<T> => {
    const first = await send(call, deadline);
    if (first.answer.status !== 401) return open(call.operation, first.answer, dialect, read);

    // A 401 means that the upstream did not act, so the repeat is safe even for a POST.
    tokens.discard(first.token);
    const second = await send(call, deadline);
    if (second.answer.status === 401) tokens.discard(second.token);
    return open(call.operation, second.answer, dialect, read);
  };

  return {
    call(call, read) {
      const { operation, signal } = call;
      const task = { operation: operation.name, isRead: operation.isRead, signal };
      return patience.run(task, (deadline) => callOnce(call, deadline, read));
    },
  };
}

/** Turns an answer into what `read` makes of it, or throws what the answer means. */
function open<T>(operation: Operation, answer: WholeAnswer, dialect: Dialect, read: (answer: Answer) => T): T {
  const { status, headers, text } = answer;
  if (status < 200 || status > 299) throw toError(operation.name, answer, dialect);
  try {
    // Where no body is promised, one that is no JSON says nothing; the status has said it all.
    const body = operation.isBodyDue ? parseJson(text) : parseBody(text);
    return read({ body, headers });
  } catch (cause) {
    throw new UpstreamError('malformed', { operation: operation.name, status, cause });
  }
}
