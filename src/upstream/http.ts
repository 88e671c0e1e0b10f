import { type Dispatcher, Pool } from 'undici';
import type { Transport } from '../config/transport.ts';
import { failureOfAbort, type Signal, toAbortError } from '../core/abort.ts';
import { codeOf, UpstreamError, type UpstreamFailure } from '../core/errors.ts';
import type { Work } from '../core/work.ts';
import { createConnect } from './connect.ts';
import { createTurns, type Turn } from './turns.ts';

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

/** One HTTP request to the upstream, complete with its authorization. */
export interface HttpRequest {
  /** The operation's name in the interface, for errors. */
  readonly operation: string;
  /** A `write` has an effect, so that a lost answer leaves its outcome unknown. */
  readonly kind: string;
  /** Whose call it is; `undefined` for the gateway itself. */
  readonly caller?: string | undefined;
  readonly method: Dispatcher.HttpMethod;
  /** Below the base address, with its query. */
  readonly path: string;
  /** Belong to this request alone: who sends it on adds to them. */
  readonly headers: Record<string, string>;
  readonly body?: string | undefined;
  /** How often the same call was sent before. */
  readonly resends?: number | undefined;
  /** Taken when only the send is left. */
  readonly claim?: Pick<Claim, 'acquire'> | undefined;
  /** Called right before the first byte, for the first or a later time, from 1 on. The `UpstreamError` that it throws ends the call as not sent. */
  readonly beforeSend?: ((attempt: number) => void) | undefined;
  /** When it got its connection, by `performance.now`; one that is still queued has not met the host. The breaker reads it, so a copy must not be sent. */
  startedAtMs?: number;
  /** When the answer must be there, time in the queue included, in milliseconds of `performance.now`. */
  readonly endsAtMs: number;
  /** Aborts when the response is no longer needed. A write that was sent is still completed, unless the gateway stops. */
  readonly signal?: Signal | undefined;
  /** Of the operation that the call is made for. */
  readonly work?: Work | undefined;
}

/** The headers of an answer that the gateway reads. */
export type ResponseHeaders = { readonly [name in (typeof HEADERS)[number]]?: string | undefined };

/** An answer, received to its end. */
export interface HttpResponse {
  readonly status: number;
  readonly headers: ResponseHeaders;
  readonly text: string;
}

/**
 * Sends one request. Any complete answer resolves, also a 500.
 *
 * @throws {UpstreamError} when there was no complete answer: `timeout`, `unavailable`, `malformed`, `cancelled`, `stopped`,
 *   `overloaded`, and `outcome-unknown` for a write that may have reached the upstream.
 */
export type Send = (request: HttpRequest) => Promise<HttpResponse>;

/** An HTTP client for one host. */
export type HttpClient = ReturnType<typeof createHttpClient>;

const CONNECTIONS = 256;
const MAX_RESPONSE_BYTES = 10_485_760;
const MAX_RESPONSE_HEADERS_BYTES = 16_384;

/**
 * Makes the client of one host. No other code in the gateway speaks HTTP to a platform.
 *
 * @param baseUrl scheme, host, and the path that all others are below.
 */
export function createHttpClient(baseUrl: string, transport?: Transport) {
  const { origin, pathname } = new URL(baseUrl);
  const prefix = pathname.replace(/\/+$/, '');
  const open = (way: Transport | undefined) => ({
    fixedHeaders: way?.origin === origin ? way.headers : undefined,
    pool: new Pool(origin, {
      connections: CONNECTIONS,
      connect: createConnect(origin, way),
      maxHeaderSize: MAX_RESPONSE_HEADERS_BYTES,
      maxResponseSize: MAX_RESPONSE_BYTES,
      // The deadline of each request ends it; these would start anew with every byte.
      headersTimeout: 0,
      bodyTimeout: 0,
      allowH2: false,
    }),
  });
  let current = open(transport);
  /** The current one, and those whose calls have not ended. */
  const pools = new Set([current.pool]);
  const takeTurn = createTurns();

  const send: Send = (request) => {
    const { operation, kind, caller, method, path, headers, body = null, signal, claim } = request;
    if (signal?.aborted) return Promise.reject(toAbortError(operation, signal));
    // All who sign in share as one caller: they are strangers yet.
    const turn = takeTurn(kind === 'sign-in' ? kind : caller);
    if (turn === undefined) return Promise.reject(new UpstreamError('overloaded', { operation, isUnsent: true }));

    const exchange = new Exchange(request, turn);
    const dispatch = () => {
      if (exchange.isSettled) return;
      // Without an encoding the size of an answer on the wire is its size in memory.
      headers['accept-encoding'] = 'identity';
      const { fixedHeaders, pool } = current;
      if (fixedHeaders !== undefined) Object.assign(headers, fixedHeaders);
      pool.dispatch({ method, path: prefix + path, headers, body }, exchange);
    };
    const prepare = async () => {
      await turn.granted;
      await claim?.acquire();
      dispatch();
    };
    if (turn.granted || claim) prepare().catch((error) => exchange.reject(error));
    else dispatch();
    return exchange.promise;
  };

  /** Opens connections otherwise, and sends other fixed headers. Calls under way end on the connections that they have. */
  const use = (way: Transport): void => {
    const before = current.pool;
    current = open(way);
    pools.add(current.pool);
    const forget = () => void pools.delete(before);
    before.close().then(forget, forget);
  };
  /** Ends all calls and connections. */
  const close = async () => void (await Promise.all([...pools].map((pool) => pool.destroy())));
  return { send, use, close };
}

const HEADERS = [
  ...(['authorization', 'content-range', 'content-type', 'date', 'link', 'location'] as const),
  ...(['last-modified', 'retry-after', 'x-total-count'] as const),
] as const;

/** More of an error's body is not read: the connection is worth less than the rest. */
const MAX_ERROR_BODY_BYTES = 65_536;

/**
 * One request that holds a connection or waits for one. `promise` settles once, with the whole answer or with the reason why
 * there is none.
 */
class Exchange implements Dispatcher.DispatchHandler {
  readonly promise: Promise<HttpResponse>;
  isSettled = false;
  readonly #request: HttpRequest;
  readonly #turn: Turn;
  readonly #resolve: (response: HttpResponse) => void;
  readonly #reject: (error: unknown) => void;
  readonly #timer: NodeJS.Timeout;
  readonly #chunks: Buffer[] = [];
  /** Set once the request may have been sent. */
  #controller: Dispatcher.DispatchController | undefined;
  #error: UpstreamError | undefined;
  #status: number | undefined;
  #headers: ResponseHeaders = {};
  #receivedBytes = 0;

  constructor(request: HttpRequest, turn: Turn) {
    const { promise, resolve, reject } = Promise.withResolvers<HttpResponse>();
    this.promise = promise;
    this.#resolve = resolve;
    this.#reject = reject;
    this.#request = request;
    this.#turn = turn;
    this.#timer = setTimeout(abortLate, request.endsAtMs - performance.now(), this).unref();
    request.signal?.addEventListener('abort', this.#onAbort);
  }

  resolve(response: HttpResponse): void {
    if (this.#settle()) this.#resolve(response);
  }

  reject(error: unknown): void {
    if (this.#settle()) this.#reject(error);
  }

  #settle(): boolean {
    if (this.isSettled) return false;
    this.isSettled = true;
    this.#turn.release();
    clearTimeout(this.#timer);
    this.#request.signal?.removeEventListener('abort', this.#onAbort);
    return true;
  }

  abort(failure: UpstreamFailure, isFinal = false): void {
    this.#controller?.abort(this.#fail(failure, undefined, isFinal));
    // One that still waits for a connection ends in `onRequestStart`, before a byte of it is sent.
    if (this.#controller === undefined) this.#fail(failure, undefined, isFinal);
  }

  /** A write that was sent is completed, unless the gateway stops. */
  readonly #onAbort = (): void => {
    const failure = failureOfAbort(this.#request.signal?.reason);
    const isSentWrite = this.#request.kind === 'write' && this.#controller !== undefined;
    if (!isSentWrite || failure === 'stopped') this.abort(failure);
  };

  onRequestStart(controller: Dispatcher.DispatchController): void {
    const { beforeSend, resends = 0, work, operation } = this.#request;
    try {
      if (this.#error === undefined) beforeSend?.(resends + 1);
    } catch (error) {
      this.#error = error as UpstreamError;
      this.reject(error);
    }
    if (this.#error) {
      controller.abort(this.#error);
      return;
    }
    this.#controller = controller;
    this.#request.startedAtMs = performance.now();
    work?.sentCalls.push(operation);
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    received: Readonly<Record<string, string | string[] | undefined>>,
  ): void {
    if (status < 200) return;
    this.#status = status;
    const headers: Record<string, string> = {};
    for (const name of HEADERS) if (received[name] !== undefined) headers[name] = String(received[name]);
    this.#headers = headers;
    if ((received['content-encoding'] ?? 'identity') !== 'identity') this.abort('malformed', true);
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#receivedBytes += chunk.length;
    const failure = this.#request.work?.received(chunk.length);
    if (failure) this.abort(failure, true);
    if (failure || !this.#isError() || this.#receivedBytes <= MAX_ERROR_BODY_BYTES) return;
    this.onResponseEnd();
    this.abort('malformed');
  }

  onResponseEnd(): void {
    const status = this.#status ?? 0;
    const text = this.#isError() ? decodeLoosely(this.#chunks) : decode(this.#chunks, this.#headers['content-type']);
    if (text === undefined) this.#fail('malformed', undefined, true);
    else this.resolve({ status, headers: this.#headers, text });
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#fail(failureOfTransport(error), error, isFinal(error));
  }

  #isError(): boolean {
    return this.#status !== undefined && this.#status >= 400;
  }

  #fail(failure: UpstreamFailure, cause: unknown, isFinal: boolean): UpstreamError {
    const { operation, kind } = this.#request;
    // Once the request may have been sent, a write's effect cannot be ruled out, whatever broke afterwards.
    const isUnsent = this.#controller === undefined;
    const isUnknown = kind === 'write' && !isUnsent;
    this.#error ??= new UpstreamError(isUnknown ? 'outcome-unknown' : failure, { operation, cause, isUnsent, isFinal });
    this.reject(this.#error);
    return this.#error;
  }
}

const abortLate = (exchange: Exchange): void => exchange.abort('timeout');

const TOO_LARGE = 'UND_ERR_RES_EXCEEDED_MAX_SIZE';
const NOT_HTTP: readonly string[] = ['UND_ERR_HEADERS_OVERFLOW', 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH', TOO_LARGE];
/** How OpenSSL and Node name a certificate or a handshake that is not trusted, and a proxy's refusal. */
const UNTRUSTED = /CERT|CRL|TLS|SSL|EPROTO|VERIFY|PUBLIC_KEY|PATH_LENGTH|HOSTNAME|^INVALID_|^PROXY_STATUS_4/;

function failureOfTransport(error: Error): UpstreamFailure {
  const code = codeOf(error) ?? '';
  const isNotHttp =
    NOT_HTTP.includes(code) ||
    error.name === 'HTTPParserError' ||
    // undici's message for a response that begins with an unexpected 100 or 101.
    /^bad (response|upgrade)$/.test(error.message);
  return isNotHttp ? 'malformed' : 'unavailable';
}

/** Whether the next try would end the same way. */
function isFinal(error: Error): boolean {
  const code = codeOf(error) ?? '';
  return code === TOO_LARGE || UNTRUSTED.test(code);
}

/** Decodes a body strictly by the charset of its content type, UTF-8 by default; `undefined` when it is something else, or unknown. */
function decode(chunks: readonly Buffer[], contentType = ''): string | undefined {
  const charset = contentType.includes('=') ? CHARSET.exec(contentType)?.[1] : undefined;
  try {
    const decoder = charset === undefined ? UTF_8 : new TextDecoder(charset, { fatal: true });
    return decoder.decode(join(chunks));
  } catch {
    return undefined;
  }
}

const CHARSET = /;\s*charset\s*=\s*"?([^\s";]+)/i;
/** It keeps nothing between two texts. */
const UTF_8 = new TextDecoder('utf-8', { fatal: true });

/** Decodes what it can: of an error's body any word helps, and none is needed. */
const decodeLoosely = (chunks: readonly Buffer[]): string => new TextDecoder().decode(join(chunks));

function join(chunks: readonly Buffer[]): Buffer {
  const [first] = chunks;
  return first !== undefined && chunks.length === 1 ? first : Buffer.concat(chunks);
}
