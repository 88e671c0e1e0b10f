import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { getIntrospectionQuery } from 'graphql';
import { expect, it } from 'vitest';

import { shareGateway } from '../support/gateway.ts';

const gateway = shareGateway();

/** Returns a response without decoding it. A request with a body is a POST. */
async function receive(path: string, headers: Readonly<Record<string, string>>, body?: string) {
  const sent = request(gateway.url + path, { headers, method: body ? 'POST' : 'GET' }).end(body);
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  return { encoding: response.headers['content-encoding'], body: await buffer(response) };
}

const INTROSPECTION = `/graphql?query=${encodeURIComponent(getIntrospectionQuery())}`;

it.each([
  ['introspection', INTROSPECTION, 'br', brotliDecompressSync],
  // It is compressed once for all clients.
  ['the schema', '/schema.graphql', 'gzip', gunzipSync],
] as const)(
  'a response of more than a kilobyte is compressed as the client accepts it: %s',
  async (_what, path, encoding, decompress) => {
    const plain = await receive(path, {});
    const best = await receive(path, { 'accept-encoding': 'gzip, br' });
    const gzip = await receive(path, { 'accept-encoding': 'gzip' });

    expect([plain.encoding, best.encoding, gzip.encoding]).toEqual([undefined, encoding, 'gzip']);
    expect(decompress(best.body)).toEqual(plain.body);
    expect(gunzipSync(gzip.body)).toEqual(plain.body);
    expect(best.body.length).toBeLessThan(plain.body.length / 3);
  },
);

it('a response of more than 4 MiB is not compressed', async () => {
  const ids = Array.from({ length: 190 }, (_, n) => `${'a'.repeat(190)}${n}: id`);
  const rows = 'instances(formId: "purchase-request", first: 50) { nodes { ...Ids } }';
  const query = `{ a: ${rows} b: ${rows} } fragment Ids on Instance { ${ids.join(' ')} }`;
  const headers = { 'accept-encoding': 'gzip, br', 'content-type': 'application/json' };

  const { encoding, body } = await receive('/graphql', headers, JSON.stringify({ query }));

  expect(encoding).toBeUndefined();
  expect(body.length).toBeGreaterThan(4 * 1_048_576);
});

it('a small response is not compressed', async () => {
  const path = '/graphql?query=%7B__typename%7D';

  expect((await receive(path, { 'accept-encoding': 'br' })).encoding).toBeUndefined();
});
