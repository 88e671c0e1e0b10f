import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Server } from 'node:http';
import { expect, it, onTestFinished } from 'vitest';

import { startGateway } from '../support/gateway.ts';
import { connectTo } from './support/raw-client.ts';

const HEAD = 'POST /graphql HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n';

/** A tenth of the gateway's timeouts. The server checks its connections every second. */
const HEAD_MS = 500;
const REQUEST_MS = 1_000;
/** The delay of the check, and what a busy machine may add. */
const DELAY_MS = 6_500;

/** Returns the server at an address. */
async function findServer(url: string): Promise<Server> {
  const { promise, resolve } = Promise.withResolvers<Server>();
  const note = (message: unknown) => resolve((message as { readonly server: Server }).server);
  subscribe('http.server.request.start', note);
  await fetch(`${url}/livez`);
  unsubscribe('http.server.request.start', note);
  return promise;
}

/** Requests of slow clients, and the timeout that ends them. */
const SLOW: readonly (readonly [sent: string, timeoutMs: number])[] = [
  ['POST /graphql HTTP/1.1\r\nHost: local', HEAD_MS],
  ['', HEAD_MS],
  [`${HEAD}Content-Length: 100\r\n\r\n{"query": `, REQUEST_MS],
  [`${HEAD}Transfer-Encoding: chunked\r\n\r\n5\r\n{"que\r\n`, REQUEST_MS],
];

it('clients that send head or body too slowly, or nothing, get 408 in JSON and are closed, also when they keep dripping, without affecting others', async () => {
  const { url, dataOf } = await startGateway();
  const server = await findServer(url);
  expect([server.headersTimeout, server.requestTimeout]).toEqual([10 * HEAD_MS, 10 * REQUEST_MS]);
  Object.assign(server, { headersTimeout: HEAD_MS, requestTimeout: REQUEST_MS });
  const dripping = await connectTo(url);
  dripping.write('GET /livez HTTP/1.1\r\n');
  const timer = setInterval(() => dripping.write('x: y\r\n'), 100);
  onTestFinished(() => clearInterval(timer));

  const slow = SLOW.map(async ([sent, timeoutMs]) => {
    const client = await connectTo(url);
    const beganAtMs = performance.now();
    client.write(sent);
    const text = await client.closed;
    expect(performance.now() - beganAtMs).toBeLessThan(timeoutMs + DELAY_MS);
    expect(text).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\n/);
    expect(text).toContain('connection: close');
    expect(JSON.parse(text.split('\r\n\r\n')[1] ?? '')).toMatchObject({
      errors: [{ extensions: { code: 'REQUEST_TIMEOUT', retryable: true } }],
    });
  });

  expect(await dataOf('{ __typename }')).toEqual({ __typename: 'Query' });
  await Promise.all(slow);
  expect(await dripping.closed).toMatch(/^HTTP\/1\.1 408 /);
});
