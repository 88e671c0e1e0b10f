import { isOneOf } from '../core/errors.ts';
import { createRead, createValidator, decodeRead } from './answer.ts';
import { createAuthorize } from './authorize.ts';
import {
  type Call,
  type CallOptions,
  type HttpResponse,
  headersOf,
  type Interceptor,
  type ReadOptions,
  type Send,
} from './call.ts';
import { claim } from './claim.ts';
import type { Dialect } from './dialect.ts';
import { type AnyOperation, type Audited, type Change, needsBody, type Read } from './operation.ts';
import type { RateLimitPause } from './pause.ts';
import type { ReadResult } from './records.ts';
import { type TokenSource, UNACCEPTED } from './token-source.ts';

interface ClientOptions {
  readonly http: Send;
  readonly pause: RateLimitPause;
  /** The steps that all callers share. */
  readonly steps: Readonly<Record<'retry' | 'breaker' | 'observe' | 'budget' | 'permit', Interceptor>>;
  /** Whose calls they are; `undefined` for the gateway itself. */
  readonly caller: string | undefined;
  /** Which of the interface's two descriptions the headers follow. */
  readonly variant: 'A' | 'B';
  readonly tokens: TokenSource;
  readonly dialect: Dialect;
}

/** What a call is made of. */
type Asked = ReadOptions & { readonly path: string; readonly body?: unknown };

/** Makes the operations for one caller. */
export type Client = ReturnType<typeof createClient>;

/** Makes the client of one caller: all its calls share one token. */
export function createClient({ http, caller, variant, tokens, dialect, ...options }: ClientOptions) {
  let callerKey = tokens.onAccepted === undefined ? caller : UNACCEPTED;
  const validatorOf = createValidator(dialect);
  const { retry, breaker, observe, budget, permit } = options.steps;
  const pause = options.pause.forCaller(() => callerKey);
  const read = createRead(dialect);
  const authorize = createAuthorize(tokens, dialect);
  // The order of a call's steps, each of which may refuse it. `http` calls `beforeSend` right before the first byte.
  const chain = [pause, retry, read, authorize, breaker, observe, budget, permit, claim];
  const send = chain.reduceRight((next, intercept) => intercept(next), http);

  const toCall = (of: AnyOperation, { path, body, ifModifiedSince, ...options }: Asked): Call => {
    const { work, signal = work?.signal } = options;
    const headers = headersOf(variant, body !== undefined);
    if (ifModifiedSince !== undefined) headers['if-modified-since'] = ifModifiedSince;
    return {
      ...options,
      signal,
      operation: of.name,
      kind: of.is === 'read' ? (work?.readKind ?? 'read') : 'write',
      // The gateway's own credentials serve many callers.
      caller: callerKey ?? work?.caller,
      method: of.method,
      path: `/v1.0${path}`,
      headers,
      body: body === undefined ? undefined : JSON.stringify(body),
      hasBody: needsBody(of),
      endsAtMs: Number.POSITIVE_INFINITY,
      sent: 0,
    };
  };
  const make = async <T>(call: Call, decode: (answer: HttpResponse) => T): Promise<T> => {
    call.work?.begin();
    try {
      const result = decodeRead(call, await send(call), decode);
      // Only what can be read as an answer of the platform says that it knows the token; others may answer in its place.
      callerKey = caller;
      tokens.onAccepted?.();
      return result;
    } finally {
      call.work?.finish();
    }
  };

  return {
    /** Makes a read. @throws {InputError} at once, where an id cannot be in a path. */
    read<A, T>(of: Read<A, T>, args: A, options: ReadOptions = {}): Promise<ReadResult<T>> {
      const path = of.path(args, dialect) + (of.query?.(args, dialect) ?? '');
      const found = make(toCall(of, { path, ...options }), (answer): ReadResult<T> => {
        if (answer.status === 304) return { notModified: true };
        const { headers, bytes = 0 } = answer;
        return { notModified: false, record: of.decode(answer, dialect, args), validator: validatorOf(headers), bytes };
      });
      return of.notFound === 'undefined' ? found.catch((error) => absentIfNotFound<T>(error)) : found;
    },
    /** Makes a change. */
    async change<A extends Audited<A>, T>(of: Change<A, T>, args: A, options: CallOptions = {}): Promise<T> {
      const asked = { path: of.path(args, dialect), body: of.body?.(args, dialect), ...options };
      return make(toCall(of, asked), (answer) => of.decode(answer, dialect, args));
    },
  };
}

const ABSENT = { notModified: false, validator: undefined, bytes: 100 } as const;

/** An operation whose 404 says so reads records that may be absent. */
function absentIfNotFound<T>(error: unknown): ReadResult<T> {
  if (isOneOf(['not-found'], error)) return { ...ABSENT, record: undefined as T };
  throw error;
}
