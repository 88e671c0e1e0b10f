import type { Dispatcher } from 'undici';

import { untilAborted } from '../core/abort.ts';
import type { Json } from '../core/json.ts';
import type { RequestState } from '../core/request-state.ts';
import type { Mismatch } from './promised.ts';
import type { ResponseHeaders } from './records.ts';

/** A lease: the right to send a write that another replica may also want to send. */
export interface Lease {
  /**
   * Acquires the lease. Runs right before sending, and before a repeat.
   *
   * @throws {UpstreamError} if it is not available. Nothing is sent then.
   */
  acquire(): Promise<void>;
  /**
   * Checks that the lease is still held.
   *
   * @throws {UpstreamError} if not; nothing must be sent then.
   */
  check(): void;
  /** Returns whether another replica acquired it first. */
  isTaken(): boolean;
}

/** Options of every operation. */
export interface CallOptions {
  /** The work of the call's operation. */
  readonly requestState?: RequestState | undefined;
  /**
   * Aborts when the response is no longer needed. The default is the signal of `work`. A write that
   * was sent is completed unless the gateway stops.
   */
  readonly signal?: AbortSignal | undefined;
  /** The caller's role, which may have a reserve of the call budget. */
  readonly role?: string | undefined;
  /** The lease to acquire right before sending. */
  readonly lease?: Pick<Lease, 'acquire'> | undefined;
  /**
   * Runs right before the first byte. `attempt` is 1 for the first attempt. If it throws an
   * `UpstreamError`, the call fails as not sent.
   */
  readonly beforeSend?: ((attempt: number) => void) | undefined;
}

/** Options of a read. */
export interface ReadOptions extends CallOptions {
  /** The `validator` of an earlier result. Makes the request conditional. */
  readonly ifModifiedSince?: string | undefined;
}

/**
 * One call to a host. Interceptors pass the same object on and fill in their members. An
 * interceptor that reads members of later ones must not pass on a copy.
 */
export interface Call extends CallOptions {
  /** The operation's name in the interface. */
  readonly operation: string;
  /**
   * The kind in the call budget. A `write` has an effect. It is not retried, and if its response is
   * lost, the outcome is unknown.
   */
  readonly kind: string;
  /** The caller's key. `undefined` for the gateway itself. */
  readonly caller?: string | undefined;
  /** The operation's arguments. Only adapters read them. */
  readonly args?: unknown;
  readonly method: Dispatcher.HttpMethod;
  /** The path below the base address, with query. */
  readonly path: string;
  /** Interceptors add headers. */
  readonly headers: Record<string, string>;
  readonly body?: string | undefined;
  /** Whether a 2xx response must have a JSON body. True for reads. */
  readonly hasBody?: boolean;
  /** Absent if any response is accepted. */
  readonly expected?: ExpectedAnswer<unknown>;
  /**
   * The deadline including time in queues, in milliseconds of `performance.now()`. Set by the
   * retry.
   */
  endsAtMs: number;
  /** The number of attempts including the current one. Set by the authorization. */
  sent: number;
  /**
   * When the call got its connection, by `performance.now()`. Set by the HTTP client. `undefined`
   * while it is queued.
   */
  startedAtMs?: number | undefined;
}

/** The promised response of a call. */
export interface ExpectedAnswer<T> {
  /** Decodes a parsed 2xx response. @throws {UpstreamError} if it is not the promised one. */
  decode(answer: HttpResponse): T;
  /** Describes for operators why a response is not the promised one, and the expected members. */
  describe(why: Mismatch): string;
}

/** A complete response. */
export interface HttpResponse {
  readonly status: number;
  readonly headers: ResponseHeaders;
  readonly text: string;
  /** The headers of its request. Errors must not repeat their secrets. */
  readonly sentHeaders?: Readonly<Record<string, string>> | undefined;
  /** The parsed body. Absent before parsing and for an empty body. */
  readonly body?: Json | undefined;
  /** The record that the call's operation decodes. */
  readonly decoded?: unknown;
  /** The approximate memory of the record. */
  readonly bytes?: number;
}

/**
 * Sends one call. Any complete response resolves, including a 500.
 *
 * @throws {UpstreamError} if there is no complete response, or if an interceptor refuses the
 *   call.
 */
export type Send = (call: Call) => Promise<HttpResponse>;

/** A step of a call. It wraps the next one. */
export type Interceptor = (next: Send) => Send;

/** Returns whether a call is a conditional request. */
export const isConditional = ({ headers }: Pick<Call, 'headers'>): boolean =>
  'if-modified-since' in headers;

export const isRead = ({ kind }: Pick<Call, 'kind'>): boolean => kind !== 'write';

/**
 * Waits for a condition before a call is sent.
 *
 * @throws {UpstreamError} if the call is aborted or its deadline passes first.
 */
export function untilEnd<T>(
  promise: Promise<T>,
  { operation, signal, endsAtMs }: Call,
): Promise<T> {
  const end = AbortSignal.timeout(Math.max(0, Math.ceil(endsAtMs - performance.now())));
  return untilAborted(promise, operation, signal ? AbortSignal.any([signal, end]) : end);
}

/** Runs `onEnd` after a call, successful or not. It creates one promise, `finally` creates four. */
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

/**
 * Returns an operation's headers without `Authorization`. Variant A has Content-Type on every call,
 * including GET. Variant B has it only with a body.
 */
export const headersOf = (variant: 'A' | 'B', hasBody: boolean): Record<string, string> =>
  variant === 'A' || hasBody
    ? { accept: JSON_TYPE, 'content-type': JSON_TYPE }
    : { accept: JSON_TYPE };
