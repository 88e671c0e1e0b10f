import { generateKeyPairSync, hash } from 'node:crypto';
import { createServer, request } from 'node:http';
import { SignJWT } from 'jose';
import { describe, expect, it } from 'vitest';
import { readConfig } from '../../../src/app/index.ts';
import { keySetUrl } from '../../support/key-set.ts';
import { listen } from '../../support/listen.ts';
import { connect, EXAMPLES, startMcp, writeDocuments } from './support.ts';

const LIST = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} });
const post = (
  url: string,
  headers: Readonly<Record<string, string>> = {},
  body = LIST,
  signal?: AbortSignal,
) =>
  fetch(`${url}/mcp`, {
    method: 'POST',
    signal: signal ?? null,
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...headers,
    },
    body,
  });

const KEYS = {
  CALLER_AUTH: 'key',
  CALLER_KEYS: `ada:${hash('sha256', 'a-key')},bob:${hash('sha256', 'b-key')}`,
};

describe('callers of MCP', () => {
  it('are authenticated like callers of the graph', async () => {
    const { url } = await startMcp(KEYS);

    expect((await post(url)).status).toBe(401);
    const client = await connect(url, { headers: { 'x-api-key': 'a-key' } });
    expect((await client.listTools()).tools).toHaveLength(4);
  });

  it('are led to the identity provider of their tokens', async () => {
    const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const issuer = 'https://login.example';
    const { url } = await startMcp({
      CALLER_AUTH: 'jwt',
      CALLER_JWKS_URL: await keySetUrl(publicKey),
      CALLER_JWT_ISSUER: issuer,
      CALLER_JWT_AUDIENCE: 'caseway',
    });
    const tokenFor = (audience: string) =>
      new SignJWT({ sub: 'ada' })
        .setProtectedHeader({ alg: 'ES256' })
        .setIssuer(issuer)
        .setAudience(audience)
        .setExpirationTime('1m')
        .sign(privateKey);

    const refused = await post(url, { authorization: `Bearer ${await tokenFor('another')}` });
    const challenge = refused.headers.get('www-authenticate') ?? '';
    const metadataUrl = /resource_metadata="([^"]+)"/.exec(challenge)?.[1] ?? '';

    expect(refused.status).toBe(401);
    expect(metadataUrl).toBe(`${url}/.well-known/oauth-protected-resource/mcp`);
    expect(await (await fetch(metadataUrl)).json()).toEqual({
      resource: `${url}/mcp`,
      authorization_servers: [issuer],
      bearer_methods_supported: ['header'],
    });
    const client = await connect(url, {
      headers: { authorization: `Bearer ${await tokenFor('caseway')}` },
    });
    expect((await client.listTools()).tools).toHaveLength(4);
  });

  it('cannot be pages of other sites', async () => {
    const { url } = await startMcp();

    expect(
      (await post(url, { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' })).status,
    ).toBe(403);
    expect((await post(url, { origin: 'http://localhost:6274' })).status).toBe(200);
  });

  it.each([
    ['application/json', 'application/json; charset=utf-8'],
    ['*/*', 'application/json; charset=utf-8'],
    ['application/*', 'application/json; charset=utf-8'],
    ['application/json, text/event-stream', 'application/json; charset=utf-8'],
    ['text/event-stream', 'text/event-stream'],
    ['text/event-stream, application/json;q=0.5', 'text/event-stream'],
  ])('get a type that they accept: %s', async (accept, expected) => {
    const { url } = await startMcp();

    const response = await post(url, { accept });
    const body = await response.text();

    expect([response.status, response.headers.get('content-type')]).toEqual([200, expected]);
    const message = expected === 'text/event-stream' ? body.split('data: ')[1] : body;
    expect(JSON.parse(message ?? '').result.tools).toHaveLength(4);
  });

  it.each(['auto', 'legacy'] as const)('take one type with each protocol: %s', async (protocol) => {
    const { url } = await startMcp();

    for (const accept of ['application/json', 'text/event-stream']) {
      const send: typeof fetch = (address, init) => {
        const headers = new Headers(init?.headers);
        headers.set('accept', accept);
        return fetch(address, { ...init, headers });
      };
      const client = await connect(url, { protocol, fetch: send });
      expect((await client.listTools()).tools).toHaveLength(4);
    }
  });

  it('are refused if they accept neither JSON nor a stream', async () => {
    const { url } = await startMcp();

    expect((await post(url, { accept: 'text/html' })).status).toBe(406);
  });

  it('send one message in a request, and open no stream', async () => {
    const { url } = await startMcp();

    expect((await post(url, {}, `[${LIST},${LIST}]`)).status).toBe(400);
    expect((await fetch(`${url}/mcp`)).status).toBe(405);
  });

  it.each([
    ['an unknown protocol', {}, { 'mcp-protocol-version': '1999-01-01' }, 400],
    ['no JSON-RPC', 5, {}, 400],
    ['the newer protocol without its envelope', {}, { 'mcp-protocol-version': '2026-07-28' }, 400],
    ['no address as their host', {}, { host: 'localhost:99999' }, 200],
  ])('send %s without a log line of the gateway', async (_what, body, headers, expected) => {
    const { url, lines } = await startMcp({ LOG_LEVEL: 'info' });
    const atStart = lines.length;

    const { promise, resolve } = Promise.withResolvers<number | undefined>();
    const message =
      typeof body === 'object' ? { jsonrpc: '2.0', id: 1, method: 'tools/list', ...body } : body;
    const accept = 'application/json, text/event-stream';
    request(`${url}/mcp`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept, ...headers },
    })
      .once('response', ({ statusCode }) => resolve(statusCode))
      .end(JSON.stringify(message));

    expect([await promise, lines.slice(atStart)]).toEqual([expected, []]);
  });

  it('stop the calls of their tool when they disconnect', async () => {
    const [reached, gone] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const platform = createServer((incoming, outgoing) => {
      if (incoming.url === '/v1.0/token')
        return outgoing.end('{"access_token":"token","expires_in":3600}');
      outgoing.once('close', gone.resolve);
      return reached.resolve();
    });
    const env = {
      UPSTREAM_URL: await listen(platform),
      UPSTREAM_USERNAME: 'u',
      UPSTREAM_PASSWORD: 'p',
    };
    const DOCUMENTS = writeDocuments('"Lists." query Forms { forms { totalCount } }');
    const { url } = await startMcp({ ...env, TYPED_FORMS: 'none', DOCUMENTS });
    const leaving = new AbortController();
    const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'Forms' } };

    const left = post(url, {}, JSON.stringify(message), leaving.signal).catch(({ name }) => name);
    await reached.promise;
    leaving.abort();

    expect(await left).toBe('AbortError');
    await gone.promise;
  });

  it('leave most of the platform’s limit to users, and learn when to try again', async () => {
    const { url, execute, logged } = await startMcp({
      UPSTREAM_CALLS_PER_MINUTE: '240',
      LOG_LEVEL: 'info',
    });
    const client = await connect(url);

    // Agents have ten calls of forty at once; each tool makes two at least.
    const answers: string[] = [];
    for (let first = 1; first <= 10; first++) {
      const query = { name: 'FindPurchaseRequests', arguments: { status: 'SUBMITTED', first } };
      answers.push(JSON.stringify(await client.callTool(query)));
    }

    expect(answers.at(-1)).toMatch(/RATE_LIMITED.*try again in \d+ seconds/);
    expect((await execute('{ forms(first: 1) { totalCount } }')).errors).toBeUndefined();
    const operations = logged().filter(({ msg }) => msg === 'operation');
    expect(operations[0]).toMatchObject({ client: 'mcp', operation: 'FindPurchaseRequests' });
  });

  it.each([
    [{ IDENTITY: 'forward' }, /MCP: must be off with IDENTITY=forward/],
    [
      { CALLER_AUTH: 'jwt', CALLER_JWKS_URL: 'https://login.example/keys' },
      /CALLER_JWT_AUDIENCE: is needed with MCP/,
    ],
    [
      { NODE_ENV: 'production', CALLER_AUTH: 'none' },
      /MCP: needs CALLER_AUTH=jwt or key in production/,
    ],
    [{ DOCUMENTS: '' }, /DOCUMENTS: is needed with MCP/],
  ])('must be known: %o does not start', (env, problem) => {
    expect(() => readConfig({ MCP: 'queries', DOCUMENTS: EXAMPLES, ...env })).toThrow(problem);
  });
});
