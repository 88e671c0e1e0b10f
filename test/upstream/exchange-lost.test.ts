import type { Socket } from 'node:net';
import { describe, expect, it } from 'vitest';

import { startServer } from './support/http-server.ts';
import { failureOf, openExchange, READ, WRITE } from './support/open.ts';
import { closedUrl, startRawServer } from './support/raw-server.ts';

const HEAD = 'HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n';

const LOSSES: readonly (readonly [string, (socket: Socket) => unknown])[] = [
  ['resets the connection before its answer', (socket) => socket.resetAndDestroy()],
  ['closes the connection before its answer', (socket) => socket.end()],
  [
    'resets the connection in the middle of its body',
    (socket) => socket.write(`${HEAD}{"a"`, () => socket.resetAndDestroy()),
  ],
  ['closes the connection in the middle of its body', (socket) => socket.end(`${HEAD}{"a"`)],
  [
    'closes the connection in the middle of its chunks',
    (socket) => socket.end('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{"a":\r\n'),
  ],
];

describe('an answer that is lost', () => {
  it.each(LOSSES)('makes a read unavailable when the upstream %s', async (_how, lose) => {
    const { url, heads } = await startRawServer(lose);

    const error = await failureOf(openExchange(url)(READ));

    expect(error.failure).toBe('unavailable');
    expect(heads).toHaveLength(1);
  });

  it.each(LOSSES)(
    'leaves the outcome of a write unknown when the upstream %s, and never repeats it',
    async (_how, lose) => {
      const { url, heads } = await startRawServer(lose);

      const error = await failureOf(openExchange(url)(WRITE));

      expect(error).toMatchObject({ failure: 'outcome-unknown', operation: 'startCase', status: undefined });
      expect(heads).toHaveLength(1);
    },
  );

  it.each([
    ['read', READ],
    ['write', WRITE],
  ])('is none when the connection is refused: nothing of the %s was sent', async (_kind, exchange) => {
    const error = await failureOf(openExchange(await closedUrl())(exchange));

    expect(error.failure).toBe('unavailable');
  });
});

describe('a redirect', () => {
  it.each([301, 302, 307, 308])('by %i is not followed: its answer is all there is', async (status) => {
    const elsewhere = await startServer(() => ({ status: 200, body: {} }));
    const here = await startServer(() => ({ status, headers: { location: `${elsewhere.url}/v1.0/forms/a` } }));

    const answers = await Promise.all([READ, WRITE].map(openExchange(here.url)));

    expect(answers.map((answer) => answer.status)).toEqual([status, status]);
    expect(here.received).toHaveLength(2);
    expect(elsewhere.received).toHaveLength(0);
  });
});
