import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';

import { type Env, startGateway } from '../support/gateway.ts';
import { limits } from '../support/limits.ts';
import { listen } from '../support/listen.ts';
import { connectTo, type RawClient, statusesOf } from './support/raw-client.ts';

/** The metrics port is limited in the same way as the gateway's port, to fewer connections. */
const MAX_CONNECTIONS = 16;
const STATUS = 'GET /status HTTP/1.1\r\nHost: localhost\r\nAccept: application/json\r\n\r\n';
const WHOLE = /\{.*\}\s*$/s;

async function start(env: Env = {}) {
  const gateway = await startGateway({ METRICS_PORT: '0', ...env });
  return { ...gateway, url: new URL(gateway.metricsUrl ?? '').origin };
}

const connectMany = async (url: string, count: number) => {
  const clients: RawClient[] = [];
  while (clients.length < count) clients.push(await connectTo(url));
  return clients;
};

/** Asks for the status on each of these connections, and expects all to be answered. */
async function expectServed(clients: readonly RawClient[]): Promise<void> {
  for (const client of clients) client.write(STATUS);
  for (const client of clients) expect(statusesOf(await client.received(WHOLE))).toEqual(['200']);
}

describe('a port whose connections are all taken', () => {
  it('closes the connections that were silent for longest in favour of new clients', async () => {
    const { url } = await start();
    const silent = await connectMany(url, MAX_CONNECTIONS);

    const served = await connectMany(url, 3);

    await expectServed(served);
    await Promise.all(silent.slice(0, 3).map(({ closed }) => closed));
    await expectServed(silent.slice(3));
  });

  it('closes idle connections after a response, and connections with an unfinished request', async () => {
    const { url } = await start();
    await expectServed(await connectMany(url, MAX_CONNECTIONS / 2));
    const unfinished = await connectMany(url, MAX_CONNECTIONS / 2);
    for (const client of unfinished)
      client.write('POST /status HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n{');
    await unfinished.at(-1)?.received(/^HTTP\/1\.1 404/);

    await expectServed(await connectMany(url, MAX_CONNECTIONS));
  });

  it('keeps a connection whose request is being answered', async () => {
    const issuer = createServer();
    const UPSTREAM_URL = await listen(issuer);
    const { url } = await start({ UPSTREAM_URL, UPSTREAM_USERNAME: 'u', UPSTREAM_PASSWORD: 'p' });
    const tokenRequested = once(issuer, 'request');
    const pending = await connectTo(url);
    pending.write(STATUS);
    const [, token] = (await tokenRequested) as [unknown, ServerResponse];
    await connectMany(url, MAX_CONNECTIONS * 2);

    token.end(JSON.stringify({ access_token: 'token', expires_in: 3600 }));

    expect(statusesOf(await pending.received(WHOLE))).toEqual(['200']);
  });
});

it('a silent connection does not delay the stop of a gateway until its deadline', async () => {
  const { url, close } = await startGateway(limits({ shutdownMs: 60_000 }));
  await connectTo(url);

  const startedMs = performance.now();
  await close();

  expect(performance.now() - startedMs).toBeLessThan(30_000);
});
