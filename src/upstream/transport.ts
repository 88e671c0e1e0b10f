import { type Deadline, within } from './deadline.ts';
import type { Dialect } from './dialect.ts';
import { unlessEnded } from './ending.ts';
import type { Exchanger } from './exchange.ts';
import type { Json } from './json.ts';
import type { Operation } from './operations.ts';
import type { Patience } from './patience.ts';
import { standFor } from './reading/meaning.ts';
import { open, openRead, type ReadAnswer } from './reading/open.ts';
import type { WholeAnswer } from './reception.ts';
import type { ReadOptions, ReadResult } from './records.ts';
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

/** One authorized call that has no effect. */
export type ReadCall = Call & ReadOptions;

export interface Transport {
  /**
   * Makes one authorized call and resolves to what `read` makes of its 2xx answer.
   *
   * A 401 is answered by one repeat with a new token, of a write unless only reads are repeated; what else is repeated,
   * and how long all of it may take, is for the patience to say.
   * @throws {UpstreamError} for every answer that is not 2xx, for an unreadable one, and for none.
   */
  call<T>(call: Call, read: ReadAnswer<T>): Promise<T>;
  /**
   * The same for a read, on the condition that it has changed where `ifModifiedSince` is given, which the interface has for
   * all operations. A 304 that was not asked for is answered by one repeat.
   */
  read<T>(call: ReadCall, read: ReadAnswer<T>): Promise<ReadResult<T>>;
}

/** What is sent again, with a new token, when the first one was refused. */
export type RepeatsAfterRefusal = 'all' | 'reads';

interface TransportOptions {
  readonly exchange: Exchanger;
  readonly headers: Headers;
  readonly tokens: TokenSource;
  readonly dialect: Dialect;
  readonly patience: Patience;
  readonly repeats?: RepeatsAfterRefusal | undefined;
}

/** A call on its way, with the end of its time and what it asks to be told changes since. */
interface Leg extends Call {
  readonly deadline: Deadline;
  readonly since: string | undefined;
}

export function createTransport(options: TransportOptions): Transport {
  const { exchange, headers, tokens, dialect, patience, repeats = 'all' } = options;
  const tokenFor = ({ operation: { name }, signal, deadline }: Leg) =>
    within(deadline, name, signal ? unlessEnded(tokens.current(), name, signal) : tokens.current());

  const send = ({ operation, path, body, signal, deadline, since }: Leg, token: Token) => {
    const { name, method, isRead } = operation;
    const condition = since === undefined ? {} : { 'if-modified-since': since };
    return exchange({
      operation: name,
      method,
      path: `/v1.0${path}`,
      headers: { ...headers(body !== undefined), ...condition, authorization: token.authorization },
      body: body === undefined ? undefined : JSON.stringify(body),
      isWrite: !isRead,
      timeoutMs: deadline.restMs(),
      signal,
    }).then((answer) => standFor(answer, dialect));
  };

  const askWithToken = async (leg: Leg): Promise<WholeAnswer> => {
    const token = await tokenFor(leg);
    const answer = await send(leg, token);
    if (answer.status !== 401) return answer;

    // A 401 means that the upstream did not act, so the repeat is safe even for a POST.
    tokens.discard(token);
    if (repeats === 'reads' && !leg.operation.isRead) return answer;
    const newer = await tokenFor(leg);
    if (newer === token) return answer;
    const second = await send(leg, newer);
    if (second.status === 401) tokens.discard(newer);
    return second;
  };

  const ask = (call: Call, since?: string) => {
    const { operation, signal } = call;
    const task = { operation: operation.name, isRead: operation.isRead, signal };
    return <T>(take: (answer: WholeAnswer) => T): Promise<T> =>
      patience.run(task, async (deadline) => {
        const leg = { ...call, deadline, since };
        const answer = await askWithToken(leg);
        return take(isStray304(leg, answer) ? await askWithToken(leg) : answer);
      });
  };

  return {
    call: (call, read) => ask(call)((answer) => open(call.operation, answer, dialect, read)),
    read: ({ ifModifiedSince, ...call }, read) =>
      ask(
        call,
        ifModifiedSince,
      )((answer) => openRead(call.operation, answer, dialect, { isConditional: ifModifiedSince !== undefined, read })),
  };
}

/** Whether an answer refers to a copy that nobody spoke of. */
const isStray304 = ({ operation: { isRead }, since }: Leg, { status }: WholeAnswer): boolean =>
  isRead && status === 304 && since === undefined;
