import { generateKeyPairSync, hash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, request } from 'node:http';
import { SignJWT } from 'jose';
import { afterAll, describe, expect, it } from 'vitest';
import { readConfig } from '../../../src/app/index.ts';
import { keySetUrl } from '../../support/key-set.ts';
import { listen } from '../../support/listen.ts';
import { connect, EXAMPLES, startConnected, startMcp, writeDocuments } from './support.ts';

const { url, close } = await startMcp();
afterAll(close);

const LIST = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} });
const HEADERS = {
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
};
const post = (address: string, headers: Readonly<Record<string, string>> = {}, init = {}) =>
  fetch(`${address}/mcp`, {
    method: 'POST',
    headers: { ...HEADERS, ...headers },
    body: LIST,
    ...init,
  });

describe('callers of MCP', () => {
  it('are authenticated like callers of the graph', async () => {
    const CALLER_KEYS = `ada:${hash('sha256', 'a-key')},bob:${hash('sha256', 'b-key')}`;
    const keyed = await startMcp({ CALLER_AUTH: 'key', CALLER_KEYS });

    expect((await post(keyed.url)).status).toBe(401);
    const client = await connect(keyed.url, { headers: { 'x-api-key': 'a-key' } });
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
    const headersFor = async (aud: string) => {
      const jwt = new SignJWT({ sub: 'ada', iss: issuer, aud });
      const token = await jwt
        .setProtectedHeader({ alg: 'ES256' })
        .setExpirationTime('1m')
        .sign(privateKey);
      return { authorization: `Bearer ${token}` };
    };

    const refused = await post(url, await headersFor('another'));
    const challenge = refused.headers.get('www-authenticate') ?? '';
    const metadataUrl = /resource_metadata="([^"]+)"/.exec(challenge)?.[1] ?? '';

    expect(refused.status).toBe(401);
    expect(metadataUrl).toBe(`${url}/.well-known/oauth-protected-resource/mcp`);
    expect(await (await fetch(metadataUrl)).json()).toEqual({
      resource: `${url}/mcp`,
      authorization_servers: [issuer],
      bearer_methods_supported: ['header'],
    });
    const client = await connect(url, { headers: await headersFor('caseway') });
    expect((await client.listTools()).tools).toHaveLength(4);
  });

  it('cannot be pages of other sites', async () => {
    const foreign = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' };

    expect((await post(url, foreign)).status).toBe(403);
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
    const response = await post(url, { accept });
    const body = await response.text();

    expect([response.status, response.headers.get('content-type')]).toEqual([200, expected]);
    const message = expected === 'text/event-stream' ? body.split('data: ')[1] : body;
    expect(JSON.parse(message ?? '').result.tools).toHaveLength(4);
  });

  it.each(['auto', 'legacy'] as const)('take one type with each protocol: %s', async (protocol) => {
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

  it('are refused if they accept neither JSON nor a stream, send several messages, or open a stream', async () => {
    expect((await post(url, { accept: 'text/html' })).status).toBe(406);
    expect((await post(url, {}, { body: `[${LIST},${LIST}]` })).status).toBe(400);
    expect((await fetch(`${url}/mcp`)).status).toBe(405);
  });

  it('may send anything without a log line of the gateway', async () => {
    const { url, lines } = await startMcp({ LOG_LEVEL: 'info' });
    const before = lines.length;
    const send = async (body: string, headers: object) => {
      // Unlike `fetch`, this sends any host.
      const sent = request(`${url}/mcp`, { method: 'POST', headers: { ...HEADERS, ...headers } });
      const [{ statusCode }] = await once(sent.end(body), 'response');
      return statusCode;
    };

    expect(await send(LIST, { 'mcp-protocol-version': '1999-01-01' })).toBe(400);
    expect(await send('5', {})).toBe(400);
    // The newer protocol needs an envelope.
    expect(await send(LIST, { 'mcp-protocol-version': '2026-07-28' })).toBe(400);
    expect(await send(LIST, { host: 'localhost:99999' })).toBe(200);
    expect(lines.slice(before)).toEqual([]);
  });

  it('stop the calls of their tool when they disconnect', async () => {
    const [reached, gone] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const platform = createServer((incoming, outgoing) => {
      if (incoming.url === '/v1.0/token')
        return outgoing.end('{"access_token":"token","expires_in":3600}');
      outgoing.once('close', gone.resolve);
      return reached.resolve();
    });
    const { url } = await startMcp({
      UPSTREAM_URL: await listen(platform),
      UPSTREAM_USERNAME: 'u',
      UPSTREAM_PASSWORD: 'p',
      TYPED_FORMS: 'none',
      DOCUMENTS: writeDocuments('"Lists." query Forms { forms { totalCount } }'),
    });
    const leaving = new AbortController();
    const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'Forms' } };

    const left = post(url, {}, { body: JSON.stringify(message), signal: leaving.signal });
    await reached.promise;
    leaving.abort();

    await expect(left).rejects.toThrow('abort');
    await gone.promise;
  });

  it('leave most of the platform’s limit to users, and learn when to try again', async () => {
    const { client, execute, logged } = await startConnected({
      UPSTREAM_CALLS_PER_MINUTE: '240',
      LOG_LEVEL: 'info',
    });

    // Agents have ten calls of forty at once; each tool makes two at least.
    const answers: string[] = [];
    for (let first = 1; first <= 10; first++) {
      const query = { name: 'FindPurchaseRequests', arguments: { status: 'SUBMITTED', first } };
      answers.push(JSON.stringify(await client.callTool(query)));
    }

    expect(answers.at(-1)).toMatch(/RATE_LIMITED.*try again in \d+ seconds/);
    expect((await execute('{ forms(first: 1) { totalCount } }')).errors).toBeUndefined();
    const operation = logged().find(({ msg }) => msg === 'operation');
    expect(operation).toMatchObject({ client: 'mcp', operation: 'FindPurchaseRequests' });
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
