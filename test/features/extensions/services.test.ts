import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';

import { startExtended, startService } from './support/start.ts';

const rates = (url: string, options = '') => `
import { defineExtension } from 'caseway/extension';
export default defineExtension({
  services: { rates: { url: '${url}/v1', errorCode: 'RATES_UNAVAILABLE', headers: { 'X-Key': 'k1' }, ${options} } },
  typeDefs: 'extend type Query { rate(currency: String!): String  graph: Int  plain: Int }',
  resolvers: {
    Query: {
      rate: { calls: 1, resolve: async (_s, { currency }, { services }) => (await services.rates.json('/of/' + currency)).rate },
      graph: { calls: 1, resolve: async (_s, _a, { services }) => (await services.rates.graphql('query Q($n: Int!) { twice(n: $n) }', { n: 2 })).twice },
      plain: { calls: 1, resolve: async (_s, _a, { fetch }) => (await fetch('${url}/plain')).status },
    },
  },
});`;

describe('another service', () => {
  it('is called by path with its own headers and the request id, and with nothing of the caller’s', async () => {
    const seen: NodeJS.Dict<string | string[]>[] = [];
    const service = await startService(({ headers }) => {
      seen.push(headers);
      return { rate: '1.08' };
    });
    const { execute, url } = await startExtended({ 'rates.ts': rates(service.url) });

    const response = await fetch(`${url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: 'Bearer caller', cookie: 'a=b', 'x-api-key': 'c' },
      body: JSON.stringify({ query: '{ rate(currency: "USD") plain }' }),
    });

    expect(await response.json()).toEqual({ data: { rate: '1.08', plain: 200 } });
    expect(service.calls.sort()).toEqual(['GET /plain', 'GET /v1/of/USD']);
    const id = response.headers.get('x-request-id');
    expect(seen).toMatchObject([{ 'x-request-id': id }, { 'x-request-id': id }]);
    expect(seen.map((headers) => headers['x-key']).sort()).toEqual(['k1', undefined]);
    for (const headers of seen) expect(Object.keys(headers)).not.toEqual(expect.arrayContaining(['authorization']));
    for (const headers of seen) expect(headers['cookie'] ?? headers['x-api-key']).toBeUndefined();
    expect((await execute('{ rate(currency: "../secret") }')).errors).toMatchObject([
      { message: expect.stringContaining('encodeURIComponent'), extensions: { code: 'EXTENSION_FAILED' } },
    ]);
    expect((await execute('{ rate(currency: ".\\t./secret") }')).errors).toHaveLength(1);
    expect(service.calls).toHaveLength(2);
  });

  it('takes a call’s headers in place of its own, and redirects them nowhere', async () => {
    const other = await startService(() => ({}));
    const seen: unknown[] = [];
    const service = await startService(({ headers }, response) => {
      seen.push(headers['x-key']);
      response.writeHead(302, { location: other.url }).end();
    });
    const { execute } = await startExtended({
      'own.js': `export default {
        services: { own: { url: '${service.url}', headers: { 'X-Key': 'k1' } } },
        typeDefs: 'extend type Query { own: Int }',
        resolvers: { Query: { own: (_s, _a, { services }) => services.own.json('/', { headers: { 'x-key': 'k2' } }) } },
      };`,
    });

    expect((await execute('{ own }')).errors).toMatchObject([{ extensions: { code: 'SERVICE_UNAVAILABLE' } }]);
    expect(seen).toEqual(['k2']);
    expect(other.calls).toEqual([]);
  });

  it('may speak GraphQL', async () => {
    const service = await startService(async (request, response) => {
      const [body] = await once(request, 'data');
      const { query, variables } = JSON.parse(String(body));
      expect([request.method, query]).toEqual(['POST', 'query Q($n: Int!) { twice(n: $n) }']);
      response.setHeader('content-type', 'application/json').end(JSON.stringify({ data: { twice: variables.n * 2 } }));
    });
    const { execute } = await startExtended({ 'rates.ts': rates(service.url) });

    expect((await execute('{ graph }')).data).toEqual({ graph: 4 });
  });

  it.each([
    ['answers by an error', (_: unknown, response: ServerResponse) => void response.writeHead(500).end('the secret')],
    ['answers what is no JSON', (_: unknown, response: ServerResponse) => void response.end('<html>')],
    ['drops the connection', (_: unknown, response: ServerResponse) => void response.destroy()],
    ['does not answer in time', () => undefined],
  ])('that %s fails its field with its own code', async (_case, answer) => {
    const service = await startService(answer as () => unknown);
    const { execute, lines } = await startExtended({ 'rates.ts': rates(service.url, 'timeoutMs: 300') });

    const { data, errors } = await execute('{ rate(currency: "USD") viewer { name } }');

    expect(data).toEqual({ rate: null, viewer: null });
    expect(errors).toMatchObject([
      { message: 'rates gave no usable answer.', extensions: { code: 'RATES_UNAVAILABLE', retryable: true } },
    ]);
    expect(lines.find(({ service: name }) => name === 'rates')).toMatchObject({ extension: 'rates.ts' });
  });

  it('has a limit of calls in flight, for all requests together', async () => {
    const waiting: ServerResponse[] = [];
    let most = 0;
    const service = await startService((_request, response) => {
      waiting.push(response);
      most = Math.max(most, waiting.length);
      setImmediate(() => waiting.shift()?.setHeader('content-type', 'application/json').end('{"rate":"1"}'));
    });
    const { execute } = await startExtended({ 'rates.ts': rates(service.url, 'concurrency: 2') });

    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, index) => execute(`{ rate(currency: "C${index}") }`)),
    );

    expect(answers.map(({ data }) => data.rate)).toEqual(Array(12).fill('1'));
    expect(most).toBeLessThanOrEqual(2);
  });

  it('is aborted at the request’s deadline', async () => {
    const service = await startService(() => undefined);
    const { execute } = await startExtended({ 'rates.ts': rates(service.url) }, { REQUEST_TIMEOUT_MS: '300' });

    const { errors } = await execute('{ rate(currency: "USD") plain }');

    expect(errors?.map(({ extensions }) => extensions['code'])).toEqual(['UPSTREAM_TIMEOUT', 'UPSTREAM_TIMEOUT']);
  });

  it('is counted in metrics, log and explain, separately from the platform', async () => {
    const service = await startService(() => ({ rate: '1.08' }));
    const { url, metricsUrl, lines } = await startExtended({ 'rates.ts': rates(service.url) }, { METRICS_PORT: '0' });

    const response = await fetch(`${url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-caseway-explain': '1' },
      body: JSON.stringify({ query: '{ rate(currency: "USD") plain suppliers(first: 1) { totalCount } }' }),
    });

    const { extensions } = (await response.json()) as { readonly extensions: object };
    expect(extensions).toMatchObject({ upstream: { calls: 1, left: 117 }, extensionCalls: { 'rates.ts': 2 } });
    expect(lines.find(({ msg }) => msg === 'operation')).toMatchObject({ upstreamCalls: 1, extensionCalls: 2 });
    const metrics = await (await fetch(metricsUrl ?? '')).text();
    expect(metrics).toContain('caseway_extension_calls_total{extension="rates.ts",ended="200"} 2');
    expect(metrics).toContain('caseway_extension_call_seconds_count{extension="rates.ts"} 2');
  });
});

const CALLS = (url: string) => `
export default {
  services: { own: { url: '${url}' } },
  typeDefs: 'extend type Query { json: Int  plain: Int  posted: Int }',
  resolvers: {
    Query: {
      json: async (_s, _a, { services }) => (await services.own.json('/')).length,
      plain: async (_s, _a, { fetch }) => (await (await fetch('${url}')).text()).length,
      posted: async (_s, _a, { fetch }) =>
        (await fetch('${url}', { method: 'POST', headers: { 'X-Key': 'k1', 'Content-Type': 'text/plain', authorization: 'Basic k1' }, body: 'text' })).status,
    },
  },
};`;

describe('an answer of another service', () => {
  it('is asked for uncompressed, and refused when it is compressed: its bytes are counted as they come', async () => {
    const packed = gzipSync(JSON.stringify('x'.repeat(50_000_000)));
    const accepted: unknown[] = [];
    const service = await startService(({ headers }, response) => {
      accepted.push(headers['accept-encoding']);
      response.setHeader('content-type', 'application/json').setHeader('content-encoding', 'gzip').end(packed);
    });
    const { execute, lines } = await startExtended({ 'own.js': CALLS(service.url) });

    const { data, errors } = await execute('{ json plain }');

    expect(data).toEqual({ json: null, plain: null });
    expect(errors?.map(({ extensions }) => extensions['code']).sort()).toEqual([
      'EXTENSION_FAILED',
      'SERVICE_UNAVAILABLE',
    ]);
    expect(accepted).toEqual(['identity', 'identity']);
    expect(lines).toContainEqual(expect.objectContaining({ reason: expect.stringContaining('content-encoding') }));
  });

  it.each(['json', 'plain'])('has 8 MB at most: %s', async (field) => {
    const text = JSON.stringify('x'.repeat(8_388_607));
    const service = await startService((_request, response) => void response.end(text));
    const { execute } = await startExtended({ 'own.js': CALLS(service.url) });

    expect((await execute(`{ ${field} }`)).errors).toHaveLength(1);
  });
});

describe('a redirect that fetch follows', () => {
  const seen = async (path: (url: string) => string) => {
    const elsewhere: IncomingMessage['headers'][] = [];
    const other = await startService(({ headers }) => {
      elsewhere.push(headers);
      return {};
    });
    const home: (readonly [string | undefined, IncomingMessage['headers']])[] = [];
    const service = await startService(({ url, headers }, response) => {
      home.push([url, headers]);
      if (url === '/') response.writeHead(307, { location: path(other.url) }).end();
      return url === '/' ? undefined : {};
    });
    const { execute } = await startExtended({ 'own.js': CALLS(service.url) });
    const { data } = await execute('{ posted }');
    expect(data).toEqual({ posted: 200 });
    return { elsewhere, home };
  };

  it('gives another origin none of the call’s own headers, nor the request’s id', async () => {
    const { elsewhere, home } = await seen((other) => other);

    expect(home).toMatchObject([['/', { 'x-key': 'k1', 'x-request-id': expect.any(String) }]]);
    expect(elsewhere).toMatchObject([{ 'content-type': 'text/plain', 'content-length': '4' }]);
    for (const name of ['x-key', 'authorization', 'x-request-id']) expect(elsewhere[0]).not.toHaveProperty(name);
  });

  it('keeps them within its origin', async () => {
    const { home } = await seen(() => '/next');

    expect(home).toMatchObject([
      ['/', { 'x-key': 'k1' }],
      ['/next', { 'x-key': 'k1', authorization: 'Basic k1' }],
    ]);
  });
});
