import { type IncomingHttpHeaders, request } from 'node:http';
import type { Transform } from 'node:stream';
import { createSecureContext } from 'node:tls';
import { TextDecoder } from 'node:util';
import { buildConnector, type Dispatcher, Pool } from 'undici';

import type { Transport } from '../config/transport.ts';
import { failureOfAbort, toAbortError } from '../core/abort.ts';
import { codeOf, UpstreamError, type UpstreamFailure } from '../core/errors.ts';
import type { Call, HttpResponse, Send } from './call.ts';
import { codingOf, createDecoder, ignoreContinue, readMediaType, toSingle } from './content.ts';
import { RESPONSE_HEADERS, type ResponseHeaders } from './records.ts';

const CONNECTIONS = 256;
const MAX_RESPONSE_BYTES = 10_485_760;
const MAX_RESPONSE_HEADERS_BYTES = 16_384;

/** The client of one host. */
export interface HttpClient {
  readonly send: Send;
  /**
   * Uses other connections and fixed headers from now on. Calls in flight end on their connections.
   */
  use(transport: Transport): void;
  /** Ends all calls and connections. */
  close(): Promise<void>;
}

/**
 * Creates the HTTP client of one host. All HTTP to a platform goes through it.
 *
 * @param baseUrl scheme, host, and the prefix of all paths.
 */
export function createHttpClient(baseUrl: string, transport?: Transport): HttpClient {
  const { origin, pathname } = new URL(baseUrl);
  const prefix = pathname.replace(/\/+$/, '');
  const open = (way: Transport | undefined) => ({
    fixedHeaders: way?.origin === origin ? way.headers : undefined,
    pool: new Pool(origin, {
      connections: CONNECTIONS,
      connect: createPoolConnect(origin, way),
      maxHeaderSize: MAX_RESPONSE_HEADERS_BYTES,
      maxResponseSize: MAX_RESPONSE_BYTES,
      // Each request has its own deadline. These timeouts would restart with every byte.
      headersTimeout: 0,
      bodyTimeout: 0,
      allowH2: false,
    }),
  });
  let current = open(transport);
  /** The current pool, and earlier ones with calls in flight. */
  const pools = new Set([current.pool]);

  const send: Send = (call) => {
    const { operation, method, path, headers, body = null, signal } = call;
    if (signal?.aborted) return Promise.reject(toAbortError(operation, signal));
    const exchange = new Exchange(call);
    // Some servers ignore this and encode the response. It is then decoded.
    headers['accept-encoding'] = 'identity';
    const { fixedHeaders, pool } = current;
    if (fixedHeaders !== undefined) Object.assign(headers, fixedHeaders);
    pool.dispatch({ method, path: prefix + path, headers, body }, exchange);
    return exchange.outcome.promise;
  };

  return {
    send,
    use(nextTransport) {
      const before = current.pool;
      current = open(nextTransport);
      pools.add(current.pool);
      const forget = () => void pools.delete(before);
      before.close().then(forget, forget);
    },
    async close() {
      await Promise.all([...pools].map((pool) => pool.destroy()));
    },
  };
}

/**
 * The highest number of bytes of an error body. Closing the connection is cheaper than reading
 * more.
 */
const MAX_ERROR_BODY_BYTES = 65_536;

/** One request that has a connection or waits for one. */
class Exchange implements Dispatcher.DispatchHandler {
  /** Settles once, with the complete response or an error. */
  readonly outcome = Promise.withResolvers<HttpResponse>();
  readonly #call: Call;
  readonly #timer: NodeJS.Timeout;
  readonly #chunks: Buffer[] = [];
  /** Set when the request may have been sent. */
  #controller: Dispatcher.DispatchController | undefined;
  #error: UpstreamError | undefined;
  #status = 0;
  #headers: ResponseHeaders = {};
  /** The decoded bytes of the body. */
  #receivedBytes = 0;
  #coding: string | undefined;
  #decoder: Transform | undefined;

  constructor(call: Call) {
    this.#call = call;
    this.#timer = setTimeout(
      abortLate,
      Math.max(0, call.endsAtMs - performance.now()),
      this,
    ).unref();
    call.signal?.addEventListener('abort', this.#onAbort);
  }

  abort(failure: UpstreamFailure, isFinal = false, cause?: unknown): void {
    const error = this.#fail(failure, cause, isFinal);
    // A request without a connection ends in `onRequestStart`, before any byte is sent.
    this.#controller?.abort(error);
  }

  /** A write that was sent is completed unless the gateway stops. */
  readonly #onAbort = (): void => {
    const failure = failureOfAbort(this.#call.signal?.reason);
    const isSentWrite = this.#call.kind === 'write' && this.#controller !== undefined;
    if (!isSentWrite || failure === 'stopped') this.abort(failure);
  };

  onRequestStart(controller: Dispatcher.DispatchController): void {
    const { beforeSend, sent, requestState, operation } = this.#call;
    try {
      if (this.#error === undefined) beforeSend?.(sent);
    } catch (error) {
      this.#error = error as UpstreamError;
    }
    if (this.#error) {
      controller.abort(this.#error);
      return;
    }
    this.#controller = controller;
    this.#call.startedAtMs = performance.now();
    requestState?.sentCalls.push(operation);
  }

  onResponseStart(
    _: Dispatcher.DispatchController,
    status: number,
    received: IncomingHttpHeaders,
  ): void {
    if (status < 200) return;
    this.#status = status;
    const headers: Record<string, string> = {};
    for (const name of RESPONSE_HEADERS) {
      const value = received[name];
      if (value !== undefined) headers[name] = toSingle(value);
    }
    this.#headers = headers;
    this.#coding = codingOf(received['content-encoding']);
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#coding === undefined) {
      this.#receive(chunk);
      return;
    }
    this.#decoder ??= this.#openDecoder(this.#coding, chunk);
    this.#decoder.write(chunk);
  }

  onResponseEnd(): void {
    // An encoded body without bytes is an empty body.
    if (this.#decoder) this.#decoder.end();
    else this.#complete();
  }

  #openDecoder(coding: string, start: Buffer): Transform {
    return createDecoder(coding, start)
      .on('data', (chunk: Buffer) => this.#receive(chunk))
      .on('end', () => this.#complete())
      .on('error', (error) => {
        // The status of an error is clear without its body.
        if (this.#isError()) this.#complete([]);
        this.abort('malformed', true, error);
      });
  }

  /** Adds decoded bytes of the body. */
  #receive(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#receivedBytes += chunk.length;
    const isTooLong = this.#receivedBytes > MAX_RESPONSE_BYTES;
    const failure = isTooLong ? 'malformed' : this.#call.requestState?.received(chunk.length);
    if (failure) this.abort(failure, true);
    if (failure || !this.#isError() || this.#receivedBytes <= MAX_ERROR_BODY_BYTES) return;
    this.#complete();
    this.abort('malformed');
  }

  #complete(chunks: readonly Buffer[] = this.#chunks): void {
    const text = decode(chunks, this.#headers['content-type'], this.#isError());
    if (text === undefined) {
      this.#fail('malformed', undefined, true);
      return;
    }
    this.#end();
    const sentHeaders = this.#call.headers;
    this.outcome.resolve({ status: this.#status, headers: this.#headers, text, sentHeaders });
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    const code = codeOf(error) ?? '';
    const failure = isNoHttp(error, code) ? 'malformed' : 'unavailable';
    // A response that is too large, or a certificate that is not trusted, would fail again.
    this.#fail(failure, error, code === TOO_LARGE || UNTRUSTED.test(code));
  }

  #isError(): boolean {
    return this.#status >= 400;
  }

  #fail(failure: UpstreamFailure, cause: unknown, isFinal: boolean): UpstreamError {
    const { operation, kind } = this.#call;
    // After the request may have been sent, a write may have had its effect.
    const isUnsent = this.#controller === undefined;
    const isUnknown = kind === 'write' && !isUnsent;
    this.#error ??= new UpstreamError(isUnknown ? 'outcome-unknown' : failure, {
      operation,
      cause,
      isUnsent,
      isFinal,
    });
    this.#end();
    this.outcome.reject(this.#error);
    return this.#error;
  }

  #end(): void {
    clearTimeout(this.#timer);
    this.#decoder?.destroy();
    this.#call.signal?.removeEventListener('abort', this.#onAbort);
  }
}

const abortLate = (exchange: Exchange): void => exchange.abort('timeout');

const TOO_LARGE = 'UND_ERR_RES_EXCEEDED_MAX_SIZE';
const NOT_HTTP: readonly string[] = [
  'UND_ERR_HEADERS_OVERFLOW',
  'UND_ERR_RES_CONTENT_LENGTH_MISMATCH',
  TOO_LARGE,
];
/**
 * Error codes of Node and OpenSSL for untrusted certificates and handshakes, and the proxy's
 * refusal.
 */
const UNTRUSTED =
  /CERT|CRL|TLS|SSL|EPROTO|VERIFY|PUBLIC_KEY|PATH_LENGTH|HOSTNAME|^INVALID_|^PROXY_STATUS_4/;

const isNoHttp = ({ name, message }: Error, code: string): boolean =>
  NOT_HTTP.includes(code) ||
  name === 'HTTPParserError' ||
  // A response without a request, or one that begins with 101. Only the message of undici shows
  // it: the code is UND_ERR_SOCKET, as for a lost connection (nodejs/undici#1670).
  /^bad (response|upgrade)$/.test(message);

/**
 * Decodes a body by the charset of its content type. The default is UTF-8. Returns `undefined` for
 * bytes that are invalid in the charset. In an error's body, invalid bytes are replaced.
 */
function decode(chunks: readonly Buffer[], contentType = '', isError = false): string | undefined {
  const bytes = chunks.length === 1 ? chunks[0] : Buffer.concat(chunks);
  if (isError) return new TextDecoder().decode(bytes);
  const charset = contentType.includes('=') ? readMediaType(contentType).charset : undefined;
  try {
    return decoderOf(charset).decode(bytes);
  } catch {
    return undefined;
  }
}

/**
 * Returns the decoder of a charset. JSON is UTF-8 (RFC 8259, section 8.1), so unknown charsets are
 * read as UTF-8.
 */
function decoderOf(charset: string | undefined): TextDecoder {
  try {
    return charset === undefined ? UTF_8 : new TextDecoder(charset, { fatal: true });
  } catch {
    return UTF_8;
  }
}

/** Shared, because it has no state between two texts. */
const UTF_8 = new TextDecoder('utf-8', { fatal: true });

/** The timeout of a connection, of a proxy's tunnel, and of TLS inside the tunnel. */
const CONNECT_TIMEOUT_MS = 1_000;
const KEEP_ALIVE_MS = 60_000;

/** Creates the connector of a pool. Its sockets skip `100 Continue`. */
function createPoolConnect(origin: string, transport?: Transport): buildConnector.connector {
  const connect = createConnect(origin, transport);
  return (options, callback) =>
    connect(options, (error, socket) => {
      if (error !== null) callback(error, null);
      else callback(null, ignoreContinue(socket));
    });
}

/** Creates an undici connector for one origin, direct or through the proxy. */
export function createConnect(origin: string, transport?: Transport): buildConnector.connector {
  const { proxy, ca } = transport ?? {};
  const certificate = transport?.origin === origin ? transport.certificate : undefined;
  const minVersion = 'TLSv1.2';
  // Created once, because reading all certificate authorities takes longer than a handshake.
  const secureContext =
    (ca ?? certificate) &&
    createSecureContext({ ca, cert: certificate, key: certificate, minVersion });
  // Set explicitly, so that the environment cannot change them.
  const options = {
    timeout: CONNECT_TIMEOUT_MS,
    rejectUnauthorized: true,
    minVersion,
    allowH2: false,
  } as const;
  const connect = buildConnector({ ...options, ...(secureContext && { secureContext }) });
  if (proxy === undefined) return connect;

  const { protocol, host, port } = new URL(origin);
  const target = port === '' ? `${host}:${protocol === 'https:' ? 443 : 80}` : host;
  return (given, callback) =>
    openTunnel(proxy, target, (error, socket) => {
      if (error !== null) callback(error, null);
      else if (protocol === 'https:') connect({ ...given, httpSocket: socket }, callback);
      else callback(null, socket.setNoDelay().setKeepAlive(true, KEEP_ALIVE_MS));
    });
}

/**
 * Opens a tunnel through the proxy to `target`, a host with port. Error codes begin with `PROXY_`.
 */
function openTunnel(via: URL, target: string, onTunnel: buildConnector.Callback): void {
  const { hostname, port, username, password } = via;
  const pair = Buffer.from(decodeURIComponent(`${username}:${password}`)).toString('base64');
  const headers = {
    host: target,
    ...((username || password) && { 'proxy-authorization': `Basic ${pair}` }),
  };
  const proxy = {
    host: hostname.replace(/^\[|\]$/g, ''),
    port: port || 80,
    agent: false,
    maxHeaderSize: 16_384,
  };
  const connect = request({ ...proxy, method: 'CONNECT', path: target, headers });
  const fail = (code = 'ETIMEDOUT') => {
    clearTimeout(timer);
    onTunnel(
      Object.assign(new Error('The proxy opens no tunnel.'), { code: `PROXY_${code}` }),
      null,
    );
  };
  const timer = setTimeout(() => connect.destroy(new Error('timeout')), CONNECT_TIMEOUT_MS);
  connect.on('error', (error) => fail(codeOf(error)));
  connect.on('connect', ({ statusCode = 0 }, socket, rest) => {
    // A platform does not send the first byte. Bytes after the head are from the proxy.
    if (statusCode < 200 || statusCode > 299 || rest.length > 0) {
      socket.on('error', () => undefined).destroy();
      return fail(`STATUS_${statusCode}`);
    }
    clearTimeout(timer);
    onTunnel(null, socket);
  });
  connect.end();
}
