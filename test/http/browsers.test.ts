import { describe, expect, it } from 'vitest';

import { callerKeys } from '../identity/support.ts';
import { type Env, postGraphql, startGateway } from '../support/gateway.ts';

const APP = 'https://app.example';
/** Headers that clients, tracing and error reporting add to requests of usual applications. */
const ASKED =
  'apollographql-client-name,apollographql-client-version,baggage,cache-control,content-type,sentry-trace,traceparent,tracestate,x-requested-with';

async function start(env: Env = {}) {
  const gateway = await startGateway({ LOG_LEVEL: 'warn', ...env });
  return { url: gateway.url, lines: gateway.lines };
}

const preflight = (url: string, origin: string) =>
  fetch(`${url}/graphql`, {
    method: 'OPTIONS',
    headers: {
      origin,
      'access-control-request-method': 'POST',
      'access-control-request-headers': ASKED,
    },
  });

const QUERY = '{"query":"{ __typename }"}';
const post = (url: string, headers: Readonly<Record<string, string>>) =>
  postGraphql(url, QUERY, headers);

it.each([APP, 'HTTPS://App.Example:443/'])(
  'a page of an allowed origin may send the headers that it requests (%s)',
  async (CORS_ORIGINS) => {
    const { url } = await start({ CORS_ORIGINS, NODE_ENV: 'production' });

    const { status, headers } = await preflight(url, APP);

    expect(status).toBe(204);
    expect(headers.get('access-control-allow-origin')).toBe(APP);
    expect(headers.get('access-control-allow-headers')).toBe(ASKED);
    expect(headers.get('access-control-allow-credentials')).toBe('true');
  },
);

describe('a request to the graph that a page makes', () => {
  it.each([
    ['/graphql', 'cross-site', 403],
    ['/graphql', 'same-site', 403],
    ['/%67raphql', 'cross-site', 403],
    ['/graph%71l', 'cross-site', 403],
    ['/graphql', 'same-origin', 200],
    ['/graphql', 'none', 200],
  ])('at %s of the site %s has the status %i', async (path, site, status) => {
    const { url } = await start();

    const response = await fetch(`${url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'sec-fetch-site': site },
      body: QUERY,
    });

    expect(response.status).toBe(status);
    expect(response.headers.get('access-control-allow-origin')).toBeNull();
  });

  it.each(['cross-site', 'same-site'])('by GET of the site %s is refused as well', async (site) => {
    const { url } = await start();

    const response = await fetch(`${url}/graphql?query={__typename}`, {
      headers: { 'sec-fetch-site': site },
    });

    expect(response.status).toBe(403);
    expect(response.headers.get('access-control-allow-origin')).toBeNull();
  });
});

describe('a page on this machine', () => {
  const LOCAL = [
    'http://localhost:5173',
    'http://127.0.0.1:3000',
    'http://[::1]:8080',
    'http://app.localhost:5173',
  ];

  it('may send requests in development', async () => {
    const { url, lines } = await start();

    for (const origin of LOCAL) {
      expect((await preflight(url, origin)).headers.get('access-control-allow-origin')).toBe(
        origin,
      );
      expect((await post(url, { origin, 'sec-fetch-site': 'same-site' })).status).toBe(200);
    }
    expect(lines).toEqual([]);
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

  it.each([{}, { CORS_ORIGINS: APP }])('is rejected in production with %o', async (env) => {
    const { url } = await start({ NODE_ENV: 'production', ...env });

    for (const origin of [`${APP}.other`, 'https://other.example', 'http://localhost:5173']) {
      expect((await preflight(url, origin)).headers.get('access-control-allow-origin')).toBeNull();
      expect((await post(url, { origin, 'sec-fetch-site': 'cross-site' })).status).toBe(403);
    }
  });

  it('cannot fill memory or log with invented origins, which are not logged', async () => {
    const { url, lines } = await start();

    for (const origin of ['secret-token', `https://${'a'.repeat(5_000)}.example/secret-token`]) {
      expect((await post(url, { origin })).status).toBe(403);
    }
    for (let index = 0; index < 150; index++)
      await post(url, { origin: `https://a${index}.example` });

    expect(lines.join('')).not.toMatch(/secret-token|a{300}/);
    expect(lines).toHaveLength(100);
  });
});

/** Headers of a browser that opens an address. */
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
    const { url } = await start(callerKeys('web'));

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

    const answer = await fetch(`${url}/graphql?query={__typename}`, {
      headers: { ...OPENS, accept: '*/*,text/html' },
    });

    expect(await answer.json()).toEqual({ data: { __typename: 'Query' } });
  });
});
