import { describe, expect, it } from 'vitest';

import { wholeRequest } from '../../../src/edge/server/whole-request.ts';

const HEAD = 'POST /graphql HTTP/1.1\r\nhost: gateway\r\ncontent-length: 2\r\n';

const read = (text: string) => wholeRequest(Buffer.from(text, 'latin1'));

describe('a whole request', () => {
  it('is one POST from its first byte to its last', () => {
    const request = read(`${HEAD}\r\n{}`);

    expect(request?.head.text).toBe(`${HEAD}\r\n`);
    expect(request?.body.toString()).toBe('{}');
  });

  it('has the head of the one before it where it says the same', () => {
    const first = read(`${HEAD}\r\n{}`);

    const second = wholeRequest(Buffer.from(`${HEAD}\r\n[]`), first?.head);

    expect(second?.head).toBe(first?.head);
    expect(second?.body.toString()).toBe('[]');
  });

  it.each([
    ['another header', `${HEAD}x-a: b\r\n\r\n{}`, `${HEAD}x-a: b\r\n\r\n`],
    ['another length', `${HEAD.replace('2', '3')}\r\n{ }`, `${HEAD.replace('2', '3')}\r\n`],
  ])('has a head of its own with %s', (_what, text, head) => {
    expect(wholeRequest(Buffer.from(text), read(`${HEAD}\r\n{}`)?.head)?.head.text).toBe(head);
  });

  it.each([
    ['a part of a body', `${HEAD}\r\n{`],
    ['more than its body', `${HEAD}\r\n{}{`],
    ['two lengths', `${HEAD}content-length: 2\r\n\r\n{}`],
  ])('is not one that follows its like with %s', (_what, text) => {
    expect(wholeRequest(Buffer.from(text), read(`${HEAD}\r\n{}`)?.head)).toBeUndefined();
  });

  it.each(['connection: keep-alive\r\n', 'Connection:keep-alive\r\n', 'x-forwarded-for: 10.0.0.1\r\n'])(
    'may have the header %j',
    (line) => expect(read(`${HEAD}${line}\r\n{}`)).toBeDefined(),
  );

  it.each([
    ['a part of a head', HEAD],
    ['a part of a body', `${HEAD}\r\n{`],
    ['two requests', `${HEAD}\r\n{}${HEAD}\r\n{}`],
    ['a GET', 'GET /graphql HTTP/1.1\r\ncontent-length: 0\r\n\r\n'],
    ['HTTP/1.0', 'POST /graphql HTTP/1.0\r\ncontent-length: 0\r\n\r\n'],
    ['one without a length', 'POST /graphql HTTP/1.1\r\nhost: gateway\r\n\r\n'],
    ['one with two lengths', `${HEAD}Content-Length: 2\r\n\r\n{}`],
    ['one with a length that is no number', 'POST / HTTP/1.1\r\ncontent-length: 2, 2\r\n\r\n{}'],
    ['one in chunks', `${HEAD}Transfer-Encoding: chunked\r\n\r\n{}`],
    ['one that closes its connection', `${HEAD}connection: close\r\n\r\n{}`],
    ['one that waits to be told to go on', `${HEAD}expect: 100-continue\r\n\r\n{}`],
    ['one with a header that goes on', `${HEAD}x-a: b\r\n c: d\r\n\r\n{}`],
    ['one with a line that ends in LF alone', `${HEAD}x-a: b\nc: d\r\n\r\n{}`],
    ['one with a CR within a line', `${HEAD}x-a: b\rc\r\n\r\n{}`],
  ])('is not %s', (_what, text) => {
    expect(read(text)).toBeUndefined();
  });
});
