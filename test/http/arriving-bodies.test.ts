import { once } from 'node:events';
import { expect, it } from 'vitest';

import { callerKeys, executeAs } from '../identity/support.ts';
import { startGateway } from '../support/gateway.ts';
import { connectTo, type RawClient, statusesOf } from './support/raw-client.ts';

const MAX_ARRIVING = 200;

async function start() {
  const { url } = await startGateway({
    ...callerKeys('web', 'mobile', 'nightly'),
  });
  /** Starts to send a body. */
  const begin = async (key: string, path = '/graphql') => {
    const client = await connectTo(url);
    const head = [
      'Host: localhost',
      `X-Api-Key: ${key}`,
      'Content-Type: application/json',
      'Content-Length: 250000',
    ];
    client.write(`POST ${path} HTTP/1.1\r\n${head.join('\r\n')}\r\n\r\n{`);
    return client;
  };
  const ask = async (key: string) => {
    const { status, errors, headers } = await executeAs(url, '{ __typename }', {
      'x-api-key': key,
    });
    return { status, errors, retryAfter: headers.get('retry-after') };
  };
  return { begin, ask };
}

const leave = async ({ socket }: RawClient) => {
  const closed = once(socket, 'close');
  socket.destroy();
  await closed;
};

it('one caller’s bodies that arrive are half of all at most, and others are served', async () => {
  const { begin, ask } = await start();
  const held = await Promise.all(Array.from({ length: MAX_ARRIVING / 2 }, () => begin('web')));
  await expect.poll(async () => (await ask('web')).status).toBe(429);

  const refused = await ask('web');
  const served = await ask('mobile');
  await Promise.all(held.map(leave));

  expect(refused).toMatchObject({
    retryAfter: '1',
    errors: [{ extensions: { code: 'RATE_LIMITED' } }],
  });
  expect(served.status).toBe(200);
  await expect.poll(async () => (await ask('web')).status).toBe(200);
});

it('no body is accepted while the maximum number arrives', async () => {
  const { begin, ask } = await start();
  for (const key of ['web', 'mobile']) {
    await Promise.all(Array.from({ length: MAX_ARRIVING / 2 }, () => begin(key)));
  }
  await expect.poll(async () => (await ask('nightly')).status).toBe(503);

  const refused = await ask('nightly');

  expect(refused).toMatchObject({
    retryAfter: '1',
    errors: [{ extensions: { code: 'OVERLOADED' } }],
  });
});

it('strangers’ bodies on other paths leave room for callers', async () => {
  const { begin, ask } = await start();
  const strangers = await Promise.all(
    Array.from({ length: MAX_ARRIVING }, () => begin('', '/elsewhere')),
  );
  const refused = await Promise.race(
    strangers.map(({ closed, received }) => Promise.race([received(/429/), closed])),
  );

  expect(statusesOf(refused)).toEqual(['429']);
  expect((await ask('web')).status).toBe(200);
});
