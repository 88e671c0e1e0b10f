import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';

import { startChainPlatform } from '../support/chain-platform.ts';
import { postGraphql, shareGateway, startGateway } from '../support/gateway.ts';
import { connectTo, requestFor, statusesOf } from './support/raw-client.ts';

const gateway = shareGateway({ NODE_ENV: 'production', CALLER_AUTH: 'none' });

const BODY = JSON.stringify({ query: '{ __typename }' });
const LENGTH = `content-length: ${BODY.length}`;
const POST = 'POST /graphql HTTP/1.1';

/** Sends raw lines and returns the response after the server has closed the connection. */
async function exchange(lines: readonly string[], body = ''): Promise<string> {
  const client = await connectTo(gateway.url);
  client.write(`${lines.join('\r\n')}\r\n\r\n${body}`);
  return client.closed;
}

describe('an ambiguous HTTP request', () => {
  it.each([
    ['two hosts', 400, [POST, 'host: localhost', 'host: b', LENGTH, 'connection: close']],
    ['a length and chunks', 400, [POST, 'host: localhost', LENGTH, 'transfer-encoding: chunked']],
    ['two lengths', 400, [POST, 'host: localhost', LENGTH, 'content-length: 1']],
    ['headers of 20 KB', 431, [POST, 'host: localhost', `x-long: ${'x'.repeat(20_000)}`, LENGTH]],
    ['no HTTP', 400, [POST, 'host: localhost', 'no header at all']],
    ['the method TRACE', 405, ['TRACE /graphql HTTP/1.1', 'host: localhost', 'connection: close']],
  ])('is rejected in JSON: %s', async (_what, status, lines) => {
    const answer = await exchange([...lines, 'content-type: application/json'], BODY);

    expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    expect(JSON.parse(answer.slice(answer.indexOf('\r\n\r\n') + 4))).toMatchObject({
      errors: [{ extensions: { code: 'BAD_USER_INPUT' } }],
    });
  });

  it.each([
    ['a compressed body', { 'content-encoding': 'gzip' }, gzipSync(BODY)],
    ['a gzip bomb', { 'content-encoding': 'gzip' }, gzipSync(Buffer.alloc(49_000_000, 32))],
    ['a body in UTF-7', { 'content-type': 'application/json; charset=utf-7' }, BODY],
    ['no content type', { 'content-type': '' }, BODY],
    ['two media types in one', { 'content-type': 'text/plain;application/json' }, BODY],
  ])('is rejected with 415: %s', async (_what, headers, body) => {
    expect(await postGraphql(gateway.url, body, headers)).toMatchObject({
      status: 415,
      errors: [{ extensions: { code: 'BAD_USER_INPUT' } }],
    });
  });
});

it('a path that cannot be decoded is answered in the gateway’s own JSON, without the path', async () => {
  const text = await exchange(['GET /%zz-secret HTTP/1.1', 'host: localhost', 'connection: close']);

  expect(text).toMatch(/^HTTP\/1\.1 400 /);
  expect(text).toContain('"code":"BAD_USER_INPUT"');
  expect(text).toMatch(/x-request-id: [0-9a-f-]{36}/i);
  expect(text).not.toMatch(/zz-secret|FST_ERR/);
});

describe('pipelined requests on one connection', () => {
  const start = async () => {
    const platform = await startChainPlatform();
    const { url, execute } = await startGateway(platform.env);
    return { ...platform, execute, client: await connectTo(url) };
  };
  const read = (id: number) =>
    requestFor(`{ instance(formId: "link", instanceId: ${id}) { instanceId } }`);

  it('are answered in order', async () => {
    const { client, calls, next } = await start();

    const called = [next(), next()];
    client.write(read(1) + read(2));
    await Promise.all(called);
    for (const call of calls.toReversed()) call.answer();

    expect(await client.received(/"instanceId":"2"/)).toMatch(
      /"instanceId":"1".*"instanceId":"2"/s,
    );
  });

  it('close the connection when there are too many, without affecting others', async () => {
    const { execute, client } = await start();

    client.write(read(1).repeat(10_000));

    expect(await client.closed).toBe('');
    expect((await execute('{ __typename }')).status).toBe(200);
  });

  it('that are malformed do not affect the response before them', async () => {
    const { client, next } = await start();

    const called = next();
    client.write(`${read(1)}hello\r\n\r\n`);
    (await called).answer();
    const text = await client.closed;

    expect(statusesOf(text)).toEqual(['200']);
    expect(text).toContain('"instanceId":"1"');
  });
});
