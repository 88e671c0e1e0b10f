import { describe, expect, it } from 'vitest';

import { callerKeys } from '../identity/support.ts';
import { postGraphql, shareGateway, startGateway } from '../support/gateway.ts';

const APP = 'https://app.example';
const OTHER = 'https://other.example';
/** Headers that clients, tracing and error reporting add to requests of usual applications. */
const ASKED =
  'apollographql-client-name,apollographql-client-version,baggage,cache-control,content-type,sentry-trace,traceparent,tracestate,x-requested-with';

const preflight = (url: string, origin: string) =>
  fetch(`${url}/graphql`, {
    method: 'OPTIONS',
    headers: {
      origin,
      'access-control-request-method': 'POST',
      'access-control-request-headers': ASKED,
    },
  });
const allowedOrigin = async (url: string, origin: string) =>
  (await preflight(url, origin)).headers.get('access-control-allow-origin');

const BODY = '{"query":"{ __typename }"}';
const statusOf = async (url: string, headers: Readonly<Record<string, string>>) =>
  (await postGraphql(url, BODY, headers)).status;

const gateway = shareGateway({ LOG_LEVEL: 'warn' });

it.each([APP, 'HTTPS://App.Example:443/'])(
  'a page of an allowed origin may send the headers that it requests (%s)',
  async (CORS_ORIGINS) => {
    const { url } = await startGateway({ CORS_ORIGINS, NODE_ENV: 'production' });

    const { status, headers } = await preflight(url, APP);

    expect(status).toBe(204);
    expect(headers.get('access-control-allow-origin')).toBe(APP);
    expect(headers.get('access-control-allow-headers')).toBe(ASKED);
    expect(headers.get('access-control-allow-credentials')).toBe('true');
  },
);

describe('a request to the graph that a page makes', () => {
  it.each([
    ['POST', '/graphql', 'cross-site', 403],
    ['POST', '/graphql', 'same-site', 403],
    ['POST', '/%67raphql', 'cross-site', 403],
    ['POST', '/graph%71l', 'cross-site', 403],
    ['POST', '/graphql', 'same-origin', 200],
    ['POST', '/graphql', 'none', 200],
    ['GET', '/graphql?query={__typename}', 'cross-site', 403],
    ['GET', '/graphql?query={__typename}', 'same-site', 403],
  ])('by %s at %s of the site %s has the status %i', async (method, path, site, status) => {
    const response = await fetch(gateway.url + path, {
      method,
      headers: { 'content-type': 'application/json', 'sec-fetch-site': site },
      ...(method === 'POST' && { body: BODY }),
    });

    expect(response.status).toBe(status);
    expect(response.headers.get('access-control-allow-origin')).toBeNull();
  });
});

it('a page on this machine may send requests in development', async () => {
  const { url, lines } = await startGateway({ LOG_LEVEL: 'warn' });

  for (const host of ['localhost:5173', '127.0.0.1:3000', '[::1]:8080', 'app.localhost:5173']) {
    const origin = `http://${host}`;
    expect(await allowedOrigin(url, origin)).toBe(origin);
    expect(await statusOf(url, { origin, 'sec-fetch-site': 'same-site' })).toBe(200);
  }
  expect(lines).toEqual([]);
});

describe('a page of another origin', () => {
  it('is rejected, and logged once with the setting to change', async () => {
    const { url, logged } = await startGateway({ LOG_LEVEL: 'warn' });

    for (const origin of [APP, APP, OTHER]) {
      await preflight(url, origin);
      expect(await statusOf(url, { origin, 'sec-fetch-site': 'cross-site' })).toBe(403);
    }

    expect(logged()).toMatchObject([
      { level: 40, origin: APP, msg: expect.stringContaining('CORS_ORIGINS') },
      { level: 40, origin: OTHER },
    ]);
  });

  it.each([{}, { CORS_ORIGINS: APP }])('is rejected in production with %o', async (env) => {
    const { url } = await startGateway({ NODE_ENV: 'production', ...env });

    for (const origin of [`${APP}.other`, OTHER, 'http://localhost:5173']) {
      expect(await allowedOrigin(url, origin)).toBeNull();
      expect(await statusOf(url, { origin, 'sec-fetch-site': 'cross-site' })).toBe(403);
    }
  });

  it('cannot fill memory or log with invented origins, which are not logged', async () => {
    const { url, lines } = await startGateway({ LOG_LEVEL: 'warn' });

    for (const origin of ['secret-token', `https://${'a'.repeat(5_000)}.example/secret-token`])
      expect(await statusOf(url, { origin })).toBe(403);
    for (let index = 0; index < 150; index++)
      await statusOf(url, { origin: `https://a${index}.example` });

    expect(lines.join('')).not.toMatch(/secret-token|a{300}/);
    expect(lines).toHaveLength(100);
  });
});

describe('a browser that opens /graphql', () => {
  const open = (url: string, site: string, search = '', headers = {}) =>
    fetch(`${url}/graphql${search}`, {
      headers: {
        accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
        'sec-fetch-mode': 'navigate',
        'sec-fetch-dest': 'document',
        'sec-fetch-site': site,
        ...headers,
      },
      redirect: 'manual',
    });

  it.each(['none', 'cross-site'])(
    'is redirected to the playground, although callers must authenticate (%s)',
    async (site) => {
      const { url, lines } = await startGateway({ LOG_LEVEL: 'warn', ...callerKeys('web') });

      const { status, headers } = await open(url, site);

      expect([status, headers.get('location')]).toEqual([302, '/playground']);
      expect(lines).toEqual([]);
    },
  );

  it('gets an explanation where the playground is off', async () => {
    const answer = await open((await startGateway({ PLAYGROUND: 'off' })).url, 'none');

    expect(answer.status).toBe(400);
    expect(answer.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    expect(await answer.text()).toMatch(/GraphQL.*PLAYGROUND=on/);
  });

  it('gets the response where the address has a query', async () => {
    const answer = await open(gateway.url, 'none', '?query={__typename}', {
      accept: '*/*,text/html',
    });

    expect(await answer.json()).toEqual({ data: { __typename: 'Query' } });
  });
});
