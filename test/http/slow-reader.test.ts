import { once } from 'node:events';
import { createServer } from 'node:http';
import { describe, expect, it, onTestFinished } from 'vitest';

import { startGateway } from '../support/gateway.ts';
import { listen } from '../support/listen.ts';
import { connectTo, requestFor } from './support/raw-client.ts';

const LONG = 'x'.repeat(200_000);
/** Some 15 MB, from an answer of the platform that is far smaller. */
const MUCH = `{ rule(component: "a", version: "1") { ${Array.from({ length: 75 }, (_, n) => `a${n}: name`).join(' ')} } }`;

/** A gateway with room for one request, before a platform whose rules have long names. */
async function start() {
  const server = createServer((request, response) => {
    request.resume();
    const body = request.url?.endsWith('/token') ? { access_token: 'token' } : { name: LONG, parameters: [] };
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  const gateway = await startGateway({
    UPSTREAM_URL: await listen(server),
    UPSTREAM_USERNAME: 'demo',
    UPSTREAM_PASSWORD: 'demo',
    MAX_CONCURRENT_REQUESTS: '1',
  });
  onTestFinished(gateway.close);
  return gateway;
}

/** A client that reads no more than the head of its answer. */
async function readHead(url: string) {
  const client = await connectTo(url);
  client.write(requestFor(MUCH).replace('\r\n', '\r\nConnection: close\r\n'));
  await client.received(/^HTTP\/1\.1 200/);
  client.socket.pause();
  const readRest = () => {
    client.socket.resume();
    return client.closed;
  };
  return { socket: client.socket, readRest };
}

const isWhole = (text: string) => text.trimEnd().endsWith('"}}}');

describe('a response that its client does not read', () => {
  it('does not count as in flight, and is complete when finally read', async () => {
    const { url, execute } = await start();

    const { readRest } = await readHead(url);
    const other = await execute('{ __typename }');
    const text = await readRest();

    expect(other.status).toBe(200);
    expect(isWhole(text)).toBe(true);
    expect(text.length).toBeGreaterThan(15_000_000);
  });

  it('is dropped with its connection when the unread total is too large, whoever has taken least first', async () => {
    const { url } = await start();
    const slow = await readHead(url);
    slow.socket.resume();
    while (slow.socket.bytesRead < 10_000_000) await once(slow.socket, 'data');
    slow.socket.pause();
    const others = [];
    for (let count = 0; count < 8; count++) others.push(await readHead(url));

    const own = await slow.readRest();
    const texts = await Promise.all(others.map(({ readRest }) => readRest()));

    expect(isWhole(own)).toBe(true);
    expect(texts.map(isWhole)).toContain(false);
    expect(isWhole(texts.at(-1) ?? '')).toBe(true);
  });
});
