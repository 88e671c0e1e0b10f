import { isOneOf, UpstreamError } from '../core/errors.ts';
import type { Json } from '../core/json.ts';
import { createRead, expectAnswer, type Understood, validatorOf } from './answer.ts';
import {
  type Call,
  type CallOptions,
  type HttpResponse,
  headersOf,
  type Interceptor,
  isConditional,
  isRead,
  type ReadOptions,
  type Send,
  untilEnd,
  whenEnded,
} from './call.ts';
import type { Dialect } from './dialect.ts';
import type { AnyOperation, Audited, Change, Read } from './operation.ts';
import type { Answer } from './promised.ts';
import type { ReadResult } from './records.ts';
import type { RateLimitBackoff } from './resilience.ts';
import { type Token, type TokenProvider, UNACCEPTED } from './token-provider.ts';

interface ClientOptions {
  readonly http: Send;
  readonly backoff: RateLimitBackoff;
  /** The interceptors that all callers share. */
  readonly steps: Readonly<
    Record<'retry' | 'breaker' | 'observe' | 'budget' | 'slot', Interceptor>
  >;
  /** The caller's key. `undefined` for the gateway itself. */
  readonly caller: string | undefined;
  /** The variant of the interface. It decides on the headers. */
  readonly variant: 'A' | 'B';
  readonly tokens: TokenProvider;
  readonly dialect: Dialect;
  /** Returns the names of a form's fields. `undefined` if its definition is not loaded. */
  readonly fieldsOf: (formId: string) => ReadonlySet<string> | undefined;
}

/** The operations of the interface for one caller. */
export interface Client {
  /**
   * Sends a read. Resolves to `undefined` if the copy of `ifModifiedSince` is still valid.
   *
   * @throws {InputError} synchronously, if an id cannot be in a path.
   */
  read<A, T>(of: Read<A, T>, args: A, options?: ReadOptions): Promise<ReadResult<T> | undefined>;
  /** Sends a change. */
  change<A extends Audited<A>, T>(of: Change<A, T>, args: A, options?: CallOptions): Promise<T>;
}

/** Creates the client of one caller. All its calls share one token. */
export function createClient({
  http,
  caller,
  variant,
  tokens,
  dialect,
  fieldsOf,
  ...options
}: ClientOptions): Client {
  let callerKey = tokens.onAccepted === undefined ? caller : UNACCEPTED;
  const { retry, breaker, observe, budget, slot } = options.steps;
  const backoff = options.backoff.forCaller(() => callerKey);
  const read = createRead(dialect);
  const authorize = createAuthorize(tokens);
  // The order of interceptors. Each may refuse the call. `http` calls `beforeSend` right before the
  // first byte.
  const chain = [backoff, retry, read, authorize, breaker, observe, budget, slot, acquireLease];
  const send = chain.reduceRight((next, intercept) => intercept(next), http);

  const toCall = <A, T>(
    of: AnyOperation & Understood<A, T>,
    args: A,
    path: string,
    options: ReadOptions,
    body?: Json,
  ): Call => {
    const { requestState, signal = requestState?.signal, ifModifiedSince } = options;
    const formId = of.promises.formId?.(args);
    const headers = headersOf(variant, body !== undefined);
    if (ifModifiedSince !== undefined) headers['if-modified-since'] = ifModifiedSince;
    return {
      ...options,
      signal,
      operation: of.name,
      args,
      kind: of.is === 'read' ? (requestState?.readKind ?? 'read') : 'write',
      // The gateway's own credentials serve several callers.
      caller: callerKey ?? requestState?.caller,
      method: of.method,
      path: `/v1.0${path}`,
      headers,
      body: body === undefined ? undefined : JSON.stringify(body),
      hasBody: of.is === 'read' || of.hasBody,
      expected: expectAnswer(
        of,
        args,
        dialect,
        formId === undefined ? undefined : fieldsOf(formId),
      ),
      endsAtMs: Number.POSITIVE_INFINITY,
      sent: 0,
    };
  };
  const make = (call: Call): Promise<HttpResponse> => {
    call.requestState?.begin();
    return whenEnded(send(call), () => call.requestState?.finish());
  };
  /**
   * Returns the record of a response. Only a response that could be decoded proves that the
   * platform accepted the token. A proxy may have sent any other.
   */
  const accept = <T>({ decoded }: HttpResponse): T => {
    callerKey = caller;
    tokens.onAccepted?.();
    return decoded as T;
  };

  return {
    read<A, T>(of: Read<A, T>, args: A, options: ReadOptions = {}) {
      const path = of.path(args) + (of.query?.(args, dialect) ?? '');
      return make(toCall(of, args, path, options)).then(
        (response) => {
          const record = accept<T>(response);
          const { status, headers, bytes = 0 } = response;
          if (status === 304) return undefined;
          return { record, validator: validatorOf(headers, dialect), bytes };
        },
        of.notFound === 'undefined' ? absentIfNotFound<T> : undefined,
      );
    },
    async change<A extends Audited<A>, T>(of: Change<A, T>, args: A, options: CallOptions = {}) {
      const path = of.path(args);
      try {
        return accept<T>(await make(toCall(of, args, path, options, of.body?.(args, dialect))));
      } catch (error) {
        if (of.isDoneIfGone && isGone(error)) return of.decode(GONE, dialect, args);
        throw error;
      }
    },
  };
}

const isGone = (error: unknown): boolean =>
  error instanceof UpstreamError && error.failure === 'not-found' && error.status === 410;

const GONE: Answer = { status: 410, headers: {}, body: undefined };

/** Converts a 404 to an absent record, for operations that may return one. */
function absentIfNotFound<T>(error: unknown): ReadResult<T> {
  if (isOneOf(['not-found'], error))
    return { record: undefined as T, validator: undefined, bytes: 100 };
  throw error;
}

/**
 * Creates the step that adds the caller's token. After a 401 it repeats the call once with a new
 * token. This is safe even for a POST, because 401 means that the upstream did nothing. It also
 * repeats a read after a 304 to an unconditional request.
 */
function createAuthorize(tokens: TokenProvider): Interceptor {
  const tokenFor = (call: Call): Token | Promise<Token> => {
    const token = tokens.current();
    return token instanceof Promise ? untilEnd(token, call) : token;
  };
  const sendWith = (next: Send, { authorization }: Token, call: Call): Promise<HttpResponse> => {
    call.headers['authorization'] = authorization;
    call.sent++;
    return next(call);
  };
  /**
   * Repeats a call with another token than the refused one. Returns `undefined` if there is no
   * other token.
   */
  const repeat = async (
    next: Send,
    call: Call,
    refused: Token,
  ): Promise<HttpResponse | undefined> => {
    const token = await tokenFor(call);
    if (token === refused) return undefined;
    const response = await sendWith(next, token, call);
    if (response.status === 401) tokens.discard(token);
    return response;
  };
  return (next) => async (call) => {
    const current = tokenFor(call);
    const token = current instanceof Promise ? await current : current;
    const first = await sendWith(next, token, call);
    const response = isStray304(call, first) ? await sendWith(next, token, call) : first;
    if (response.status !== 401) return response;
    tokens.discard(token);
    return (await repeat(next, call, token)) ?? response;
  };
}

const isStray304 = (call: Call, { status }: HttpResponse): boolean =>
  status === 304 && isRead(call) && !isConditional(call);

/** Waits for the call's lease before sending it. */
export const acquireLease: Interceptor = (next) => (call) => {
  if (!call.lease) return next(call);
  return untilEnd(call.lease.acquire(), call).then(() => next(call));
};
