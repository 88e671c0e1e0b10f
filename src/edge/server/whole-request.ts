const HEAD_END = '\r\n\r\n';
const REQUEST_LINE = /^POST [^ \r\n]+ HTTP\/1\.1\r\n/;
const CONTENT_LENGTHS = /\r\ncontent-length: *(\d{1,9})(?=\r\n)/gi;
/** What only a real parser may judge: framing by other means, lines that go on or end otherwise, and wishes. */
const UNUSUAL = /\r\n(?:[ \t]|transfer-encoding:|expect:|upgrade:|connection:(?! *keep-alive\r))|[^\r]\n|\r[^\n]/i;

/** The head of a request, as it came over the wire. */
export interface WireHead {
  /** The request line and the headers, with the empty line at their end. */
  readonly bytes: Buffer;
  /** The same as text. */
  readonly text: string;
  /** How long the body is, in bytes. */
  readonly bodyLength: number;
}

/** A request with a body, as it came over the wire. */
export interface WireRequest {
  readonly head: WireHead;
  readonly body: Buffer;
}

/**
 * Gives the request that a piece of what came over the wire is: one whole POST from its first byte to its last, with
 * nothing about it but the usual. `undefined`: it is anything else, also a part of one, or more than one.
 *
 * @param last the head of the request before it. Clients mostly say the same again: then nothing of it is read twice.
 */
export function wholeRequest(chunk: Buffer, last?: WireHead): WireRequest | undefined {
  const head = last !== undefined && hasHead(chunk, last) ? last : readHead(chunk);
  return head && { head, body: chunk.subarray(head.bytes.length) };
}

const hasHead = (chunk: Buffer, { bytes, bodyLength }: WireHead): boolean =>
  chunk.length === bytes.length + bodyLength && bytes.equals(chunk.subarray(0, bytes.length));

function readHead(chunk: Buffer): WireHead | undefined {
  const at = chunk.indexOf(HEAD_END);
  if (at === -1) return undefined;
  const bytes = chunk.subarray(0, at + HEAD_END.length);
  const text = bytes.toString('latin1');
  if (!REQUEST_LINE.test(text) || UNUSUAL.test(text)) return undefined;
  const [length, other] = text.matchAll(CONTENT_LENGTHS);
  if (length === undefined || other !== undefined) return undefined;
  const bodyLength = Number(length[1]);
  return bodyLength === chunk.length - bytes.length ? { bytes, text, bodyLength } : undefined;
}
