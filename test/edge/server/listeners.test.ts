import { createServer } from 'node:http';
import { connect } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';

import { addListeners, shared } from '../../../src/edge/server/listeners.ts';
import { startGateway } from '../../support/gateway.ts';

const HERE = { port: 0, host: '127.0.0.1' };

/** A server with its other listeners. Gives its port. */
async function listen() {
  const server = createServer((_request, response) => response.end('served'));
  const listeners = addListeners(server, { maxConnections: 100 });
  const where = await shared(HERE);
  await new Promise<void>((resolve) => server.listen(where, resolve));
  const address = server.address();
  const port = address !== null && typeof address === 'object' ? address.port : 0;
  const close = () => {
    listeners.stop();
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  };
  return { port, close };
}

it('whichever listener takes a connection, the server serves it', async () => {
  const { port, close } = await listen();
  onTestFinished(async () => void (await close()));

  const answers = await Promise.all(Array.from({ length: 64 }, () => fetch(`http://127.0.0.1:${port}`)));

  expect(new Set(await Promise.all(answers.map((answer) => answer.text())))).toEqual(new Set(['served']));
});

it('none of them listens any more once they are told to stop', async () => {
  const { port, close } = await listen();
  await close();

  const failures = await Promise.all(
    Array.from(
      { length: 16 },
      () => new Promise((resolve) => connect(port, '127.0.0.1').on('error', ({ name }) => resolve(name))),
    ),
  );

  expect(new Set(failures)).toEqual(new Set(['Error']));
});

it('a gateway does not start where another one listens', async () => {
  const gateway = await startGateway();
  onTestFinished(gateway.close);

  const second = shared({ ...HERE, port: Number(new URL(gateway.url).port) });

  await expect(second).rejects.toMatchObject({ code: 'EADDRINUSE' });
});
