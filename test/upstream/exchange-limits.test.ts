import { describe, expect, it } from 'vitest';

import { startServer } from './support/http-server.ts';
import { failureOf, openExchange, READ, WRITE } from './support/open.ts';
import { answerWith, startRawServer } from './support/raw-server.ts';

describe('the bound of pending calls', () => {
  it('refuses a call as overloaded with nothing sent', async () => {
    const { url, heads } = await startRawServer((socket) => setTimeout(() => answerWith(socket, '{}'), 100));
    const exchange = openExchange(url, { maxPending: 2 });

    const outcomes = await Promise.allSettled([exchange(READ), exchange(READ), exchange(READ), exchange(WRITE)]);

    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'rejected']);
    expect(outcomes.slice(2)).toMatchObject([
      { reason: { failure: 'overloaded' } },
      { reason: { failure: 'overloaded' } },
    ]);
    expect(heads).toHaveLength(2);
  });

  it('has room again once calls have ended, however they ended', async () => {
    const { url } = await startRawServer((socket, count) => {
      if (count === 1) socket.resetAndDestroy();
      else answerWith(socket, '{}');
    });
    const exchange = openExchange(url, { maxPending: 1 });

    await failureOf(exchange(READ));
    await exchange(READ);

    expect((await exchange(READ)).status).toBe(200);
  });
});

describe('the signal of a call', () => {
  it('keeps a call from being sent when it has aborted before', async () => {
    const { url, received } = await startServer(() => ({ status: 200 }));

    const error = await failureOf(openExchange(url)({ ...WRITE, signal: AbortSignal.abort('gone') }));

    expect(error).toMatchObject({ failure: 'cancelled', cause: 'gone' });
    expect(received).toEqual([]);
  });

  it.each([
    { kind: 'read', exchange: READ, failure: 'cancelled' },
    { kind: 'write', exchange: WRITE, failure: 'outcome-unknown' },
  ])('ends a $kind under way as $failure', async ({ exchange, failure }) => {
    const controller = new AbortController();
    const { url } = await startRawServer(() => controller.abort());

    const error = await failureOf(openExchange(url)({ ...exchange, signal: controller.signal }));

    expect(error.failure).toBe(failure);
  });

  it('frees the connection: the next call has one', async () => {
    const controller = new AbortController();
    const { url, heads } = await startRawServer((socket, count) => {
      if (count === 1) controller.abort();
      else answerWith(socket, '{}');
    });
    const exchange = openExchange(url, { connections: 1 });

    await failureOf(exchange({ ...READ, signal: controller.signal }));
    const next = await exchange(READ);

    expect(next.status).toBe(200);
    expect(heads).toHaveLength(2);
  });
});

describe('a connection', () => {
  it('is kept for the next call, also after errors whose bodies nobody needs', async () => {
    const { url, received } = await startServer(() => ({ status: 500, body: 'x'.repeat(100_000) }));
    const exchange = openExchange(url, { connections: 2 });

    const answers = await Promise.all(Array.from({ length: 50 }, () => exchange(READ)));

    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([500]));
    expect(received).toHaveLength(50);
  });

  it('carries no bytes of one answer into the next', async () => {
    const { url } = await startRawServer((socket, count) => {
      answerWith(socket, `{"answer":${count}}`);
      if (count === 1) answerWith(socket, '{"answer":"smuggled"}');
    });
    const exchange = openExchange(url, { connections: 1 });

    const first = await exchange(READ);
    const second = await exchange(READ).then(
      ({ text }) => text,
      () => 'refused',
    );

    expect(first.text).toBe('{"answer":1}');
    expect(second).not.toContain('smuggled');
  });
});

describe('the base address', () => {
  it.each(['', '/', '/api', '/api/'])('with the path %j stands before every call', async (path) => {
    const { url, received } = await startServer(() => ({ status: 200 }));

    await openExchange(url + path)(READ);

    expect(received.map(({ target }) => target)).toEqual([`${path.replace(/\/$/, '')}/v1.0/forms/a`]);
  });
});
