import { once } from 'node:events';
import type { Socket } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';

import { head, open, operation, send } from './request.ts';
import { startTarget } from './target.ts';

const BATCH = 100;

/** Opens 10,000 connections, as many as the gateway takes, and sends something on each. */
async function openMany(url: string, bytes: string): Promise<void> {
  const sockets: Socket[] = [];
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
  });
  while (sockets.length < 10_000) {
    const batch = Array.from({ length: BATCH }, () => open(url).on('error', () => undefined));
    sockets.push(...batch);
    await Promise.all(batch.map((socket) => once(socket, 'connect')));
    for (const socket of batch) socket.write(bytes);
  }
}

it.each([
  ['nothing', ''],
  ['half of a head', 'GET /graphql HTTP/1.1\r\nhost: local'],
  ['one request', head('GET /livez', { connection: 'keep-alive' })],
])(
  'serves every other client while 10,000 connections idle that sent %s',
  { timeout: 180_000 },
  async (_what, bytes) => {
    const target = await startTarget();
    onTestFinished(target.stop);
    await openMany(target.url, bytes);

    const answers = [];
    for (let count = 0; count < 20; count++) answers.push(await send(target.url, operation('{ __typename }')));

    expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200));
  },
);

it('serves again once 10,000 connections have timed out that sent half of a body', { timeout: 180_000 }, async () => {
  const target = await startTarget();
  onTestFinished(target.stop);
  await openMany(target.url, head('POST /graphql', { 'content-type': 'application/json', 'content-length': '9' }));

  const served = async () => (await send(target.url, operation('{ __typename }'))).status;
  await expect.poll(served, { timeout: 30_000 }).toBe(200);
});
