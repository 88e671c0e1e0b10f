/** A whole HTTP answer, as far as a load cares. */
export interface Answer {
  readonly status: number;
  readonly hasRetryAfter: boolean;
  /** Whether the server closes the connection after it. */
  readonly isLast: boolean;
  readonly body: string;
}

/** Reads answers off a connection, one after the other, for as little work as can be. */
export interface AnswerReader {
  /** Takes bytes, which may be written over afterwards; gives the answer when it is whole. */
  read(bytes: Buffer): Answer | undefined;
}

export function createAnswerReader(): AnswerReader {
  let text = '';
  // Refusals are all the same, byte for byte, and most of what comes under overload.
  let refusal: { readonly bytes: Buffer; readonly answer: Answer } | undefined;

  return {
    read(bytes) {
      const isFirst = text === '';
      if (isFirst && refusal?.bytes.equals(bytes)) return refusal.answer;
      text += bytes.toString('latin1');
      const read = firstAnswer(text);
      if (read === undefined) return undefined;
      const { answer, length } = read;
      if (isFirst && answer.status === 503 && length === bytes.length) refusal = { bytes: Buffer.from(bytes), answer };
      text = text.slice(length);
      return answer;
    },
  };
}

/** Gives the answer at the start of a text, and how long it is. */
function firstAnswer(text: string): { readonly answer: Answer; readonly length: number } | undefined {
  const headEnd = text.indexOf('\r\n\r\n');
  if (headEnd === -1) return undefined;
  const head = text.slice(0, headEnd).toLowerCase();
  const end = endOfBody(text, head, headEnd + 4);
  if (end === undefined) return undefined;
  const answer = {
    status: Number(head.slice(9, 12)),
    hasRetryAfter: head.includes('\r\nretry-after:'),
    isLast: head.includes('\r\nconnection: close'),
    body: text.slice(headEnd + 4, end),
  };
  return { answer, length: end };
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
