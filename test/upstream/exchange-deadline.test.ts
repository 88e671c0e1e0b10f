import { describe, expect, it } from 'vitest';

import { failureOf, openExchange, READ, WRITE } from './support/open.ts';
import { answerWith, startRawServer } from './support/raw-server.ts';

/** Long enough for a busy machine to send what is asked before it is over. */
const TIMEOUT_MS = 1_000;
const HEAD = 'HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n';

describe('the deadline of a call', () => {
  it.each([
    { upstream: 'accepts and says nothing', first: '' },
    { upstream: 'stops in the middle of its headers', first: 'HTTP/1.1 200 OK\r\nX-' },
    { upstream: 'stops after its headers', first: HEAD },
    { upstream: 'stops in the middle of its body', first: `${HEAD}{"a":` },
  ])('ends a read as timeout when the upstream $upstream', async ({ first }) => {
    const { url, heads } = await startRawServer((socket) => socket.write(first));

    const error = await failureOf(openExchange(url, { timeoutMs: TIMEOUT_MS })(READ));

    expect(error).toMatchObject({ failure: 'timeout', operation: 'getForm', status: undefined });
    expect(heads).toHaveLength(1);
  });

  it('is total: a body that drips byte by byte does not prolong it', async () => {
    const { url } = await startRawServer((socket) => {
      socket.write(HEAD);
      const drip = setInterval(() => socket.write('x'), 20);
      socket.on('close', () => clearInterval(drip));
    });

    const error = await failureOf(openExchange(url, { timeoutMs: TIMEOUT_MS })(READ));

    expect(error.failure).toBe('timeout');
  });

  it('leaves the outcome of a write unknown once it was sent', async () => {
    const { url, heads } = await startRawServer(() => undefined);

    const error = await failureOf(openExchange(url, { timeoutMs: TIMEOUT_MS })(WRITE));

    expect(error.failure).toBe('outcome-unknown');
    expect(heads).toHaveLength(1);
  });

  it('passes in the queue: a call that waited too long for a connection is never sent', async () => {
    const { url, heads } = await startRawServer((socket, count) => {
      if (count > 1) answerWith(socket, '{}');
    });
    const slow = openExchange(url, { timeoutMs: TIMEOUT_MS, connections: 1 });

    const waiting = { ...WRITE, timeoutMs: TIMEOUT_MS / 4 };
    // Whoever waits gives up before the one who is asked for does, however late both are.
    const errors = await Promise.all([slow(READ), slow(waiting), slow(waiting)].map(failureOf));
    const later = await slow({ ...READ, path: '/later' });

    // The queued writes never left, so that their outcome is known.
    expect(errors.map(({ failure }) => failure)).toEqual(['timeout', 'timeout', 'timeout']);
    expect(later.status).toBe(200);
    expect(heads.map((head) => head.split(' ').slice(0, 2).join(' '))).toEqual(['GET /v1.0/forms/a', 'GET /later']);
  });

  it('does not end a call that answers in time', async () => {
    const { url } = await startRawServer((socket) => {
      setTimeout(() => answerWith(socket, '{"a":1}'), 50);
    });

    expect(await openExchange(url, { timeoutMs: 5_000 })(READ)).toMatchObject({ status: 200, text: '{"a":1}' });
  });
});
