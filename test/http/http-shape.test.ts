import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { startGateway, type TestGateway } from '../support/gateway.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway({ NODE_ENV: 'production', CALLER_AUTH: 'none' });
});
afterAll(() => gateway.close());

const BODY = JSON.stringify({ query: '{ __typename }' });
const LENGTH = `content-length: ${BODY.length}`;

/** Sends bytes as they are, and gives what came back until the server closed. */
async function exchange(head: readonly string[], body = BODY): Promise<{ status: number; body: unknown }> {
  const { hostname, port } = new URL(gateway.url);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  socket.write(`${['POST /graphql HTTP/1.1', 'content-type: application/json', ...head].join('\r\n')}\r\n\r\n${body}`);
  const answer = await text(socket);
  const [, status] = /^HTTP\/1\.1 (\d+)/.exec(answer) ?? [];
  return { status: Number(status), body: JSON.parse(answer.slice(answer.indexOf('\r\n\r\n') + 4)) };
}

describe('an ambiguous HTTP request', () => {
  it.each([
    ['two hosts', 400, ['host: localhost', 'host: b', LENGTH, 'connection: close']],
    ['a length and chunks', 400, ['host: localhost', LENGTH, 'transfer-encoding: chunked']],
    ['two lengths', 400, ['host: localhost', LENGTH, 'content-length: 1']],
    ['headers of 20 KB', 431, ['host: localhost', `x-long: ${'x'.repeat(20_000)}`, LENGTH]],
    ['no HTTP', 400, ['host: localhost', 'no header at all']],
  ])('is rejected in JSON: %s', async (_what, status, head) => {
    const answer = await exchange(head);

    expect(answer).toMatchObject({ status, body: { errors: [{ extensions: { code: 'BAD_USER_INPUT' } }] } });
  });

  it.each([
    ['a compressed body', { 'content-encoding': 'gzip' }, gzipSync(BODY)],
    ['a body in UTF-7', { 'content-type': 'application/json; charset=utf-7' }, BODY],
    ['no content type', { 'content-type': '' }, BODY],
    ['two media types in one', { 'content-type': 'text/plain;application/json' }, BODY],
  ])('is rejected with 415: %s', async (_what, headers, body) => {
    const response = await fetch(`${gateway.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body,
    });

    expect(response.status).toBe(415);
    expect(await response.json()).toMatchObject({ errors: [{ extensions: { code: 'BAD_USER_INPUT' } }] });
  });

  it('is rejected with 405 where the method is TRACE', async () => {
    const { hostname, port } = new URL(gateway.url);
    const socket = connect(Number(port), hostname);
    socket.write('TRACE /graphql HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n');

    expect(await text(socket)).toMatch(/^HTTP\/1\.1 405 .*BAD_USER_INPUT/s);
  });
});
