import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';

import { startServer, valuesOf } from './support/http-server.ts';
import { failureOf, openExchange, READ, WRITE } from './support/open.ts';
import { answerWith, startRawServer } from './support/raw-server.ts';

const exchangeWith = async (body: string | Buffer, ...headers: string[]) => {
  const { url } = await startRawServer((socket) => answerWith(socket, body, ...headers));
  return openExchange(url, { maxResponseBytes: 1_000 });
};

describe('the body of an answer', () => {
  it.each([
    { size: 1_000, outcome: 'taken' },
    { size: 1_001, outcome: 'malformed' },
  ])('of $size bytes is $outcome where 1,000 may come', async ({ size, outcome }) => {
    const exchange = await exchangeWith('x'.repeat(size));

    const got = await exchange(READ).then(
      ({ text }) => (text.length === size ? 'taken' : 'cut'),
      ({ failure }) => failure,
    );

    expect(got).toBe(outcome);
  });

  it('without an end is given up at the largest size', async () => {
    const { url, sockets } = await startRawServer((socket) => {
      socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n');
      const pour = setInterval(() => socket.write(`400\r\n${'x'.repeat(1_024)}\r\n`), 1);
      socket.on('close', () => clearInterval(pour));
    });

    const error = await failureOf(openExchange(url, { maxResponseBytes: 10_000 })(READ));

    expect(error.failure).toBe('malformed');
    await expect.poll(() => sockets.size).toBe(0);
  });

  it('is asked for without a content coding', async () => {
    const { url, received } = await startServer(() => ({ status: 200, body: {} }));

    await openExchange(url)(READ);

    expect(received.flatMap((request) => valuesOf(request, 'accept-encoding'))).toEqual(['identity']);
  });

  it('is malformed with a content coding all the same', async () => {
    const exchange = await exchangeWith(gzipSync('{}'), 'Content-Encoding: gzip');

    expect((await failureOf(exchange(READ))).failure).toBe('malformed');
  });

  it('of a write leaves its outcome unknown where it cannot be read to its end', async () => {
    const exchange = await exchangeWith('x'.repeat(2_000));

    expect((await failureOf(exchange(WRITE))).failure).toBe('outcome-unknown');
  });

  it('that is no UTF-8 is malformed', async () => {
    const exchange = await exchangeWith(Buffer.from([0x22, 0xff, 0xfe, 0x22]));

    expect((await failureOf(exchange(READ))).failure).toBe('malformed');
  });

  it('loses its byte order mark', async () => {
    const exchange = await exchangeWith('\u{feff}{"a":1}');

    expect((await exchange(READ)).text).toBe('{"a":1}');
  });

  it('keeps a character whose bytes come apart', async () => {
    const bytes = Buffer.from('{"a":"€"}');
    const { url } = await startRawServer((socket) => {
      socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${bytes.length}\r\n\r\n`);
      socket.write(bytes.subarray(0, 7));
      setTimeout(() => socket.write(bytes.subarray(7)), 30);
    });

    expect((await openExchange(url)(READ)).text).toBe('{"a":"€"}');
  });

  it.each([
    ['is no HTTP', 'SSH-2.0-OpenSSH_9.2\r\n'],
    ['has headers without bounds', `HTTP/1.1 200 OK\r\nX-Long: ${'x'.repeat(200_000)}\r\n\r\n`],
    ['has two lengths', 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}'],
  ])('makes an answer malformed that %s', async (_what, bytes) => {
    const { url } = await startRawServer((socket) => socket.write(bytes));

    expect((await failureOf(openExchange(url, { timeoutMs: 2_000 })(READ))).failure).toBe('malformed');
  });
});

describe('the headers of an answer', () => {
  it('come with it: Date, Link, Location, Last-Modified, Retry-After', async () => {
    const headers = {
      date: 'Tue, 01 Jan 2030 00:00:00 GMT',
      link: '</next>; rel="next"',
      location: '/v1.0/forms/a/instances/7',
      'last-modified': 'Mon, 31 Dec 2029 23:59:00 GMT',
      'retry-after': '5',
    };
    const { url } = await startServer(() => ({ status: 200, headers, body: {} }));

    expect((await openExchange(url)(READ)).headers).toMatchObject(headers);
  });
});
