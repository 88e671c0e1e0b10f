import { request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { getIntrospectionQuery } from 'graphql';
import { describe, expect, it } from 'vitest';

import { shareGateway } from '../support/gateway.ts';

const gateway = shareGateway();

/** An answer as it goes over the wire. */
const receive = (path: string, headers: Readonly<Record<string, string>>) =>
  new Promise<{ encoding: string | undefined; body: Buffer }>((resolve, reject) => {
    request(`${gateway.url}${path}`, { headers }, async (response) => {
      resolve({ encoding: response.headers['content-encoding'], body: await buffer(response) });
    })
      .on('error', reject)
      .end();
  });

const INTROSPECTION = `/graphql?query=${encodeURIComponent(getIntrospectionQuery())}`;

describe('a response of more than a kilobyte', () => {
  it.each([
    ['introspection', INTROSPECTION],
    ['the schema', '/schema.graphql'],
  ])('is compressed as the client accepts it: %s', async (_what, path) => {
    const plain = await receive(path, {});
    const brotli = await receive(path, { 'accept-encoding': 'gzip, br' });
    const gzip = await receive(path, { 'accept-encoding': 'gzip' });

    expect([plain.encoding, brotli.encoding, gzip.encoding]).toEqual([undefined, 'br', 'gzip']);
    expect(brotliDecompressSync(brotli.body)).toEqual(plain.body);
    expect(gunzipSync(gzip.body)).toEqual(plain.body);
    expect(brotli.body.length).toBeLessThan(plain.body.length / 3);
  });
});

it('a small response is not compressed', async () => {
  expect((await receive('/graphql?query=%7B__typename%7D', { 'accept-encoding': 'br' })).encoding).toBeUndefined();
});
