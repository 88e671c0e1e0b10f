import { describe, expect, it, vi } from 'vitest';

import { UpstreamError } from '../../src/core/errors.ts';
import { failureOf, openHttp, startServer, WRITE } from './support/open.ts';
import { answerWith, closedUrl, startRawServer } from './support/raw-server.ts';

/** The calls of one caller that are sent at the same time, and its waiting calls. */
const SENT = 128;
const WAITING = 1_920;

/** Starts calls to a platform that never answers. `end` cancels them. */
async function startUnanswered(count: number) {
  const { url, heads } = await startRawServer(() => undefined);
  const send = openHttp(url);
  const leaver = new AbortController();
  const calls = Array.from({ length: count }, () => failureOf(send({ signal: leaver.signal })));
  const end = async () => {
    leaver.abort();
    await Promise.all(calls);
  };
  return { send, heads, end };
}

describe('the deadline of a request', () => {
  it('includes queueing: a write that waited too long for a connection is never sent', async () => {
    const { send, heads, end } = await startUnanswered(SENT);

    const error = await failureOf(send({ ...WRITE, timeoutMs: 300 }));
    await end();

    expect(error).toMatchObject({ failure: 'timeout', isUnsent: true });
    expect(heads.filter((head) => head.startsWith('POST'))).toEqual([]);
  });
});

describe('pending requests', () => {
  it('are bounded: the next one is rejected as overloaded without being sent', async () => {
    const { send, end } = await startUnanswered(SENT + WAITING);

    const refused = await failureOf(send());
    await end();

    expect(refused).toMatchObject({ failure: 'overloaded', isUnsent: true });
    expect((await failureOf(send({ timeoutMs: 50 }))).failure).toBe('timeout');
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

    expect(await failureOf(send({ ...WRITE, beforeSend }))).toMatchObject({
      failure: 'unavailable',
      isUnsent: true,
    });
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

describe('the base URL', () => {
  it.each(['/', '/api', '/api/'])('with the path %j prefixes every request', async (path) => {
    const { url, received } = await startServer(() => ({ status: 200 }));

    await openHttp(url + path)();

    expect(received.map(({ target }) => target)).toEqual([
      `${path.replace(/\/$/, '')}/v1.0/forms/a`,
    ]);
  });
});
