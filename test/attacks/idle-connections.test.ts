import { once } from 'node:events';
import type { Socket } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';

import { head, open, operation, send } from './request.ts';
import { startTarget } from './target.ts';

/** The gateway's limit. */
const CONNECTIONS = 10_000;
const BATCH = 100;
/** A complete request, because connections without one time out before all are open. */
const REQUEST = head('GET /livez', { connection: 'keep-alive' });

it('serves every other client while 10,000 connections idle after a request', {
  timeout: 180_000,
}, async () => {
  const target = await startTarget();
  onTestFinished(target.stop);
  const sockets: Socket[] = [];
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
  });
  while (sockets.length < CONNECTIONS) {
    const batch = Array.from({ length: BATCH }, () =>
      open(target.url).on('error', () => undefined),
    );
    sockets.push(...batch);
    await Promise.all(batch.map((socket) => once(socket, 'connect')));
    for (const socket of batch) socket.write(REQUEST);
  }

  const answers = [];
  for (let count = 0; count < 20; count++)
    answers.push(await send(target.url, operation('{ __typename }')));

  expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200));
});
