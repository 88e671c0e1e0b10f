const HEAD_END = '\r\n\r\n';
const REQUEST_LINE = /^POST [^ \r\n]+ HTTP\/1\.1\r\n/;
const CONTENT_LENGTHS = /\r\ncontent-length: *(\d{1,9})(?=\r\n)/gi;
/** What only a real parser may judge: framing by other means, lines that go on or end otherwise, and wishes. */
const UNUSUAL = /\r\n(?:[ \t]|transfer-encoding:|expect:|upgrade:|connection:(?! *keep-alive\r))|[^\r]\n|\r[^\n]/i;

/** A request with a body, as it came over the wire. */
export interface WireRequest {
  /** The request line and the headers, with the empty line at their end. */
  readonly head: string;
  readonly body: Buffer;
}

/**
 * Gives the request that a piece of what came over the wire is: one whole POST from its first byte to its last, with
 * nothing about it but the usual. `undefined`: it is anything else, also a part of one, or more than one.
 */
export function wholeRequest(chunk: Buffer): WireRequest | undefined {
  const at = chunk.indexOf(HEAD_END);
  if (at === -1) return undefined;
  const head = chunk.toString('latin1', 0, at + HEAD_END.length);
  if (!REQUEST_LINE.test(head) || UNUSUAL.test(head)) return undefined;
  const [length, other] = head.matchAll(CONTENT_LENGTHS);
  if (length === undefined || other !== undefined) return undefined;
  return Number(length[1]) === chunk.length - head.length ? { head, body: chunk.subarray(head.length) } : undefined;
}
