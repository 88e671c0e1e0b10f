import type { IncomingMessage } from 'node:http';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';

import { executeAs } from '../../identity/support.ts';
import { startExtended, startService } from './support/start.ts';

const rates = (url: string) => `
import { defineExtension } from 'caseway/extension';
export default defineExtension({
  typeDefs: 'extend type Query { rate(currency: String!): String }',
  resolvers: {
    Query: {
      rate: {
        calls: 1,
        resolve: async (_s, { currency }, { fetch }) =>
          (await (await fetch('${url}/of/' + currency, { headers: { 'X-Key': 'k1' } })).json()).rate,
      },
    },
  },
});`;

describe('another service', () => {
  it('gets the headers of the call and the request id, and nothing of the caller’s', async () => {
    const seen: NodeJS.Dict<string | string[]>[] = [];
    const service = await startService(({ headers }) => {
      seen.push(headers);
      return { rate: '1.08' };
    });
    const { url } = await startExtended({ 'rates.ts': rates(service.url) });

    const own = { authorization: 'Bearer caller', cookie: 'a=b', 'x-api-key': 'c' };
    const { data, headers } = await executeAs(url, '{ rate(currency: "USD") }', own);

    expect(data).toEqual({ rate: '1.08' });
    expect(seen).toMatchObject([{ 'x-request-id': headers.get('x-request-id'), 'x-key': 'k1' }]);
    for (const name of ['authorization', 'cookie', 'x-api-key'])
      expect(seen[0]).not.toHaveProperty(name);
  });

  it('is aborted at the request’s deadline', async () => {
    const { promise: aborted, resolve } = Promise.withResolvers<void>();
    const service = await startService((_request, response) => void response.on('close', resolve));
    const { execute } = await startExtended(
      { 'rates.ts': rates(service.url) },
      { UPSTREAM_TIMEOUT_MS: '100' },
    );

    const { errors } = await execute('{ rate(currency: "USD") }');

    expect(errors).toMatchObject([{ extensions: { code: 'EXTENSION_FAILED' } }]);
    await aborted;
  });

  it('is counted in metrics, log and explain, separately from the platform', async () => {
    const service = await startService(() => ({ rate: '1.08' }));
    const { url, metrics, logged } = await startExtended({ 'rates.ts': rates(service.url) });

    const query = '{ rate(currency: "USD") suppliers(first: 1) { totalCount } }';
    const { extensions } = await executeAs(url, query, { 'x-caseway-explain': '1' });

    expect(extensions).toMatchObject({
      upstream: { calls: 1, left: 118 },
      extensionCalls: { 'rates.ts': 1 },
    });
    expect(logged().find(({ msg }) => msg === 'operation')).toMatchObject({
      upstreamCalls: 1,
      extensionCalls: 1,
    });
    const figures = await metrics();
    expect(figures).toContain('caseway_extension_calls_total{extension="rates.ts",ended="200"} 1');
    expect(figures).toContain('caseway_extension_call_seconds_count{extension="rates.ts"} 1');
  });
});

const CALLS = (url: string) => `
export default {
  typeDefs: 'extend type Query { plain: Int  posted: Int }',
  resolvers: {
    Query: {
      plain: { calls: 1, resolve: async (_s, _a, { fetch }) => (await (await fetch('${url}')).text()).length },
      posted: { calls: 1, resolve: async (_s, _a, { fetch }) =>
        (await fetch('${url}', { method: 'POST', headers: { 'X-Key': 'k1', 'Content-Type': 'text/plain', authorization: 'Basic k1' }, body: 'text' })).status },
    },
  },
};`;

describe('an answer of another service', () => {
  it('is requested uncompressed, and refused if it is compressed, since received bytes are counted', async () => {
    const packed = gzipSync(JSON.stringify('x'.repeat(50_000_000)));
    const accepted: unknown[] = [];
    const service = await startService(({ headers }, response) => {
      accepted.push(headers['accept-encoding']);
      response
        .setHeader('content-type', 'application/json')
        .setHeader('content-encoding', 'gzip')
        .end(packed);
    });
    const { execute, logged } = await startExtended({ 'own.js': CALLS(service.url) });

    const { data, errors } = await execute('{ plain }');

    expect(data).toEqual({ plain: null });
    expect(errors).toMatchObject([{ extensions: { code: 'EXTENSION_FAILED' } }]);
    expect(accepted).toEqual(['identity']);
    expect(logged()).toContainEqual(
      expect.objectContaining({ reason: expect.stringContaining('content-encoding') }),
    );
  });

  it('has 8 MB at most', async () => {
    const text = JSON.stringify('x'.repeat(8_388_607));
    const service = await startService((_request, response) => void response.end(text));
    const { execute } = await startExtended({ 'own.js': CALLS(service.url) });

    expect((await execute('{ plain }')).errors).toHaveLength(1);
  });
});

describe('a redirect that fetch follows', () => {
  const seen = async (path: (url: string) => string) => {
    const elsewhere: IncomingMessage['headers'][] = [];
    const other = await startService(({ url, headers }, response) => {
      elsewhere.push(headers);
      if (url === '/back') response.writeHead(307, { location: `${service.url}/next` }).end();
      return url === '/back' ? undefined : {};
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

  it('sends another origin neither the call’s own headers nor the request’s id', async () => {
    const { elsewhere, home } = await seen((other) => other);

    expect(home).toMatchObject([['/', { 'x-key': 'k1', 'x-request-id': expect.any(String) }]]);
    expect(elsewhere).toMatchObject([{ 'content-type': 'text/plain', 'content-length': '4' }]);
    for (const name of ['x-key', 'authorization', 'x-request-id'])
      expect(elsewhere[0]).not.toHaveProperty(name);
  });

  it('does not send them to its own origin either after a redirect back from another one', async () => {
    const { home } = await seen((other) => `${other}/back`);

    const [, [path, headers] = []] = home;
    expect([path, headers]).toMatchObject(['/next', { 'content-type': 'text/plain' }]);
    for (const name of ['x-key', 'authorization', 'x-request-id'])
      expect(headers).not.toHaveProperty(name);
  });

  it('keeps them within its origin', async () => {
    const { home } = await seen(() => '/next');

    expect(home).toMatchObject([
      ['/', { 'x-key': 'k1' }],
      ['/next', { 'x-key': 'k1', authorization: 'Basic k1' }],
    ]);
  });
});
