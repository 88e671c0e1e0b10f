/** A whole HTTP answer, as far as a load cares. */
export interface Answer {
  readonly status: number;
  readonly hasRetryAfter: boolean;
  /** Whether the server closes the connection after it. */
  readonly isLast: boolean;
  readonly body: string;
}

/** Reads answers off a connection, one after the other, for as little work as can be. */
export function createAnswerReader() {
  let text = '';
  return {
    /** Takes bytes; gives the answer when it is whole. */
    read(chunk: Buffer): Answer | undefined {
      text += chunk.toString('latin1');
      const headEnd = text.indexOf('\r\n\r\n');
      if (headEnd === -1) return undefined;
      const head = text.slice(0, headEnd).toLowerCase();
      const end = endOfBody(text, head, headEnd + 4);
      if (end === undefined) return undefined;
      const body = text.slice(headEnd + 4, end);
      text = text.slice(end);
      return {
        status: Number(head.slice(9, 12)),
        hasRetryAfter: head.includes('\r\nretry-after:'),
        isLast: head.includes('\r\nconnection: close'),
        body,
      };
    },
  };
}

function endOfBody(text: string, head: string, start: number): number | undefined {
  const at = head.indexOf('\r\ncontent-length:');
  if (at !== -1) {
    const end = start + Number.parseInt(head.slice(at + 17), 10);
    return text.length < end ? undefined : end;
  }
  if (!head.includes('\r\ntransfer-encoding: chunked')) return start;
  const last = text.indexOf('0\r\n\r\n', start);
  return last === -1 ? undefined : last + 5;
}
