import { type Dispatcher, Pool } from 'undici';
import type { Transport } from '../config/transport.ts';
import { failureOfAbort, toAbortError } from '../core/abort.ts';
import { codeOf, UpstreamError, type UpstreamFailure } from '../core/errors.ts';
import type { Call, HttpResponse, Send } from './call.ts';
import { createConnect } from './connect.ts';
import { RESPONSE_HEADERS, type ResponseHeaders } from './records.ts';

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

  const send: Send = (call) => {
    const { operation, method, path, headers, body = null, signal } = call;
    if (signal?.aborted) return Promise.reject(toAbortError(operation, signal));
    const exchange = new Exchange(call);
    // Without an encoding the size of an answer on the wire is its size in memory.
    headers['accept-encoding'] = 'identity';
    const { fixedHeaders, pool } = current;
    if (fixedHeaders !== undefined) Object.assign(headers, fixedHeaders);
    pool.dispatch({ method, path: prefix + path, headers, body }, exchange);
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

/** More of an error's body is not read: the connection is worth less than the rest. */
const MAX_ERROR_BODY_BYTES = 65_536;

/**
 * One request that holds a connection or waits for one. `promise` settles once, with the whole answer or with the reason why
 * there is none.
 */
class Exchange implements Dispatcher.DispatchHandler {
  readonly promise: Promise<HttpResponse>;
  readonly #call: Call;
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

  constructor(call: Call) {
    const { promise, resolve, reject } = Promise.withResolvers<HttpResponse>();
    this.promise = promise.finally(() => {
      clearTimeout(this.#timer);
      call.signal?.removeEventListener('abort', this.#onAbort);
    });
    this.#resolve = resolve;
    this.#reject = reject;
    this.#call = call;
    this.#timer = setTimeout(abortLate, call.endsAtMs - performance.now(), this).unref();
    call.signal?.addEventListener('abort', this.#onAbort);
  }

  abort(failure: UpstreamFailure, isFinal = false): void {
    this.#controller?.abort(this.#fail(failure, undefined, isFinal));
    // One that still waits for a connection ends in `onRequestStart`, before a byte of it is sent.
    if (this.#controller === undefined) this.#fail(failure, undefined, isFinal);
  }

  /** A write that was sent is completed, unless the gateway stops. */
  readonly #onAbort = (): void => {
    const failure = failureOfAbort(this.#call.signal?.reason);
    const isSentWrite = this.#call.kind === 'write' && this.#controller !== undefined;
    if (!isSentWrite || failure === 'stopped') this.abort(failure);
  };

  onRequestStart(controller: Dispatcher.DispatchController): void {
    const { beforeSend, sent, work, operation } = this.#call;
    try {
      if (this.#error === undefined) beforeSend?.(sent);
    } catch (error) {
      this.#error = error as UpstreamError;
      this.#reject(error);
    }
    if (this.#error) {
      controller.abort(this.#error);
      return;
    }
    this.#controller = controller;
    this.#call.startedAtMs = performance.now();
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
    for (const name of RESPONSE_HEADERS) if (received[name] !== undefined) headers[name] = String(received[name]);
    this.#headers = headers;
    if ((received['content-encoding'] ?? 'identity') !== 'identity') this.abort('malformed', true);
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#receivedBytes += chunk.length;
    const failure = this.#call.work?.received(chunk.length);
    if (failure) this.abort(failure, true);
    if (failure || !this.#isError() || this.#receivedBytes <= MAX_ERROR_BODY_BYTES) return;
    this.onResponseEnd();
    this.abort('malformed');
  }

  onResponseEnd(): void {
    const status = this.#status ?? 0;
    const text = this.#isError() ? decodeLoosely(this.#chunks) : decode(this.#chunks, this.#headers['content-type']);
    if (text === undefined) this.#fail('malformed', undefined, true);
    else this.#resolve({ status, headers: this.#headers, text });
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#fail(failureOfTransport(error), error, isFinal(error));
  }

  #isError(): boolean {
    return this.#status !== undefined && this.#status >= 400;
  }

  #fail(failure: UpstreamFailure, cause: unknown, isFinal: boolean): UpstreamError {
    const { operation, kind } = this.#call;
    // Once the request may have been sent, a write's effect cannot be ruled out, whatever broke afterwards.
    const isUnsent = this.#controller === undefined;
    const isUnknown = kind === 'write' && !isUnsent;
    this.#error ??= new UpstreamError(isUnknown ? 'outcome-unknown' : failure, { operation, cause, isUnsent, isFinal });
    this.#reject(this.#error);
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
