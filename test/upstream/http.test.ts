import type { Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { describe, expect, it, vi } from 'vitest';

import { AbortReason } from '../../src/core/abort.ts';
import { UpstreamError } from '../../src/core/errors.ts';
import { startServer, valuesOf } from './support/http-server.ts';
import { failureOf, openHttp, WRITE } from './support/open.ts';
import { answerWith, closedUrl, startRawServer } from './support/raw-server.ts';

/** Long enough for a busy machine to send a request before it is over. */
const TIMEOUT_MS = 1_000;
const HEAD = 'HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n';
const KINDS = [
  { kind: 'read', request: {}, lost: 'unavailable', late: 'timeout', unreadable: 'malformed' },
  { kind: 'write', request: WRITE, lost: 'outcome-unknown', late: 'outcome-unknown', unreadable: 'outcome-unknown' },
];
const many = <T>(count: number, make: () => T): T[] => Array.from({ length: count }, make);

describe('the deadline of a request', () => {
  it.each([
    { does: 'sends nothing', first: '' },
    { does: 'stops in the middle of its headers', first: 'HTTP/1.1 200 OK\r\nX-' },
    { does: 'stops in the middle of its body', first: `${HEAD}{"a":` },
  ])('ends a read as timeout, and a write as unknown, when the upstream $does', async ({ first }) => {
    const { url, heads } = await startRawServer((socket) => socket.write(first));
    const send = openHttp(url);

    const requests = KINDS.map(({ request }) => failureOf(send({ ...request, timeoutMs: TIMEOUT_MS })));

    expect((await Promise.all(requests)).map(({ failure }) => failure)).toEqual(['timeout', 'outcome-unknown']);
    expect(heads).toHaveLength(2);
  });

  it('covers the whole response: a dripping body does not extend it', async () => {
    const { url } = await startRawServer((socket) => {
      socket.write(HEAD);
      const drip = setInterval(() => socket.write('x'), 20);
      socket.on('close', () => clearInterval(drip));
    });

    expect((await failureOf(openHttp(url)({ timeoutMs: TIMEOUT_MS }))).failure).toBe('timeout');
  });

  it('includes queueing: a write that waited too long for a connection is never sent', async () => {
    const { url, heads } = await startRawServer(() => undefined);
    const send = openHttp(url);
    const blocking = many(128, () => failureOf(send({ timeoutMs: 4 * TIMEOUT_MS })));

    const error = await failureOf(send({ ...WRITE, timeoutMs: TIMEOUT_MS }));
    await Promise.all(blocking);

    expect(error).toMatchObject({ failure: 'timeout', isUnsent: true });
    expect(heads.filter((head) => head.startsWith('POST'))).toEqual([]);
  });
});

describe('the last step before a request', () => {
  it('refuses it with nothing sent, and leaves the next one its place', async () => {
    const { url, received } = await startServer(() => ({ status: 200 }));
    const send = openHttp(url);
    const refusal = new UpstreamError('unrecorded', { operation: 'startCase', isUnsent: true });
    const attempts: number[] = [];
    const beforeSend = (attempt: number) => {
      attempts.push(attempt);
      if (attempt === 1) throw refusal;
    };

    const refused = await failureOf(send({ ...WRITE, beforeSend }));
    await send({ ...WRITE, beforeSend, resends: 1 });

    expect(refused).toBe(refusal);
    expect(attempts).toEqual([1, 2]);
    expect(received).toHaveLength(1);
  });

  it('is not taken where the request has ended before', async () => {
    const send = openHttp(await closedUrl());
    const beforeSend = vi.fn();

    expect(await failureOf(send({ ...WRITE, beforeSend }))).toMatchObject({ failure: 'unavailable', isUnsent: true });
    expect(beforeSend).not.toHaveBeenCalled();
  });
});

describe('the signal of a request', () => {
  it('prevents sending when it has aborted before', async () => {
    const { url, received } = await startServer(() => ({ status: 200 }));

    const error = await failureOf(openHttp(url)({ ...WRITE, signal: AbortSignal.abort('gone') }));

    expect(error).toMatchObject({ failure: 'cancelled', cause: 'gone' });
    expect(received).toEqual([]);
  });

  it('ends a read in progress, and frees its connection', async () => {
    const leaver = new AbortController();
    const { url, sockets } = await startRawServer(() => leaver.abort());

    const error = await failureOf(openHttp(url)({ signal: leaver.signal }));

    expect(error.failure).toBe('cancelled');
    await expect.poll(() => sockets.size).toBe(0);
  });

  it('lets a write in progress finish', async () => {
    const leaver = new AbortController();
    const { url } = await startRawServer((socket) => {
      leaver.abort();
      answerWith(socket, '{}');
    });

    expect((await openHttp(url)({ ...WRITE, signal: leaver.signal })).status).toBe(200);
  });

  it('ends even a write in progress when the gateway stops', async () => {
    const stopping = new AbortController();
    const { url } = await startRawServer(() => stopping.abort(new AbortReason('stopped')));

    const error = await failureOf(openHttp(url)({ ...WRITE, signal: stopping.signal }));

    expect(error.failure).toBe('outcome-unknown');
  });
});

const LOSSES: readonly (readonly [string, (socket: Socket) => unknown])[] = [
  ['resets the connection before its answer', (socket) => socket.resetAndDestroy()],
  ['closes the connection before its answer', (socket) => socket.end()],
  ['resets it in the middle of its body', (socket) => socket.write(`${HEAD}{"a"`, () => socket.resetAndDestroy())],
  ['closes it in the middle of its body', (socket) => socket.end(`${HEAD}{"a"`)],
  ['closes it in a chunk', (socket) => socket.end('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{"')],
];

describe.each(KINDS)('a $kind whose response', ({ request, lost, unreadable }) => {
  it.each(LOSSES)(`is lost, since the upstream %s, is ${lost} and sent once`, async (_how, lose) => {
    const { url, heads } = await startRawServer(lose);

    expect((await failureOf(openHttp(url)(request))).failure).toBe(lost);
    expect(heads).toHaveLength(1);
  });

  it.each([
    ['is another protocol', 'SSH-2.0-OpenSSH_9.2\r\n'],
    ['has headers without bounds', `HTTP/1.1 200 OK\r\nX-Long: ${'x'.repeat(200_000)}\r\n\r\n`],
    ['has two lengths', 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}'],
    ['begins with 100, unasked', 'HTTP/1.1 100 Continue\r\n\r\n'],
  ])(`%s is ${unreadable}`, async (_what, bytes) => {
    const { url } = await startRawServer((socket) => socket.write(bytes));

    expect((await failureOf(openHttp(url)(request))).failure).toBe(unreadable);
  });
});

describe('a failed connection attempt', () => {
  it.each(KINDS)('is unavailable, with nothing of a $kind sent, and names its cause', async ({ request }) => {
    const error = await failureOf(openHttp(await closedUrl())(request));

    expect(error).toMatchObject({ failure: 'unavailable', isUnsent: true, causeCode: 'ECONNREFUSED' });
  });

  it('names an unknown host', async () => {
    const error = await failureOf(openHttp('http://no-such-host.invalid')());

    expect(error).toMatchObject({ failure: 'unavailable', causeCode: expect.stringMatching(/^E/) });
  });
});

describe('a connection', () => {
  it('is reused, also after error responses whose bodies are not read', async () => {
    const { url, received } = await startServer(() => ({ status: 500, body: 'x'.repeat(100_000) }));
    const send = openHttp(url);

    const answers = await Promise.all(many(300, send));

    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([500]));
    expect(received).toHaveLength(300);
  });

  it('carries no bytes of one response into the next', async () => {
    const { url } = await startRawServer((socket, count) => {
      answerWith(socket, `{"answer":${count}}`);
      if (count === 1) answerWith(socket, '{"answer":"smuggled"}');
    });
    const send = openHttp(url);

    const first = await send();
    const second = await send().then(
      ({ text }) => text,
      () => 'refused',
    );

    expect(first.text).toBe('{"answer":1}');
    expect(second).not.toContain('smuggled');
  });
});

describe('pending requests', () => {
  it('are bounded: the next one is rejected as overloaded without being sent', async () => {
    const { url } = await startRawServer(() => undefined);
    const send = openHttp(url);
    const waiting = many(2_048, () => failureOf(send({ timeoutMs: TIMEOUT_MS })));

    const refused = await failureOf(send());
    await Promise.all(waiting);

    expect(refused).toMatchObject({ failure: 'overloaded', isUnsent: true });
    expect((await failureOf(send({ timeoutMs: 50 }))).failure).toBe('timeout');
  });
});

describe('a response', () => {
  it.each([301, 302, 307, 308])('with %i is not followed', async (status) => {
    const elsewhere = await startServer(() => ({ status: 200, body: {} }));
    const here = await startServer(() => ({ status, headers: { location: `${elsewhere.url}/v1.0/forms/a` } }));

    expect((await openHttp(here.url)(WRITE)).status).toBe(status);
    expect(elsewhere.received).toHaveLength(0);
  });

  it('is requested without a content coding, and malformed with one', async () => {
    const headers = { 'content-encoding': 'gzip' };
    const { url, received } = await startServer(() => ({ status: 200, headers, body: gzipSync('{}') }));

    expect((await failureOf(openHttp(url)())).failure).toBe('malformed');
    expect(received.flatMap((request) => valuesOf(request, 'accept-encoding'))).toEqual(['identity']);
  });

  it('without an end is aborted at 10 MB, and its connection closed', async () => {
    const { url, sockets } = await startRawServer((socket) => {
      const pour = () => {
        while (!socket.destroyed && socket.write(`10000\r\n${'x'.repeat(65_536)}\r\n`));
      };
      socket.on('drain', pour);
      socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n');
      pour();
    });

    expect(await failureOf(openHttp(url)())).toMatchObject({ failure: 'malformed', isFinal: true });
    await expect.poll(() => sockets.size).toBe(0);
  });

  it.each([
    ['UTF-8 with a byte order mark', Buffer.from('\u{feff}"é"'), 'application/json', '"é"'],
    ['the charset that it names', Buffer.from('"é"', 'latin1'), 'application/json; charset=ISO-8859-1', '"é"'],
    ['UTF-16', Buffer.from('"é"', 'utf16le'), 'application/json;charset="utf-16"', '"é"'],
  ])('is decoded as %s', async (_what, body, type, text) => {
    const { url } = await startServer(() => ({ status: 200, headers: { 'content-type': type }, body }));

    expect((await openHttp(url)()).text).toBe(text);
  });

  it.each([
    ['malformed UTF-8', Buffer.from([0x22, 0xff, 0x22]), 'application/json'],
    ['a charset that nobody knows', Buffer.from('""'), 'application/json; charset=utf-7'],
  ])('is malformed in %s, but decoded loosely for an error', async (_what, body, type) => {
    let status = 200;
    const { url } = await startServer(() => ({ status, headers: { 'content-type': type }, body }));
    const send = openHttp(url);

    const failed = await failureOf(send());
    status = 500;

    expect(failed.failure).toBe('malformed');
    expect((await send()).status).toBe(500);
  });
});

describe('the base URL', () => {
  it.each(['', '/', '/api', '/api/'])('with the path %j prefixes every request', async (path) => {
    const { url, received } = await startServer(() => ({ status: 200 }));

    await openHttp(url + path)();

    expect(received.map(({ target }) => target)).toEqual([`${path.replace(/\/$/, '')}/v1.0/forms/a`]);
  });
});
