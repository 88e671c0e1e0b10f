import type { Dispatcher } from 'undici';

import { untilAborted } from '../core/abort.ts';
import type { Json } from '../core/json.ts';
import type { Work } from '../core/work.ts';
import type { Mismatch } from './promised.ts';
import type { ResponseHeaders } from './records.ts';

/** The right to send a write that other replicas may be about to send as well. */
export interface Claim {
  /**
   * Takes it, when only the send is left; also before a repeat.
   *
   * @throws {UpstreamError} with nothing sent, where it cannot be had.
   */
  acquire(): Promise<void>;
  /** @throws {UpstreamError} where it does not hold any more, so that nothing must be sent. */
  check(): void;
  /** Whether another replica was first to take it. */
  isTaken(): boolean;
}

/** Options of every operation. */
export interface CallOptions {
  /** Of the operation that the call is made for. */
  readonly work?: Work | undefined;
  /** Aborts when the answer is no longer needed; that of its work where absent. A write that was sent is still completed, unless the gateway stops. */
  readonly signal?: AbortSignal | undefined;
  /** Taken when only the send is left. */
  readonly claim?: Pick<Claim, 'acquire'> | undefined;
  /** Called right before the first byte, for the first or a later time, from 1 on. The `UpstreamError` that it throws ends the call as not sent. */
  readonly beforeSend?: ((attempt: number) => void) | undefined;
}

/** Options of a safe operation. */
export interface ReadOptions extends CallOptions {
  /** The `validator` of an earlier result: makes the request conditional. */
  readonly ifModifiedSince?: string | undefined;
}

/**
 * One call to a host, made once: steps hand it on to the socket, and fill in what is theirs. A copy must not be sent on by a step
 * that reads what those after it fill in.
 */
export interface Call extends CallOptions {
  /** The operation's name in the interface. */
  readonly operation: string;
  /**
   * Its kind in the call budget. A `write` has an effect, so that it is never repeated, and a lost answer leaves its outcome
   * unknown.
   */
  readonly kind: string;
  /** Whose call it is; `undefined` for the gateway itself. */
  readonly caller?: string | undefined;
  /** What the operation was called with; read by an adapter alone. */
  readonly args?: unknown;
  readonly method: Dispatcher.HttpMethod;
  /** Below the base address, with its query. */
  readonly path: string;
  /** Steps add to them. */
  readonly headers: Record<string, string>;
  readonly body?: string | undefined;
  /** Whether a body of a 2xx answer must be JSON. A read must have one. */
  readonly hasBody?: boolean;
  /** Absent where any answer will do. */
  readonly expected?: ExpectedAnswer<unknown>;
  /** When the answer must be there, time in queues included, in milliseconds of `performance.now`; set by the retry. */
  endsAtMs: number;
  /** How often it was sent, this time included; counted by what authorizes it. */
  sent: number;
  /** When it got its connection, by `performance.now`; set by the socket's end. One that is still queued has not met the host. */
  startedAtMs?: number | undefined;
}

/** What the answer to a call should be. */
export interface ExpectedAnswer<T> {
  /** Decodes a parsed 2xx answer. @throws {UpstreamError} for any other than the promised one. */
  decode(answer: HttpResponse): T;
  /** Says for operators why an answer is not the promised one, and what was looked for. */
  describe(why: Mismatch): string;
}

/** An answer, received to its end. */
export interface HttpResponse {
  readonly status: number;
  readonly headers: ResponseHeaders;
  readonly text: string;
  /** Parsed, where the answer has been read; `undefined` when it has none. */
  readonly body?: Json | undefined;
  /** The record, by what its call expects. */
  readonly decoded?: unknown;
  /** About how much memory a record of it takes. */
  readonly bytes?: number;
}

/**
 * Sends one call. Any complete answer resolves, also a 500.
 *
 * @throws {UpstreamError} when there was no complete answer, and as the steps on the way do.
 */
export type Send = (call: Call) => Promise<HttpResponse>;

/** A step on the way of a call: what it gives is sent to by the step before it. */
export type Interceptor = (next: Send) => Send;

/** Whether it asks for what has changed. */
export const isConditional = ({ headers }: Pick<Call, 'headers'>): boolean =>
  'if-modified-since' in headers;

export const isRead = ({ kind }: Pick<Call, 'kind'>): boolean => kind !== 'write';

/** Waits for what must be there before a call can be sent. @throws {UpstreamError} when it ends early, or its time is up. */
export function untilEnd<T>(
  promise: Promise<T>,
  { operation, signal, endsAtMs }: Call,
): Promise<T> {
  const end = AbortSignal.timeout(Math.max(0, Math.ceil(endsAtMs - performance.now())));
  return untilAborted(promise, operation, signal ? AbortSignal.any([signal, end]) : end);
}

/** Calls back when a call has ended, however it did: one promise, where `finally` makes four. */
export const whenEnded = <T>(sent: Promise<T>, onEnd: () => void): Promise<T> =>
  sent.then(
    (result) => {
      onEnd();
      return result;
    },
    (error: unknown) => {
      onEnd();
      throw error;
    },
  );

export const JSON_TYPE = 'application/json';

/** Gives an operation's exact headers besides `Authorization`: A has Content-Type on each, also a GET; B only where there is a body. */
export const headersOf = (variant: 'A' | 'B', hasBody: boolean): Record<string, string> =>
  variant === 'A' || hasBody
    ? { accept: JSON_TYPE, 'content-type': JSON_TYPE }
    : { accept: JSON_TYPE };
