import type { Socket } from 'node:net';
import type { Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from 'node:zlib';
import { parse } from 'content-type';

/** The parsed `Content-Type` header. */
export interface MediaType {
  /** Whether it is JSON, or contains no media type. */
  readonly isJson: boolean;
  /** Whether it contains a media type, and every one is JSON. */
  readonly isNamedJson: boolean;
  readonly isHtml: boolean;
  readonly charset: string | undefined;
}

const JSON_TYPE = /^(application|text)\/(x-|[\w.-]+\+)?json$/;
const HTML_TYPE = /^(text\/html|application\/xhtml\+xml)$/;
/** A comma or space before a parameter, in place of the semicolon. */
const PARAMETER = /(?<![\s,;])[\s,;]+(?=[\w-]+\s*=)/g;

/** The last header and its parsed value. A platform sends the same one with every response. */
let latest: { readonly header: string; readonly type: MediaType } | undefined;

/**
 * Reads a `Content-Type` header. Servers and proxies may send it twice or with wrong separators.
 */
export function readMediaType(header = ''): MediaType {
  if (latest?.header !== header) latest = { header, type: parseMediaType(header) };
  return latest.type;
}

function parseMediaType(header: string): MediaType {
  const text = header.replace(PARAMETER, ';');
  const types: string[] = [];
  let charset: string | undefined;
  for (let start = 0; start < text.length; ) {
    const { type, parameters, index } = parse(text, { comma: true, start });
    if (type.includes('/')) types.push(type);
    charset ??= parameters['charset']?.replaceAll("'", '') || undefined;
    start = index + 1;
  }
  const isJson = types.every((type) => JSON_TYPE.test(type));
  return {
    isJson,
    isNamedJson: isJson && types.length > 0,
    isHtml: types.some((type) => HTML_TYPE.test(type)),
    charset,
  };
}

/** A header that came once, or several times. */
type HeaderValue = string | readonly string[];

/** Returns a header as one value. Repeated equal values are merged. */
export const toSingle = (value: HeaderValue): string =>
  typeof value === 'string' ? value : [...new Set(value)].join(', ');

/** The supported content codings (RFC 9110, section 8.4.1). */
const CODINGS = ['gzip', 'x-gzip', 'deflate', 'br'];

/**
 * Returns the coding of a `Content-Encoding` header. Words such as `utf-8` and `none` are ignored.
 * A body in an unsupported coding fails later, because it is not text.
 */
export const codingOf = (header: HeaderValue = ''): string | undefined =>
  toSingle(header)
    .toLowerCase()
    .split(/[\s,]+/)
    .find((word) => CODINGS.includes(word));

/** Creates the stream that decodes a body. `start` is its first chunk. */
export function createDecoder(coding: string, start: Uint8Array): Transform {
  if (coding === 'br') return createBrotliDecompress();
  if (coding !== 'deflate') return createGunzip();
  // Some servers omit the zlib header. Its first byte contains the method 8.
  const isWrapped = ((start[0] ?? 0) & 0x0f) === 8;
  return isWrapped ? createInflate() : createInflateRaw();
}

/** The longest head of a response. */
const MAX_HEAD_BYTES = 16_384;

/**
 * Removes each `100 Continue` from a socket's data, and returns the socket. undici closes the
 * connection after one, but clients may ignore it (RFC 9110, section 15.2.1). It is at the start of
 * a chunk. A chunk within a JSON body does not start with this status line.
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

/** Returns the bytes after any leading `100 Continue`. `undefined` while its head is incomplete. */
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
/** The position of the status's first digit. In other chunks this byte is rarely 1. */
const STATUS_AT = 9;

const isContinue = (bytes: Buffer): boolean =>
  bytes[STATUS_AT] === 0x31 && CONTINUE.test(bytes.toString('latin1', 0, 13));
