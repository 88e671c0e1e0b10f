import { writeFileSync } from 'node:fs';
import type { IncomingHttpHeaders } from 'node:http';
import { Agent, request } from 'node:https';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished, vi } from 'vitest';

import { SETTINGS } from '../../src/config/settings.ts';
import { startGateway } from '../support/gateway.ts';
import { startCaddy, startNginx } from './proxies.ts';
import { hasPrograms, readDeployFile, runProgram, temporaryFolder } from './support.ts';

const NGINX = readDeployFile('nginx/caseway.conf');
const CADDY = readDeployFile('caddy/Caddyfile');
/** As behind a proxy on the same machine that passes on the name which clients ask for. */
const OWN_HOST = { HOSTS: 'api.example' };
/** Few connections for many requests: TLS takes longer than they do. */
const AGENT = new Agent({ keepAlive: true, maxSockets: 10 });
const QUERY = '{"query":"{ forms { nodes { formId } } }"}';

/** Two gateways, of which a test may stop the first. */
async function startTwo(env: Readonly<Record<string, string>> = {}) {
  const settings = { ...OWN_HOST, ...env };
  const gateways = await Promise.all([startGateway(settings), startGateway(settings)]);
  for (const { close } of gateways) onTestFinished(close);
  const ports = gateways.map(({ url }) => Number(new URL(url).port));
  return {
    gateways,
    place: (config: string) =>
      config.replace('127.0.0.1:4000', `127.0.0.1:${ports[0]}`).replace('127.0.0.1:4010', `127.0.0.1:${ports[1]}`),
  };
}

interface Sending {
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** The client's address, of this machine. */
  readonly from?: string;
  /** Whether the body is kept back. */
  readonly isHeld?: boolean;
}

interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** Posts to the proxy, as a client of `api.example`. */
function post(port: number, { body = QUERY, headers, from = '127.0.0.1', isHeld = false }: Sending = {}) {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  const sent = request({
    host: '127.0.0.1',
    port,
    localAddress: from,
    path: '/graphql',
    method: 'POST',
    rejectUnauthorized: false,
    agent: isHeld ? false : AGENT,
    headers: { host: 'api.example', 'content-type': 'application/json', 'content-length': body.length, ...headers },
  });
  sent.on('error', reject);
  sent.on('response', async (response) => {
    resolve({ status: response.statusCode ?? 0, headers: response.headers, body: await text(response) });
  });
  if (isHeld) sent.flushHeaders();
  else sent.end(body);
  onTestFinished(() => void sent.destroy());
  return promise;
}

describe.skipIf(!hasPrograms('nginx', 'openssl'))('nginx with the snippet', () => {
  it('forwards queries from TLS, with a request id that the gateway accepts', async () => {
    const { place } = await startTwo();
    const { port } = await startNginx(place(NGINX));

    const { status, headers, body } = await post(port, { headers: { 'x-request-id': 'forged-by-the-client' } });

    expect([status, JSON.parse(body).data.forms.nodes.length]).toEqual([200, 4]);
    expect(headers['x-request-id']).toMatch(/^[0-9a-f]{32}$/);
  });

  it('rejects a body that is too large, in JSON like the gateway', async () => {
    const { place } = await startTwo();
    const { port } = await startNginx(place(NGINX));

    const { status, body } = await post(port, { body: JSON.stringify({ query: ' '.repeat(300_000) }) });

    expect([status, JSON.parse(body).errors[0].extensions.code]).toEqual([413, 'BAD_USER_INPUT']);
  });

  it('sends requests to the other replica when one no longer listens', async () => {
    const { place, gateways } = await startTwo();
    const { port } = await startNginx(place(NGINX));
    await Promise.all(Array.from({ length: 20 }, () => post(port)));

    await gateways[0]?.close();
    const statuses = (await Promise.all(Array.from({ length: 20 }, () => post(port)))).map(({ status }) => status);

    expect(new Set(statuses)).toEqual(new Set([200]));
  });

  it('refuses a flood of requests from one address, in JSON with Retry-After, and answers other addresses', async () => {
    const { place } = await startTwo();
    const { port } = await startNginx(place(NGINX));

    const flood = Promise.all(Array.from({ length: 2_000 }, () => post(port, { from: '127.0.0.2' })));
    const honest = await Promise.all(Array.from({ length: 50 }, () => post(port, { from: '127.0.0.3' })));
    const refused = (await flood).filter(({ status }) => status !== 200);

    expect(new Set(honest.map(({ status }) => status))).toEqual(new Set([200]));
    expect(refused.length).toBeGreaterThan(0);
    for (const { status, headers, body } of refused) {
      expect([status, headers['retry-after'], JSON.parse(body).errors[0].extensions]).toEqual([
        429,
        '1',
        { code: 'RATE_LIMITED', retryable: true, retryAfterMs: 1_000 },
      ]);
    }
  });

  it('refuses a flood of connections from one address, and answers other addresses', async () => {
    const { place } = await startTwo();
    const { port } = await startNginx(place(NGINX).replaceAll(/^ +limit_req zone.*$/gm, ''));

    // Each holds its connection, since the rest of its body never comes.
    const flood = Array.from({ length: 201 }, () => post(port, { from: '127.0.0.2', isHeld: true }));
    const first = await Promise.race(flood);
    const honest = await post(port, { from: '127.0.0.3' });

    expect([first.status, honest.status]).toEqual([429, 200]);
  });
});

describe.skipIf(!hasPrograms('caddy'))('Caddy with the Caddyfile', () => {
  it('accepts it', () => {
    const file = join(temporaryFolder(), 'Caddyfile');
    writeFileSync(file, CADDY);

    const { apps } = JSON.parse(runProgram('caddy', ['adapt', '--config', file]));

    expect(Object.keys(apps)).toContain('http');
  });

  it('forwards queries with a request id, and loses none while a replica shuts down', async () => {
    // It serves on for a fifth of its time to stop.
    const { place, gateways } = await startTwo({ NODE_ENV: 'production', SHUTDOWN_TIMEOUT_MS: '20000' });
    const port = await startCaddy(place(CADDY));
    const headers = { 'content-type': 'application/json', 'x-request-id': 'forged-by-the-client' };
    const ask = () => fetch(`http://127.0.0.1:${port}/graphql`, { method: 'POST', headers, body: QUERY });
    await vi.waitFor(async () => expect((await ask()).status).toBe(200), { timeout: 30_000 });

    const id = (await ask()).headers.get('x-request-id');
    let isStopped = false;
    const stopped = gateways[0]?.close().then(() => {
      isStopped = true;
    });
    const statuses: number[] = [];
    while (!isStopped) statuses.push(...(await Promise.all([ask(), ask()])).map(({ status }) => status));
    await stopped;
    statuses.push((await ask()).status);

    expect(id).toMatch(/^[0-9a-f-]{36}$/);
    expect(new Set(statuses)).toEqual(new Set([200]));
  });
});

describe('the timeouts of the proxies', () => {
  const numberIn = (config: string, pattern: RegExp) => Number(pattern.exec(config)?.[1]);

  it('close idle connections before the gateway does', async () => {
    const { gateways } = await startTwo();
    const { headers } = await fetch(`${gateways[0]?.url}/livez`);
    const gateway = numberIn(String(headers.get('keep-alive')), /timeout=(\d+)/);

    expect(numberIn(NGINX, /keepalive_timeout (\d+)s/)).toBeLessThan(gateway);
    expect(numberIn(CADDY, /keepalive (\d+)s/)).toBeLessThan(gateway);
  });

  it('exceed the 66 minutes of a subscription, where they count whole responses', () => {
    expect(numberIn(CADDY, /write (\d+)m/)).toBeGreaterThan(66);
  });

  it('exceed the gateway’s request timeout', () => {
    const deadline = SETTINGS.REQUEST_TIMEOUT_MS.default / 1_000;

    expect(numberIn(NGINX, /proxy_read_timeout (\d+)s/)).toBeGreaterThan(deadline);
    expect(numberIn(CADDY, /response_header_timeout (\d+)s/)).toBeGreaterThan(deadline);
  });
});
