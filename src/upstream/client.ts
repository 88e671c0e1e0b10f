import { toAbortSignal, untilAborted } from '../core/abort.ts';
import { UpstreamError } from '../core/errors.ts';
import type { Json } from '../core/json.ts';
import { type Observers, serverOf } from '../core/observers.ts';
import { createValidator, type Decode, decodeAnswer, normaliseStatus } from './answer.ts';
import type { Dialect } from './dialect.ts';
import type { HttpClient, HttpResponse, Send } from './http.ts';
import type { Operation } from './operations.ts';
import { type CallBudget, limited, type RateLimitPause } from './rate-limit.ts';
import type { CallOptions, ReadOptions, ReadResult } from './records.ts';
import type { Retry } from './resilience.ts';
import { type Token, type TokenSource, UNACCEPTED } from './token-source.ts';

/** One authorized call. */
interface Call extends CallOptions {
  readonly operation: Operation;
  /** Below `{base_url}/v1.0`, with its query. */
  readonly path: string;
  readonly body?: Json | undefined;
}

/** The platform as one caller reaches it. */
export type Client = ReturnType<typeof createClient>;

interface ClientOptions {
  /** Of the host, from the breaker on. */
  readonly send: Send;
  /** Whose calls they are; `undefined` for the gateway itself. */
  readonly caller: string | undefined;
  /** Which of the interface's two descriptions the headers follow. */
  readonly variant: 'A' | 'B';
  readonly tokens: TokenSource;
  readonly dialect: Dialect;
  readonly retry: Retry;
  readonly pause: RateLimitPause;
}

/** A record takes at least so much memory. */
const MIN_RECORD_BYTES = 500;
/** A byte of a usual response takes about so many of memory when it is parsed; one of dense JSON takes more, and counts more. */
export const MEMORY_PER_BYTE = 4;

/** A call, and how often it was sent. */
type Sending = Call & ReadOptions & { sent: number };

/**
 * Makes the client of one caller: all its calls share one token. A call takes these steps, of which each may refuse it:
 *
 *     pause → retry → token                      here, in `run` and `sendAuthorized`
 *     → circuit breaker                          `resilience.ts`
 *     → observers → budget                       `createSend`, for each request, also a second one
 *     → connection → claim → `beforeSend`        `http.ts`, right before the first byte
 */
export function createClient(options: ClientOptions) {
  const { send, caller, variant, tokens, dialect, retry, pause } = options;
  let callerKey = tokens.onAccepted === undefined ? caller : UNACCEPTED;
  const ownPause = pause.forCaller(() => callerKey);
  const validatorOf = createValidator(dialect);

  const sendWith = (token: Token, call: Sending, endsAtMs: number): Promise<HttpResponse> => {
    const { operation, path, body, work, signal, claim, beforeSend, ifModifiedSince } = call;
    const headers = headersOf(variant, body !== undefined);
    headers['authorization'] = token.authorization;
    if (ifModifiedSince !== undefined) headers['if-modified-since'] = ifModifiedSince;
    return send({
      operation: operation.name,
      kind: operation.isRead ? (work?.readKind ?? 'read') : 'write',
      // The gateway's own credentials serve many callers.
      caller: callerKey ?? work?.caller,
      method: operation.method,
      path: `/v1.0${path}`,
      headers,
      body: body === undefined ? undefined : JSON.stringify(body),
      endsAtMs,
      signal,
      work,
      resends: call.sent++,
      claim,
      beforeSend,
    });
  };

  const currentToken = ({ operation, signal }: Call, endsAtMs: number): Token | Promise<Token> => {
    const token = tokens.current();
    if (!(token instanceof Promise)) return token;
    const deadline = AbortSignal.timeout(Math.max(0, Math.ceil(endsAtMs - performance.now())));
    return untilAborted(token, operation.name, signal ? AbortSignal.any([toAbortSignal(signal), deadline]) : deadline);
  };

  const sendAuthorized = async (call: Sending, endsAtMs: number): Promise<HttpResponse> => {
    const current = currentToken(call, endsAtMs);
    const token = current instanceof Promise ? await current : current;
    const response = normaliseStatus(await sendWith(token, call, endsAtMs), dialect);
    if (response.status === 401) return sendRenewed(token, response, call, endsAtMs);
    const isStray304 = response.status === 304 && call.operation.isRead && call.ifModifiedSince === undefined;
    return isStray304 && call.sent === 1 ? sendAuthorized(call, endsAtMs) : response;
  };

  /** A 401 means that the upstream did not act, so the repeat is safe even for a POST. */
  const sendRenewed = async (
    refused: Token,
    response: HttpResponse,
    call: Sending,
    endsAtMs: number,
  ): Promise<HttpResponse> => {
    tokens.discard(refused);
    const newer = await currentToken(call, endsAtMs);
    if (newer === refused) return response;
    const repeated = normaliseStatus(await sendWith(newer, call, endsAtMs), dialect);
    if (repeated.status === 401) tokens.discard(newer);
    return repeated;
  };

  const run = async <T>(call: Call & ReadOptions, decode: (response: HttpResponse) => T): Promise<T> => {
    const { operation, work, signal = work?.signal } = call;
    const task = { operation: operation.name, isRead: operation.isRead, caller: callerKey ?? work?.caller, signal };
    const sending = { ...call, signal, sent: 0 };
    const accept = (answer: HttpResponse): T => {
      const decoded = decode(answer);
      // Only what can be read as an answer of the platform says that it knows the token; others may answer in its place.
      if (answer.status < 400) {
        callerKey = caller;
        tokens.onAccepted?.();
      }
      return decoded;
    };
    const isProbe = ownPause.check(operation);
    work?.begin();
    try {
      const decoded = await retry(task, (endsAtMs) => sendAuthorized(sending, endsAtMs).then(accept));
      ownPause.succeeded(isProbe);
      return decoded;
    } catch (error) {
      ownPause.failed(error);
      throw error;
    } finally {
      work?.finish();
    }
  };

  /** Counts what a parsed response takes beyond its text, before it is made. */
  const decodeCounted = <T>({ operation, work }: Call, response: HttpResponse, decode: Decode<T>) => {
    let bytes = MIN_RECORD_BYTES;
    const admit = (estimate: number) => {
      bytes += estimate;
      const failure = work?.received(Math.max(0, bytes / MEMORY_PER_BYTE - response.text.length));
      if (failure)
        throw new UpstreamError(operation.isRead ? failure : 'outcome-unknown', { operation: operation.name });
    };
    const record = decodeAnswer(operation, response, dialect, decode, admit);
    return { record, bytes };
  };

  return {
    /**
     * Makes one authorized call and resolves to the record that `decode` makes of its 2xx answer. A 401 is answered by one repeat
     * with a new token.
     *
     * @throws {UpstreamError} for every answer that is not 2xx, for one that cannot be decoded, and for none.
     */
    call: <T>(call: Call, decode: Decode<T>): Promise<T> =>
      run(call, (response) => decodeCounted(call, response, decode).record),
    /**
     * The same for a read, on the condition that it has changed where `ifModifiedSince` is given: the interface has
     * `If-Modified-Since` for all operations. A 304 without that condition is answered by one repeat.
     */
    read: <T>(call: Call & ReadOptions, decode: Decode<T>): Promise<ReadResult<T>> =>
      run(call, (response) => {
        if (response.status === 304 && call.ifModifiedSince !== undefined) return { notModified: true };
        const { record, bytes } = decodeCounted(call, response, decode);
        const size = Math.max(bytes, Buffer.byteLength(response.text));
        return { notModified: false, validator: validatorOf(response.headers), record, bytes: size };
      }),
  };
}

interface SendOptions {
  readonly http: HttpClient;
  readonly url: string | URL;
  readonly observers: Observers;
  readonly budget: CallBudget;
}

/**
 * Sends requests to one host. Each is told to the observers and counted against the budget: second tries, repeats
 * after a 401, and `getToken` too, since the interface's limit is on all operations. Where nothing is left of the budget,
 * nothing is sent: `rate-limited`.
 */
export function createSend({ http, url, observers, budget }: SendOptions): Send {
  const server = serverOf(url);
  return (request) => {
    const { operation, kind, caller, method, resends, work } = request;
    const spent = {
      caller: kind === 'sign-in' ? 'user' : (work?.callerName ?? 'gateway'),
      kind: operation === 'getToken' ? 'token' : kind,
    };
    return observers.call({ name: operation, target: 'platform', method, server, resends, ...spent }, (headers) => {
      Object.assign(request.headers, headers);
      const taken = budget.take(kind, caller);
      if (taken === undefined) return http.send(request);
      return taken.then((shortage) => {
        if (shortage) throw limited(operation, shortage.waitMs, shortage.limit);
        return http.send(request);
      });
    });
  };
}

export const JSON_TYPE = 'application/json';

/** Gives an operation's exact headers besides `Authorization`: A has Content-Type on each, also a GET; B only where there is a body. */
export const headersOf = (variant: 'A' | 'B', hasBody: boolean): Record<string, string> =>
  variant === 'A' || hasBody ? { accept: JSON_TYPE, 'content-type': JSON_TYPE } : { accept: JSON_TYPE };
