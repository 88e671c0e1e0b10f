import { expect, it } from 'vitest';

import { callerKeys, executeAs } from '../identity/support.ts';
import { startGateway } from '../support/gateway.ts';
import { connectTo, statusesOf } from './support/raw-client.ts';

const MAX_ARRIVING = 200;

async function start() {
  const { url } = await startGateway(callerKeys('web', 'mobile', 'nightly'));
  /** Starts to send a body on each of this number of connections. */
  const begin = (count: number, key: string, path = '/graphql') =>
    Promise.all(
      Array.from({ length: count }, async () => {
        const client = await connectTo(url);
        client.write(
          `POST ${path} HTTP/1.1\r\nHost: localhost\r\nX-Api-Key: ${key}\r\nContent-Type: application/json\r\nContent-Length: 250000\r\n\r\n{`,
        );
        return client;
      }),
    );
  const ask = (key: string) => executeAs(url, '{ __typename }', { 'x-api-key': key });
  /** Waits until a caller's requests are refused with a status, and returns such an answer. */
  const refused = async (key: string, status: number) => {
    await expect.poll(async () => (await ask(key)).status).toBe(status);
    const answer = await ask(key);
    expect(answer.headers.get('retry-after')).toBe('1');
    return answer;
  };
  return { begin, ask, refused };
}

it('one caller’s bodies that arrive are half of all at most, and others are served', async () => {
  const { begin, ask, refused } = await start();
  const held = await begin(MAX_ARRIVING / 2, 'web');

  expect(await refused('web', 429)).toMatchObject({
    errors: [{ extensions: { code: 'RATE_LIMITED' } }],
  });
  expect((await ask('mobile')).status).toBe(200);

  for (const { socket } of held) socket.destroy();
  await expect.poll(async () => (await ask('web')).status).toBe(200);
});

it('no body is accepted while the maximum number arrives', async () => {
  const { begin, refused } = await start();
  for (const key of ['web', 'mobile']) await begin(MAX_ARRIVING / 2, key);

  expect(await refused('nightly', 503)).toMatchObject({
    errors: [{ extensions: { code: 'OVERLOADED' } }],
  });
});

it('strangers’ bodies on other paths leave room for callers', async () => {
  const { begin, ask } = await start();
  const strangers = await begin(MAX_ARRIVING, '', '/elsewhere');
  const refused = await Promise.race(
    strangers.map(({ closed, received }) => Promise.race([received(/429/), closed])),
  );

  expect(statusesOf(refused)).toEqual(['429']);
  expect((await ask('web')).status).toBe(200);
});
