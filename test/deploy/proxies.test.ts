import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { createServer, request as plainRequest, type RequestListener } from 'node:http';
import { connect, type OutgoingHttpHeaders } from 'node:http2';
import { request } from 'node:https';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { requestTimeoutOf } from '../../src/config/config.ts';
import { loadSettings } from '../../src/config/load.ts';
import { CORE_SETTINGS } from '../../src/config/settings.ts';
import { writeFolder } from '../support/folder.ts';
import { type Env, startGateway } from '../support/gateway.ts';
import { keySetUrl } from '../support/key-set.ts';
import { limits } from '../support/limits.ts';
import { listen } from '../support/listen.ts';
import { freePort } from '../support/redis.ts';
import { AGENT, type Answer, answerOf, post, QUERY, startCaddy, startNginx } from './proxies.ts';
import { hasPrograms, readDeployFile, runProgram } from './support.ts';

const NGINX = readDeployFile('nginx/caseway.conf');
/** Without a limit of requests, for tests that send many from one address. */
const UNLIMITED = NGINX.replaceAll(/^ +limit_req zone.*$/gm, '');
const CADDY = readDeployFile('caddy/Caddyfile');
/** As behind a proxy on the same machine that passes on the name which clients ask for. */
const BEHIND_PROXY = { NODE_ENV: 'production', CALLER_AUTH: 'none' };

/** Starts two gateways. A test may stop the first. */
async function startTwo(env: Env = {}) {
  const settings = { ...BEHIND_PROXY, ...env };
  const gateways = await Promise.all([startGateway(settings), startGateway(settings)]);
  for (const { close } of gateways) onTestFinished(close);
  const ports = gateways.map(({ url }) => Number(new URL(url).port));
  return {
    gateways,
    place: (config: string) =>
      config
        .replace('127.0.0.1:4000', `127.0.0.1:${ports[0]}`)
        .replace('127.0.0.1:4010', `127.0.0.1:${ports[1]}`),
  };
}

/** Settings of a gateway whose metadata for agents contain its public address. */
const WITH_METADATA = {
  TYPED_FORMS: '*',
  MCP: 'queries',
  DOCUMENTS: 'examples/mcp/documents',
  CALLER_AUTH: 'jwt',
  CALLER_JWKS_URL: await keySetUrl(generateKeyPairSync('ed25519').publicKey),
  CALLER_JWT_ISSUER: 'https://login.example',
  CALLER_JWT_AUDIENCE: 'caseway',
};
const METADATA = '/.well-known/oauth-protected-resource/mcp';
/** Headers with which a client lies about the address. */
const CLAIMS = {
  'x-forwarded-host': 'evil.example',
  'x-forwarded-proto': 'http',
  forwarded: 'host=evil.example',
};

/** The gateways' addresses in the files. */
const REPLICAS = /127\.0\.0\.1:40[01]0/g;

/** Puts a server in the place of the gateways. */
async function placeServer(config: string, listener: RequestListener): Promise<string> {
  const url = await listen(createServer(listener));
  return config.replaceAll(REPLICAS, new URL(url).host);
}

/** The response of a proxy when the gateway does not respond. */
const UNAVAILABLE = {
  status: 502,
  code: 'GATEWAY_UNAVAILABLE',
  retryable: false,
  hasIds: true,
  isUnsent: false,
  retryAfter: undefined,
};
const UNSENT = { ...UNAVAILABLE, status: 503, retryable: true, isUnsent: true, retryAfter: '1' };
const TIMEOUT = { ...UNAVAILABLE, status: 504, code: 'GATEWAY_TIMEOUT' };

/** Reads an error that is worded as the gateway's are. */
function readError({ status, headers, body }: Answer) {
  const [{ message, extensions }] = JSON.parse(body).errors;
  const { code, retryable, requestId } = extensions;
  const hasIds =
    headers['content-type'] === 'application/json' && headers['x-request-id'] === requestId;
  const isUnsent = message.includes('was not executed');
  return { status, code, retryable, hasIds, isUnsent, retryAfter: headers['retry-after'] };
}

/** Sends a request without a body to the proxy, over TLS unless `isPlain`. */
function send(
  port: number,
  path: string,
  headers: Readonly<Record<string, string>>,
  isPlain = false,
) {
  const options = { host: '127.0.0.1', port, path, headers };
  const sent = isPlain
    ? plainRequest(options)
    : request({ ...options, rejectUnauthorized: false, agent: AGENT });
  return answerOf(sent.end());
}

/** Opens a connection of HTTP/2 until the test ends, and returns a function that sends a request. */
function openHttp2(port: number) {
  const session = connect(`https://127.0.0.1:${port}`, { rejectUnauthorized: false });
  onTestFinished(() => session.destroy());
  return async (head: OutgoingHttpHeaders, body?: string): Promise<Answer> => {
    const stream = session.request(head).end(body);
    const [headers] = await once(stream, 'response');
    return { status: Number(headers[':status']), headers, body: await text(stream) };
  };
}

describe.skipIf(!hasPrograms('nginx', 'openssl'))('nginx with the snippet', () => {
  it('forwards queries from TLS with a request id of its own, also of pages of its address, and refuses large bodies', async () => {
    const { place } = await startTwo();
    const { port } = await startNginx(place(NGINX));
    const page = { host: 'api.example:8443', origin: 'https://api.example:8443' };

    const { status, headers, body } = await post(port, {
      headers: { 'x-request-id': 'forged-by-the-client' },
    });
    const ofPage = await post(port, { headers: page });
    const large = await post(port, { body: JSON.stringify({ query: ' '.repeat(300_000) }) });

    expect([status, JSON.parse(body).data.forms.nodes.length]).toEqual([200, 4]);
    expect(headers['x-request-id']).toMatch(/^[0-9a-f]{32}$/);
    expect(ofPage.status).toBe(200);
    expect([large.status, JSON.parse(large.body).errors[0].extensions.code]).toEqual([
      413,
      'BAD_USER_INPUT',
    ]);
  });

  it('passes on the address that clients ask for, and nothing that they claim of it', async () => {
    const { place } = await startTwo(WITH_METADATA);
    const { port } = await startNginx(place(NGINX));
    const host = 'api.example:8443';

    // In HTTP/2 the host is a part of the request.
    const answers = await Promise.all([
      send(port, METADATA, { host, ...CLAIMS }),
      openHttp2(port)({ ':path': METADATA, ':authority': host, ...CLAIMS }),
    ]);

    for (const { body } of answers)
      expect(JSON.parse(body).resource).toBe('https://api.example:8443/mcp');
  });

  it('words its own errors like the gateway’s', async () => {
    const nobody = NGINX.replaceAll(REPLICAS, `127.0.0.1:${await freePort()}`);
    const silent = await placeServer(NGINX, () => undefined);
    const broken = await placeServer(NGINX, (request) => request.socket.destroy());
    const limited = nobody
      .replace('limit_req_status 429;', '')
      .replace('4000r/s', '1r/m')
      .replace(' burst=400', '');
    const proxies = await Promise.all([
      startNginx(nobody),
      startNginx(broken),
      startNginx(silent.replace('proxy_read_timeout 35s', 'proxy_read_timeout 1s')),
      startNginx(limited),
    ]);
    await post(proxies[3].port);

    const answers = await Promise.all(proxies.map(({ port }) => post(port)));

    expect(answers.map(readError)).toEqual([UNSENT, UNAVAILABLE, TIMEOUT, UNSENT]);
  });

  it('sends equal requests to one replica, whoever sends them, and others to both', async () => {
    const replicas = await Promise.all(
      ['first', 'second'].map((name) =>
        listen(createServer((_request, response) => response.end(name))),
      ),
    );
    const [first = '', second = ''] = replicas.map((url) => new URL(url).host);
    const config = UNLIMITED.replace('127.0.0.1:4000', first).replace('127.0.0.1:4010', second);
    const { port } = await startNginx(config);
    const served = async (body: string) => {
      const keys = ['web', 'mobile', 'partner'].map((key) => ({ 'x-api-key': key }));
      const answers = await Promise.all(keys.map((headers) => post(port, { headers, body })));
      return [...new Set(answers.map((answer) => answer.body))].join(' and ');
    };

    const bodies = Array.from({ length: 20 }, (_, index) => `{ "query": "{ f${index} }" }`);
    const byBody = await Promise.all(bodies.map(served));

    expect(new Set(byBody)).toEqual(new Set(['first', 'second']));
  });

  it('passes on a 503 of the gateway unchanged', async () => {
    const own = await placeServer(NGINX, (_request, response) =>
      response.writeHead(503).end('as it is'),
    );
    const { port } = await startNginx(own);

    expect(await post(port)).toMatchObject({ status: 503, body: 'as it is' });
  });

  it('sends requests to the other replica when one no longer listens', async () => {
    const { place, gateways } = await startTwo();
    const { port } = await startNginx(place(UNLIMITED));
    await Promise.all(Array.from({ length: 20 }, () => post(port)));

    await gateways[0]?.close();
    const answers = await Promise.all(Array.from({ length: 20 }, () => post(port)));

    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  });

  it('refuses a flood of requests from one address, in JSON with Retry-After, and answers other addresses', async () => {
    const { place } = await startTwo();
    const { port } = await startNginx(place(NGINX));

    const sendByHttp2 = openHttp2(port);
    const head = {
      ':method': 'POST',
      ':path': '/graphql',
      ':authority': 'api.example',
      'content-type': 'application/json',
    };
    const flood = Promise.all(Array.from({ length: 500 }, () => sendByHttp2(head, QUERY)));
    const honest = await Promise.all(
      Array.from({ length: 50 }, () => post(port, { from: '127.0.0.3' })),
    );
    const refused = (await flood).filter(({ status }) => status !== 200);

    expect(new Set(honest.map(({ status }) => status))).toEqual(new Set([200]));
    expect(refused.length).toBeGreaterThan(0);
    for (const { status, headers, body } of refused) {
      const extensions = { code: 'RATE_LIMITED', retryable: true, retryAfterMs: 1_000 };
      expect([status, headers['retry-after'], JSON.parse(body).errors[0].extensions]).toEqual([
        429,
        '1',
        extensions,
      ]);
    }
  });

  it('refuses a flood of connections from one address, and answers other addresses', async () => {
    const { place } = await startTwo();
    const { port } = await startNginx(place(UNLIMITED));

    // Each holds its connection, since the rest of its body never comes.
    const flood = Array.from({ length: 201 }, () =>
      post(port, { from: '127.0.0.2', isHeld: true }),
    );
    const first = await Promise.race(flood);
    const honest = await post(port, { from: '127.0.0.3' });

    expect([first.status, honest.status]).toEqual([429, 200]);
  });
});

const HEALTH_CHECKS = /^\t+health_.*$\n/gm;

describe.skipIf(!hasPrograms('caddy'))('Caddy with the Caddyfile', () => {
  it('accepts it', () => {
    const file = join(writeFolder({ Caddyfile: CADDY }), 'Caddyfile');

    const { apps } = JSON.parse(runProgram('caddy', ['adapt', '--config', file]));

    expect(Object.keys(apps)).toContain('http');
  });

  it('passes on the address that clients ask for, and nothing that they claim of it', async () => {
    const { place } = await startTwo(WITH_METADATA);
    const port = await startCaddy(place(CADDY).replace(HEALTH_CHECKS, ''));
    const address = `127.0.0.1:${port}`;

    const { body } = await send(
      port,
      METADATA,
      { host: address, ...CLAIMS, 'x-forwarded-proto': 'https' },
      true,
    );

    expect(JSON.parse(body).resource).toBe(`http://${address}/mcp`);
  });

  it('words its own errors like the gateway’s', async () => {
    const unchecked = CADDY.replace(HEALTH_CHECKS, '').replace(
      'lb_try_duration 2s',
      'lb_try_duration 0s',
    );
    const silent = await placeServer(unchecked, () => undefined);
    const ports = await Promise.all([
      startCaddy(await placeServer(unchecked, (incoming) => incoming.socket.destroy())),
      startCaddy(silent.replace('response_header_timeout 35s', 'response_header_timeout 1s')),
      // As its health checks find it.
      startCaddy(await placeServer(CADDY, (_incoming, response) => response.writeHead(503).end())),
    ]);
    const ask = (port: number) => send(port, '/graphql', {}, true);
    await vi.waitFor(async () => expect((await ask(ports[2])).body).toContain('not executed'), {
      timeout: 90_000,
    });

    const answers = await Promise.all(ports.map(ask));

    expect(answers.map(readError)).toEqual([UNAVAILABLE, TIMEOUT, UNSENT]);
  });

  it.each([413, 503])('passes on a %i of the gateway unchanged', async (status) => {
    const own = await placeServer(CADDY.replace(HEALTH_CHECKS, ''), (_request, response) =>
      response.writeHead(status).end('as it is'),
    );
    const port = await startCaddy(own);

    expect(await send(port, '/graphql', {}, true)).toMatchObject({ status, body: 'as it is' });
  });

  it('forwards queries with a request id and loses no query while a replica shuts down', async () => {
    // A gateway serves on for a fifth of its time to stop.
    const { place, gateways } = await startTwo(limits({ shutdownMs: 20_000 }));
    const port = await startCaddy(place(CADDY));
    const headers = { 'content-type': 'application/json', 'x-request-id': 'forged-by-the-client' };
    const ask = () =>
      fetch(`http://127.0.0.1:${port}/graphql`, { method: 'POST', headers, body: QUERY });
    await vi.waitFor(async () => expect((await ask()).status).toBe(200), { timeout: 90_000 });
    expect((await ask()).headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);

    const statuses = new Set<number>();
    let isStopped = false;
    const stopped = gateways[0]?.close().then(() => {
      isStopped = true;
    });
    let wasStopped = false;
    while (!wasStopped) {
      wasStopped = isStopped;
      for (const { status } of await Promise.all([ask(), ask(), ask()])) statuses.add(status);
    }
    await stopped;

    expect(statuses).toEqual(new Set([200]));
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
    const deadline = requestTimeoutOf(loadSettings({}, CORE_SETTINGS).settings) / 1_000;

    expect(numberIn(NGINX, /proxy_read_timeout (\d+)s/)).toBeGreaterThan(deadline);
    expect(numberIn(CADDY, /response_header_timeout (\d+)s/)).toBeGreaterThan(deadline);
  });
});
