import { createServer } from 'node:http';
import { describe, expect, it, onTestFinished } from 'vitest';

import { startGateway } from '../../support/gateway.ts';
import { listen } from '../../support/listen.ts';
import { connectTo, requestFor } from '../support/raw-client.ts';

const LONG = 'x'.repeat(200_000);
/** More than fits into the buffers of a connection, from an answer of the platform that is far smaller. */
const MUCH = `{ rule(component: "a", version: "1") { ${Array.from({ length: 75 }, (_, n) => `a${n}: name`).join(' ')} } }`;

/** A gateway that takes one connection at a time, before a platform whose rules have long names. */
async function start(sendTimeoutMs: number) {
  const server = createServer((request, response) => {
    request.resume();
    const body = request.url?.endsWith('/token') ? { access_token: 'token' } : { name: LONG, parameters: [] };
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  const gateway = await startGateway({
    UPSTREAM_URL: await listen(server),
    UPSTREAM_USERNAME: 'demo',
    UPSTREAM_PASSWORD: 'demo',
    MAX_CONNECTIONS: '1',
    SEND_TIMEOUT_MS: String(sendTimeoutMs),
  });
  onTestFinished(gateway.close);
  return gateway;
}

describe('an answer that is larger than a connection holds', () => {
  it('loses its connection when it is not read within SEND_TIMEOUT_MS', async () => {
    const { url } = await start(50);
    const client = await connectTo(url);
    client.socket.pause();

    client.write(requestFor(MUCH));

    // There is room for one: others are answered once the client that does not read has gone.
    const isAnswered = () =>
      fetch(`${url}/livez`).then(
        ({ ok }) => ok,
        () => false,
      );
    await expect.poll(isAnswered).toBe(true);
  });

  it('is whole when it is read in time', async () => {
    const { url } = await start(60_000);
    const client = await connectTo(url);

    client.write(requestFor(MUCH));
    const text = await client.received(/\}\}\}\n?$/);

    expect(text.length).toBeGreaterThan(14_000_000);
  });
});
