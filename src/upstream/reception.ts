import type { Dispatcher } from 'undici';

import { decode, decodeLoosely } from './decode.ts';
import { UpstreamError, type UpstreamFailure } from './errors.ts';

/** The headers of an answer that mean something to the gateway; all others are left where they are. */
export interface AnswerHeaders {
  readonly authorization?: string | undefined;
  readonly 'content-type'?: string | undefined;
  readonly date?: string | undefined;
  readonly link?: string | undefined;
  readonly location?: string | undefined;
  readonly 'last-modified'?: string | undefined;
  readonly 'retry-after'?: string | undefined;
}

/** An answer, received to its end. */
export interface WholeAnswer {
  readonly status: number;
  readonly headers: AnswerHeaders;
  readonly text: string;
}

interface ReceptionOptions {
  readonly operation: string;
  readonly isWrite: boolean;
  readonly maxResponseBytes: number;
}

/** So much of an error's body is read. */
const ERROR_BODY_MAX_BYTES = 65_536;

/**
 * Receives one answer: `handler` goes to undici, `answer` settles once, with all of it or with why not.
 * `abort` ends it early and frees the connection; `hasBegun` says whether any of the request may have left.
 */
export function createReception({ operation, isWrite, maxResponseBytes }: ReceptionOptions) {
  const { promise: answer, resolve, reject } = Promise.withResolvers<WholeAnswer>();
  const chunks: Buffer[] = [];
  let controller: Dispatcher.DispatchController | undefined;
  let ended: UpstreamError | undefined;
  let status = 0;
  let headers: AnswerHeaders = {};
  let receivedBytes = 0;

  const fail = (failure: UpstreamFailure, cause?: unknown, isFinal = false) => {
    // Once the request may have left, a write's effect cannot be ruled out, whatever broke afterwards.
    const isUnsent = controller === undefined;
    const isUnknown = isWrite && !isUnsent;
    ended ??= new UpstreamError(isUnknown ? 'outcome-unknown' : failure, { operation, cause, isUnsent, isFinal });
    reject(ended);
    return ended;
  };
  const abort = (failure: UpstreamFailure, isFinal = false) => {
    const error = fail(failure, undefined, isFinal);
    controller?.abort(error);
  };

  const isError = () => status >= 400;
  /** An error whose body does not end: what it says it has said, and the connection is worth less than the rest. */
  const end = () => {
    resolve({ status, headers, text: decodeLoosely(chunks) });
    abort('malformed');
  };

  const handler: Dispatcher.DispatchHandler = {
    onRequestStart(started) {
      // It waited for a connection so long that nobody waits for it: not a byte is sent.
      if (ended) return started.abort(ended);
      controller = started;
    },
    onResponseStart(_controller, statusCode, received) {
      if (statusCode < 200) return;
      status = statusCode;
      headers = pickHeaders(received);
      const encoding = received['content-encoding'] ?? 'identity';
      if (encoding !== 'identity') abort('malformed', true);
    },
    onResponseData(_controller, chunk) {
      receivedBytes += chunk.length;
      if (isError() && receivedBytes > ERROR_BODY_MAX_BYTES) return end();
      if (receivedBytes > maxResponseBytes) return abort('malformed', true);
      chunks.push(chunk);
    },
    onResponseEnd() {
      const text = isError() ? decodeLoosely(chunks) : decode(chunks, headers['content-type']);
      if (text === undefined) fail('malformed', undefined, true);
      else resolve({ status, headers, text });
    },
    onResponseError(_controller, error) {
      fail(isProtocolFault(error) ? 'malformed' : 'unavailable', error, isUntrusted(error));
    },
  };
  return { handler, answer, abort, hasBegun: () => controller !== undefined };
}

/** Gives each header as one text: one that came several times is a list, as HTTP has it. */
function pickHeaders(received: Readonly<Record<string, string | string[] | undefined>>): AnswerHeaders {
  const textOf = (name: keyof AnswerHeaders) => {
    const value = received[name];
    return Array.isArray(value) ? value.join(', ') : value;
  };
  return {
    authorization: textOf('authorization'),
    'content-type': textOf('content-type'),
    date: textOf('date'),
    link: textOf('link'),
    location: textOf('location'),
    'last-modified': textOf('last-modified'),
    'retry-after': textOf('retry-after'),
  };
}

const isProtocolFault = (error: Error): boolean =>
  error.name === 'HTTPParserError' ||
  // How undici calls an answer that begins with 100 or 101, unasked.
  /^bad (response|upgrade)$/.test(error.message) ||
  ['UND_ERR_HEADERS_OVERFLOW', 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH'].includes(codeOf(error));

/** What OpenSSL and Node call it, in all its ways. */
const UNTRUSTED = /CERT|CRL|TLS|SSL|EPROTO|VERIFY|PUBLIC_KEY|PATH_LENGTH|HOSTNAME|^INVALID_/;

/** Whether a connection was not made because its other end is not who it should be. */
const isUntrusted = (error: Error): boolean => UNTRUSTED.test(codeOf(error));

const codeOf = (error: Error): string => ('code' in error ? String(error.code) : '');
