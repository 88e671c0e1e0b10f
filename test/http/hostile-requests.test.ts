import { afterEach, describe, expect, it } from 'vitest';

import { startChainPlatform } from '../support/chain-platform.ts';
import { shareGateway, startGateway } from '../support/gateway.ts';
import { connectTo, requestFor, statusesOf } from './support/raw-client.ts';

const gateway = shareGateway({
  NODE_ENV: 'production',
  CALLER_AUTH: 'none',
  METRICS_PORT: '0',
  LOG_LEVEL: 'info',
});

/** Text of stack traces, product names and HTML pages. */
const INTERNALS = /node_modules|\.ts:\d+|Maximum call stack|Did you mean|graphql-js|fastify|<html/i;

describe('a gateway that gets a hostile request', () => {
  afterEach(async () => {
    expect(await gateway.execute('{ __typename }')).toMatchObject({ status: 200 });
    expect(gateway.lines).not.toEqual([]);
    expect(gateway.lines.join('\n')).not.toMatch(INTERNALS);
  });

  it.each([
    ['a batch of 1,000', '400', [`[${Array(1_000).fill('{"query":"{__typename}"}').join()}]`]],
    ['60 MB', '413', Array<string>(60).fill(' '.repeat(1_000_000))],
  ])('refuses a body of %s, and serves the next client', async (_what, status, parts) => {
    const client = await connectTo(gateway.url);
    const length = parts.join('').length;
    client.write(
      `POST /graphql HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nConnection: close\r\nContent-Length: ${length}\r\n\r\n`,
    );
    for (const part of parts) client.write(part);
    const text = await client.closed;

    // A client that keeps sending after the refusal may see only a closed connection.
    if (text !== '' || status !== '413') expect(statusesOf(text)).toEqual([status]);
    expect(text).not.toMatch(INTERNALS);
  });

  it.each([
    ['the gateway', 'Host: localhost\r\n', () => gateway.url],
    ['the metrics', 'Host: localhost\r\n', () => new URL(`${gateway.metricsUrl}`).origin],
    ['the sandbox', 'Host: localhost\r\n', () => gateway.origin],
    ['the sandbox, without a host', '', () => gateway.origin],
  ])(
    'closes connections with 80,000 requests sent ahead, and serves the next client: %s',
    async (_port, host, urlOf) => {
      const clients = [await connectTo(urlOf()), await connectTo(urlOf())];
      for (const { write } of clients) write(`GET /a HTTP/1.1\r\n${host}\r\n`.repeat(80_000));

      for (const { closed } of clients) {
        const text = await closed;
        const statuses = statusesOf(text);
        expect(statuses.length).toBeLessThan(1_000);
        expect(['400', '404', '421']).toEqual(expect.arrayContaining(statuses));
        expect(text).not.toMatch(INTERNALS);
      }
    },
  );
});

it('a client that leaves with 100,000 requests sent ahead of a slow answer ends its call, and others are served', async () => {
  const platform = await startChainPlatform();
  const { url, execute } = await startGateway(platform.env);
  const client = await connectTo(url);
  const called = platform.next();
  client.write(requestFor('{ form(formId: "link") { name } }'));
  const call = await called;

  client.socket.write('GET /a HTTP/1.1\r\nHost: localhost\r\n\r\n'.repeat(100_000), () =>
    client.socket.destroy(),
  );

  await call.dropped;
  expect(await execute('{ __typename }')).toMatchObject({ status: 200 });
});
