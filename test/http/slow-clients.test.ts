import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';

import { CONNECTION_TIMES } from '../../src/http/node-server.ts';
import { startGateway } from '../support/gateway.ts';
import { connectTo } from './support/raw-client.ts';

const HEAD = 'POST /graphql HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n';

/** The times of the gateway, of which these tests take a tenth. */
const { requestTimeout, http } = CONNECTION_TIMES;
beforeAll(() => {
  const [headersTimeout, connectionsCheckingInterval] = [
    http.headersTimeout / 10,
    http.connectionsCheckingInterval / 10,
  ];
  Object.assign(CONNECTION_TIMES, {
    requestTimeout: requestTimeout / 10,
    http: { headersTimeout, connectionsCheckingInterval },
  });
});
afterAll(() => void Object.assign(CONNECTION_TIMES, { requestTimeout, http }));

/** A head may take five seconds, and a whole request ten; both are looked at each second. */
const HEAD_MAX_MS = 700;
const REQUEST_MAX_MS = 1_200;

/** Clients that are too slow: what they send, and how long they may take at most. */
const SLOW: readonly (readonly [sent: string, maxMs: number])[] = [
  ['POST /graphql HTTP/1.1\r\nHost: local', HEAD_MAX_MS],
  ['', HEAD_MAX_MS],
  [`${HEAD}Content-Length: 100\r\n\r\n{"query": `, REQUEST_MAX_MS],
  [`${HEAD}Transfer-Encoding: chunked\r\n\r\n5\r\n{"que\r\n`, REQUEST_MAX_MS],
];

it('clients that send head or body too slowly, or nothing, get 408 in JSON and are closed, also when they keep dripping, without affecting others', async () => {
  const { url, execute } = await startGateway();
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
    clients.map(async ({ closed }) => ({ text: await closed, tookMs: performance.now() - beganAtMs })),
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

/** What a busy machine may add. */
const MACHINE_MS = 5_000;
