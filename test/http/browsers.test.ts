import { describe, expect, it } from 'vitest';

import { startGateway } from '../support/gateway.ts';

const APP = 'https://app.example';
/** Headers that clients, tracing and error reporting of usual applications add to each request. */
const ASKED =
  'apollographql-client-name,apollographql-client-version,baggage,cache-control,content-type,sentry-trace,traceparent,tracestate,x-requested-with';

async function start(env: Readonly<Record<string, string>> = {}) {
  const lines: string[] = [];
  const gateway = await startGateway({ LOG_LEVEL: 'warn', ...env }, (line) => lines.push(line));
  return { url: gateway.url, lines };
}

const preflight = (url: string, origin: string) =>
  fetch(`${url}/graphql`, {
    method: 'OPTIONS',
    headers: { origin, 'access-control-request-method': 'POST', 'access-control-request-headers': ASKED },
  });

const post = (url: string, headers: Readonly<Record<string, string>>) =>
  fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: '{"query":"{ __typename }"}',
  });

describe('a page of an allowed origin', () => {
  it('may send the headers that it requests', async () => {
    const { url } = await start({ CORS_ORIGINS: APP, NODE_ENV: 'production' });

    const { status, headers } = await preflight(url, APP);

    expect(status).toBe(204);
    expect(headers.get('access-control-allow-origin')).toBe(APP);
    expect(headers.get('access-control-allow-headers')).toBe(ASKED);
  });

  it('may send requests however the setting spells it', async () => {
    const { url } = await start({ CORS_ORIGINS: 'HTTPS://App.Example:443/' });

    expect((await preflight(url, APP)).headers.get('access-control-allow-origin')).toBe(APP);
  });
});

describe('a page on this machine', () => {
  const LOCAL = ['http://localhost:5173', 'http://127.0.0.1:3000', 'http://[::1]:8080', 'http://app.localhost:5173'];

  it('may send requests in development', async () => {
    const { url, lines } = await start();

    for (const origin of LOCAL) {
      expect((await preflight(url, origin)).headers.get('access-control-allow-origin')).toBe(origin);
      expect((await post(url, { origin, 'sec-fetch-site': 'same-site' })).status).toBe(200);
    }
    expect(lines).toEqual([]);
  });

  it('may not send requests in production', async () => {
    const { url } = await start({ NODE_ENV: 'production' });
    const [origin = ''] = LOCAL;

    expect((await preflight(url, origin)).headers.get('access-control-allow-origin')).toBeNull();
    expect((await post(url, { origin, 'sec-fetch-site': 'cross-site' })).status).toBe(403);
  });
});

describe('a page of another origin', () => {
  it('is rejected, and logged once with the setting to change', async () => {
    const { url, lines } = await start();

    for (const origin of [APP, APP, 'https://other.example']) {
      await preflight(url, origin);
      expect((await post(url, { origin, 'sec-fetch-site': 'cross-site' })).status).toBe(403);
    }

    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { level: 40, origin: APP, msg: expect.stringContaining('CORS_ORIGINS') },
      { level: 40, origin: 'https://other.example' },
    ]);
  });

  it('is rejected where another one is allowed, also one whose name it begins with', async () => {
    const { url } = await start({ CORS_ORIGINS: APP, NODE_ENV: 'production' });

    for (const origin of [`${APP}.other`, 'https://other.example']) {
      expect((await preflight(url, origin)).headers.get('access-control-allow-origin')).toBeNull();
      expect((await post(url, { origin, 'sec-fetch-site': 'cross-site' })).status).toBe(403);
    }
  });

  it('is logged without the values that it invented', async () => {
    const { url, lines } = await start();

    for (const origin of ['secret-token', `https://${'a'.repeat(5_000)}.example/secret-token`]) {
      expect((await post(url, { origin })).status).toBe(403);
    }

    expect(lines.join('')).not.toMatch(/secret-token|a{300}/);
  });

  it('cannot fill memory or log with invented origins', async () => {
    const { url, lines } = await start();

    for (let index = 0; index < 150; index++) await post(url, { origin: `https://a${index}.example` });

    expect(lines).toHaveLength(100);
  });
});

/** What a browser sends that opens an address. */
const OPENS = {
  accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
  'sec-fetch-mode': 'navigate',
  'sec-fetch-dest': 'document',
};
const open = (url: string, site: string) =>
  fetch(`${url}/graphql`, { headers: { ...OPENS, 'sec-fetch-site': site }, redirect: 'manual' });

describe('a browser that opens /graphql', () => {
  it.each(['none', 'cross-site'])('is redirected to the playground (%s)', async (site) => {
    const { url, lines } = await start();

    const { status, headers } = await open(url, site);

    expect(status).toBe(302);
    expect(headers.get('location')).toBe('/playground');
    expect(lines).toEqual([]);
  });

  it('is redirected there although callers must authenticate', async () => {
    const CALLER_KEYS = `web:${'0'.repeat(64)}`;
    const { url } = await start({ CALLER_AUTH: 'key', CALLER_KEYS });

    expect((await open(url, 'none')).status).toBe(302);
  });

  it('gets an explanation where the playground is off', async () => {
    const { url } = await start({ PLAYGROUND: 'off' });

    const answer = await open(url, 'none');

    expect(answer.status).toBe(400);
    expect(answer.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    expect(await answer.text()).toMatch(/GraphQL.*PLAYGROUND=on/);
  });

  it('gets the response where the address has a query', async () => {
    const { url } = await start();

    const answer = await fetch(`${url}/graphql?query={__typename}`, { headers: { ...OPENS, accept: '*/*,text/html' } });

    expect(await answer.json()).toEqual({ data: { __typename: 'Query' } });
  });
});
