import type { Socket } from 'node:net';
import type { Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from 'node:zlib';
import { parse } from 'content-type';

/** A `Content-Type` header, as far as it names a media type. */
export interface MediaType {
  /** Whether it names JSON, or no media type. */
  readonly isJson: boolean;
  readonly isHtml: boolean;
  readonly charset: string | undefined;
}

const JSON_TYPE = /^(application|text)\/(x-|[\w.-]+\+)?json$/;
const HTML_TYPE = /^(text\/html|application\/xhtml\+xml)$/;
/** A comma or a space before a parameter, where a semicolon is due. */
const PARAMETER = /(?<![\s,;])[\s,;]+(?=[\w-]+\s*=)/g;

/** Reads a `Content-Type` header. A server or a proxy may have sent it twice, or with other separators. */
export function readMediaType(header = ''): MediaType {
  const text = header.replace(PARAMETER, ';');
  const types: string[] = [];
  let charset: string | undefined;
  for (let start = 0; start < text.length; ) {
    const { type, parameters, index } = parse(text, { comma: true, start });
    if (type.includes('/')) types.push(type);
    charset ??= parameters['charset']?.replaceAll("'", '') || undefined;
    start = index + 1;
  }
  return {
    isJson: types.every((type) => JSON_TYPE.test(type)),
    isHtml: types.some((type) => HTML_TYPE.test(type)),
    charset,
  };
}

/** A header that came once, or several times. */
type HeaderValue = string | readonly string[];

/** Returns a header as one value; a header that was sent twice with the same value is one. */
export const toSingle = (value: HeaderValue): string =>
  typeof value === 'string' ? value : [...new Set(value)].join(', ');

/** The content codings that are decoded. RFC 9110, section 8.4.1. */
const CODINGS = ['gzip', 'x-gzip', 'deflate', 'br'];

/**
 * Returns the coding that a `Content-Encoding` header names. Words such as `utf-8` and `none` are ignored: a body in a
 * coding that we do not decode fails later, because it is not text.
 */
export const codingOf = (header: HeaderValue = ''): string | undefined =>
  toSingle(header)
    .toLowerCase()
    .split(/[\s,]+/)
    .find((word) => CODINGS.includes(word));

/** Creates the stream that decodes a body, which begins with this chunk. */
export function createDecoder(coding: string, start: Uint8Array): Transform {
  if (coding === 'br') return createBrotliDecompress();
  if (coding !== 'deflate') return createGunzip();
  // Some servers leave out the header that zlib writes: its first byte names the method 8.
  const isWrapped = ((start[0] ?? 0) & 0x0f) === 8;
  return isWrapped ? createInflate() : createInflateRaw();
}

/** A head is no longer. */
const MAX_HEAD_BYTES = 16_384;

/**
 * Removes each `100 Continue` from what is read of a socket, and returns the socket. undici ends a connection that sends
 * one, and a client may ignore it (RFC 9110, section 15.2.1). It stands at the start of a chunk. A chunk within a JSON
 * body does not start with such a line.
 */
export function ignoreContinue<S extends Socket>(socket: S): S {
  const read = socket.read.bind(socket);
  let pending: Buffer | undefined;
  socket.read = (size) => {
    for (let chunk: Buffer | null = read(size); chunk !== null; chunk = read(size)) {
      const bytes = pending ? Buffer.concat([pending, chunk]) : chunk;
      const rest = afterContinue(bytes);
      pending = rest === undefined ? bytes : undefined;
      if (rest !== undefined && rest.length > 0) return rest;
    }
    return null;
  };
  return socket;
}

/** Returns the bytes after each `100 Continue` at their start; `undefined` while the head of one is not whole. */
function afterContinue(bytes: Buffer): Buffer | undefined {
  let rest = bytes;
  while (isContinue(rest)) {
    const end = rest.indexOf('\r\n\r\n');
    if (end === -1) return rest.length > MAX_HEAD_BYTES ? rest : undefined;
    rest = rest.subarray(end + 4);
  }
  return rest;
}

const CONTINUE = /^HTTP\/1\.[01] 100\b/;
/** The place of the first digit of a status, which is 1 in few chunks. */
const STATUS_AT = 9;

const isContinue = (bytes: Buffer): boolean =>
  bytes[STATUS_AT] === 0x31 && CONTINUE.test(bytes.toString('latin1', 0, 13));
