import { describe, expect, it, vi } from 'vitest';

import { UpstreamError } from '../../src/core/errors.ts';
import { startServer } from './support/http-server.ts';
import { failureOf, openHttp, WRITE } from './support/open.ts';
import { answerWith, closedUrl, startRawServer } from './support/raw-server.ts';

/** Long enough for a busy machine to send a request before it is over. */
const TIMEOUT_MS = 1_000;
const many = <T>(count: number, make: () => T): T[] => Array.from({ length: count }, make);

describe('the deadline of a request', () => {
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
    await send({ ...WRITE, beforeSend, sent: 2 });

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

  it('lets a write in progress finish', async () => {
    const leaver = new AbortController();
    const { url } = await startRawServer((socket) => {
      leaver.abort();
      answerWith(socket, '{}');
    });

    expect((await openHttp(url)({ ...WRITE, signal: leaver.signal })).status).toBe(200);
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
  it.each([
    ['UTF-8 with a byte order mark', Buffer.from('\u{feff}"é"'), 'application/json', '"é"'],
    ['the charset that it names', Buffer.from('"é"', 'latin1'), 'application/json; charset=ISO-8859-1', '"é"'],
    ['UTF-16', Buffer.from('"é"', 'utf16le'), 'application/json;charset="utf-16"', '"é"'],
  ])('is decoded as %s', async (_what, body, type, text) => {
    const { url } = await startServer(() => ({ status: 200, headers: { 'content-type': type }, body }));

    expect((await openHttp(url)()).text).toBe(text);
  });
});

describe('the base URL', () => {
  it.each(['', '/', '/api', '/api/'])('with the path %j prefixes every request', async (path) => {
    const { url, received } = await startServer(() => ({ status: 200 }));

    await openHttp(url + path)();

    expect(received.map(({ target }) => target)).toEqual([`${path.replace(/\/$/, '')}/v1.0/forms/a`]);
  });
});
