import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Server } from 'node:http';
import { expect, it, onTestFinished } from 'vitest';

import { startGateway } from '../support/gateway.ts';
import { connectTo } from './support/raw-client.ts';

const HEAD = 'POST /graphql HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n';

/** A tenth of the gateway's timeouts. The server checks its connections every second. */
const HEAD_MS = 500;
const REQUEST_MS = 1_000;
const HEAD_MAX_MS = HEAD_MS + 1_500;
const REQUEST_MAX_MS = REQUEST_MS + 1_500;

/** Returns the server at an address. */
async function findServer(url: string): Promise<Server> {
  const { promise, resolve } = Promise.withResolvers<Server>();
  const note = (message: unknown) => resolve((message as { readonly server: Server }).server);
  subscribe('http.server.request.start', note);
  await fetch(`${url}/livez`);
  unsubscribe('http.server.request.start', note);
  return promise;
}

/** Requests of slow clients, and the time after which they must be closed. */
const SLOW: readonly (readonly [sent: string, maxMs: number])[] = [
  ['POST /graphql HTTP/1.1\r\nHost: local', HEAD_MAX_MS],
  ['', HEAD_MAX_MS],
  [`${HEAD}Content-Length: 100\r\n\r\n{"query": `, REQUEST_MAX_MS],
  [`${HEAD}Transfer-Encoding: chunked\r\n\r\n5\r\n{"que\r\n`, REQUEST_MAX_MS],
];

it('clients that send head or body too slowly, or nothing, get 408 in JSON and are closed, also when they keep dripping, without affecting others', async () => {
  const { url, execute } = await startGateway();
  const server = await findServer(url);
  expect([server.headersTimeout, server.requestTimeout]).toEqual([10 * HEAD_MS, 10 * REQUEST_MS]);
  Object.assign(server, { headersTimeout: HEAD_MS, requestTimeout: REQUEST_MS });
  const clients = await Promise.all(SLOW.map(() => connectTo(url)));
  const dripping = await connectTo(url);
  dripping.write('GET /livez HTTP/1.1\r\n');
  const timer = setInterval(() => dripping.write('x: y\r\n'), 100);
  onTestFinished(() => clearInterval(timer));
  const beganAtMs = performance.now();
  clients.forEach((client, index) => {
    client.write(SLOW[index]?.[0] ?? '');
  });

  const other = await execute('{ __typename }');
  const answers = await Promise.all(
    clients.map(async ({ closed }) => ({
      text: await closed,
      tookMs: performance.now() - beganAtMs,
    })),
  );

  expect(other.data).toEqual({ __typename: 'Query' });
  for (const [index, { text, tookMs }] of answers.entries()) {
    expect(text).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\n/);
    expect(text).toContain('connection: close');
    expect(JSON.parse(text.split('\r\n\r\n')[1] ?? '')).toMatchObject({
      errors: [{ extensions: { code: 'REQUEST_TIMEOUT', retryable: true } }],
    });
    expect(tookMs).toBeLessThan((SLOW[index]?.[1] ?? 0) + MACHINE_MS);
  }
  expect(await dripping.closed).toMatch(/^HTTP\/1\.1 408 /);
});

/** The delay that a busy machine may add. */
const MACHINE_MS = 5_000;
