import { describe, expect, it } from 'vitest';

import { createAnswerReader } from '../../bench/load/answer-reader.ts';

const REFUSAL =
  'HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\nConnection: close\r\nContent-Length: 2\r\n\r\n{}';
const CHUNKED = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n';

describe('the answer reader of the load', () => {
  it('reads an answer that comes in pieces, and the next one after it', () => {
    const reader = createAnswerReader();

    const early = [...REFUSAL].slice(0, -1).map((byte) => reader.read(Buffer.from(byte)));
    const whole = reader.read(Buffer.from('}'));
    const next = reader.read(Buffer.from(CHUNKED));

    expect(early.filter((answer) => answer !== undefined)).toEqual([]);
    expect(whole).toEqual({ status: 503, hasRetryAfter: true, isLast: true, body: '{}' });
    expect(next).toMatchObject({ status: 200, hasRetryAfter: false, isLast: false });
  });

  it('reads one refusal after the other, also where the bytes are put where others were', () => {
    const reader = createAnswerReader();
    const read = (text: string) => {
      const bytes = Buffer.from(text);
      const answer = reader.read(bytes);
      bytes.fill(0);
      return answer;
    };
    const other = REFUSAL.replace('{}', '[]');

    const bodies = [REFUSAL, REFUSAL, other, REFUSAL].map((text) => read(text)?.body);

    expect(bodies).toEqual(['{}', '{}', '[]', '{}']);
  });
});
