import { once } from 'node:events';
import { describe, expect, it, onTestFinished } from 'vitest';

import { startGateway } from '../../support/gateway.ts';
import { connectTo } from '../support/raw-client.ts';

const SHORT = { HEADERS_TIMEOUT_MS: '100', RECEIVE_TIMEOUT_MS: '200' };
const HEAD = 'POST /graphql HTTP/1.1\r\nHost: gateway\r\nContent-Type: application/json\r\n';

async function start(env: Readonly<Record<string, string>> = {}) {
  const gateway = await startGateway(env);
  onTestFinished(gateway.close);
  return gateway;
}

describe('a client that is too slow', () => {
  it.each([
    ['with the head', 'POST /graphql HTTP/1.1\r\nHost: gat'],
    ['with a body of known length', `${HEAD}Content-Length: 100\r\n\r\n{"query": `],
    ['with a body in chunks', `${HEAD}Transfer-Encoding: chunked\r\n\r\n5\r\n{"que\r\n`],
    ['to say anything', ''],
  ])('%s is answered 408 in JSON, and its connection is closed', async (_what, sent) => {
    const { url } = await start(SHORT);
    const client = await connectTo(url);

    client.write(sent);
    const answer = await client.closed;

    expect(answer).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\n/);
    expect(answer).toContain('connection: close');
    expect(JSON.parse(answer.split('\r\n\r\n')[1] ?? '')).toMatchObject({
      errors: [{ extensions: { code: 'REQUEST_TIMEOUT', retryable: true } }],
    });
  });

  it('is closed however often it sends a little more', async () => {
    const { url } = await start(SHORT);
    const client = await connectTo(url);
    client.write('GET /livez HTTP/1.1\r\n');
    const timer = setInterval(() => client.write('x: y\r\n'), 20);
    onTestFinished(() => clearInterval(timer));

    expect(await client.closed).toMatch(/^HTTP\/1\.1 408 /);
  });

  it('costs nobody else an answer', async () => {
    const { url, ask } = await start({ HEADERS_TIMEOUT_MS: '2000' });
    const slow = await Promise.all(Array.from({ length: 50 }, () => connectTo(url)));
    for (const client of slow) client.write('GET /');

    expect((await ask('{ __typename }')).data).toEqual({ __typename: 'Query' });
    await Promise.all(slow.map(({ closed }) => closed));
  });
});

describe('a request that cannot be read', () => {
  it.each([
    ['no HTTP at all', 400, 'hello\r\n\r\n'],
    ['two lengths', 400, `${HEAD}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n{}`],
    ['a head that is too large', 431, `${HEAD}X: ${'x'.repeat(20_000)}\r\n\r\n`],
  ])('(%s) is answered %i in JSON', async (_what, status, sent) => {
    const { url } = await start();
    const client = await connectTo(url);

    client.write(sent);
    const answer = await client.closed;

    expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(answer).toContain('"code":"BAD_USER_INPUT"');
  });
});

describe('connections', () => {
  it('above MAX_CONNECTIONS are closed at once', async () => {
    const { url } = await start({ MAX_CONNECTIONS: '1', HEADERS_TIMEOUT_MS: '60000', RECEIVE_TIMEOUT_MS: '60000' });
    const first = await connectTo(url);

    const second = await connectTo(url);

    expect(await second.closed).toBe('');
    first.write('GET /livez HTTP/1.1\r\nHost: gateway\r\n\r\n');
    await first.received(/200 OK/);
  });

  it('are closed after MAX_REQUESTS_PER_CONNECTION answers, and the last one says so', async () => {
    const { url } = await start({ MAX_REQUESTS_PER_CONNECTION: '2' });
    const client = await connectTo(url);
    const get = 'GET /livez HTTP/1.1\r\nHost: gateway\r\n\r\n';

    client.write(get);
    const first = await client.received(/"ok"/);
    client.write(get);
    const both = await client.closed;

    expect(first.toLowerCase()).toContain('connection: keep-alive');
    expect(both.slice(first.length).toLowerCase()).toContain('connection: close');
  });

  it('that stay idle for KEEP_ALIVE_TIMEOUT_MS are closed', async () => {
    const { url } = await start({ KEEP_ALIVE_TIMEOUT_MS: '50' });
    const client = await connectTo(url);
    client.write('GET /livez HTTP/1.1\r\nHost: gateway\r\n\r\n');
    await client.received(/"ok"/);

    await client.closed;
    client.socket.destroy();
    await once(client.socket, 'close');
  });
});
