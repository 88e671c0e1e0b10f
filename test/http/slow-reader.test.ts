import { describe, expect, it } from 'vitest';

import { callerKeys, executeAs } from '../identity/support.ts';
import { startGateway } from '../support/gateway.ts';
import { limits } from '../support/limits.ts';
import { scriptPlatform } from '../support/scripted-platform.ts';
import { connectTo, requestFor } from './support/raw-client.ts';

/** A response of some 7.6 MB from a far smaller response of the platform. */
const MUCH = `{ rule(component: "a", version: "1") { ${Array.from({ length: 38 }, (_, n) => `a${n}: name`).join(' ')} } }`;
const isWhole = (text: string) => text.length > 7_500_000 && text.trimEnd().endsWith('"}}}');

/** A gateway before a platform whose rules have long names. */
async function start(maxConcurrentRequests = 2) {
  const { env } = await scriptPlatform(() => ({
    body: { name: 'x'.repeat(200_000), parameters: [] },
  }));
  const { url, close } = await startGateway({
    ...env,
    ...callerKeys('web', 'mobile'),
    ...limits({ maxConcurrentRequests, shutdownMs: 20_000 }),
  });
  const ask = (key: string) => executeAs(url, '{ __typename }', { 'x-api-key': key });
  return { url, ask, close };
}

/** A client that reads only the head of its response until `readRest` is called. */
async function readHead(url: string) {
  const client = await connectTo(url);
  client.write(requestFor(MUCH).replace('\r\n', '\r\nX-Api-Key: web\r\nConnection: close\r\n'));
  const head = await client.received(/^HTTP\/1\.1 /);
  client.socket.pause();
  const readRest = () => {
    client.socket.resume();
    return client.closed;
  };
  return { head, readRest };
}

describe('answers that their client does not read', () => {
  it('do not count as in flight, and are whole when they are read after all', async () => {
    const { url, ask } = await start();

    const { readRest } = await readHead(url);

    expect((await ask('web')).status).toBe(200);
    expect(isWhole(await readRest())).toBe(true);
  });

  it('are whole also where the gateway stops before they are read', async () => {
    const { url, close } = await start();
    const { readRest } = await readHead(url);

    const stopped = close();
    await expect.poll(() => fetch(`${url}/livez`).catch(() => 'refused')).toBe('refused');

    expect(isWhole(await readRest())).toBe(true);
    await stopped;
  });

  it('let their caller have no more beyond 32 MiB, until they are read, and others are served', async () => {
    const { url, ask } = await start();
    const unread = [];
    for (let count = 0; count < 5; count++) unread.push(await readHead(url));

    expect(await ask('web')).toMatchObject({
      status: 429,
      errors: [{ extensions: { code: 'RATE_LIMITED' } }],
    });
    expect((await ask('mobile')).status).toBe(200);
    for (const { readRest } of unread) expect(isWhole(await readRest())).toBe(true);
    await expect.poll(async () => (await ask('web')).status).toBe(200);
  });

  it('are 64 MiB of one caller at most, however many requests come at once', async () => {
    const { url, ask } = await start(40);
    const heads = Array.from({ length: 16 }, () => readHead(url).catch(() => undefined));

    const unread = (await Promise.all(heads)).filter((client) => client?.head.includes(' 200 OK'));

    expect(unread.length).toBeGreaterThan(4);
    expect(unread.length).toBeLessThan(10);
    expect((await ask('mobile')).status).toBe(200);
  });
});
