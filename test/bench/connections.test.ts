import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';

import { acceptedOf, listenQueueOf } from '../../bench/listen-queue.ts';
import { closedLoop, type LoadOptions, runLoad } from '../../bench/load/index.ts';

const ignore = (socket: Socket) => void socket.resume();
const HURRIED = { durationMs: 1, deadlineMs: 50, graceMs: 50 };

/** The load of four clients on a server that does something with each connection. */
async function loadOf(onConnection: (socket: Socket) => void, options: Partial<LoadOptions> = {}) {
  const server = createServer((socket) => onConnection(socket.on('error', () => undefined))).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return runLoad(closedLoop(4), { port, ...HURRIED, ...options });
}

it('counts connections that the load generator closes apart from resets', async () => {
  const silent = await loadOf(ignore);
  const resetting = await loadOf((socket) => socket.once('data', () => socket.resetAndDestroy()));

  expect(silent).toMatchObject({ counts: { unanswered: 4, reset: 0 }, connections: { opened: 4, abandoned: 4 } });
  expect(resetting).toMatchObject({ counts: { unanswered: 0 }, connections: { abandoned: 0 } });
  expect(resetting.counts.reset).toBeGreaterThanOrEqual(4);
});

it('counts requests that found no connection apart from unanswered ones', async () => {
  // The only connection is held for longer than a request waits for one.
  const { counts } = await loadOf(ignore, { maxConnections: 1, graceMs: 500 });

  expect(counts).toMatchObject({ unanswered: 1, unsent: 3 });
});

it('keeps fixed connections whose responses are late', async () => {
  const load = await loadOf(ignore, { clients: 'fixed', maxConnections: 6 });

  expect(load).toMatchObject({ counts: { unanswered: 4 }, connections: { opened: 6, abandoned: 4 } });
});

it.skipIf(process.platform !== 'linux')('counts who waits for a port, has left, or is accepted', async () => {
  const server = spawn(process.execPath, [
    '-e',
    `const server = require('node:net').createServer().listen(0, '127.0.0.1', () => console.log(server.address().port));`,
  ]);
  onTestFinished(() => void server.kill('SIGKILL'));
  const port = Number(await once(server.stdout, 'data'));
  server.kill('SIGSTOP');
  const clients = [1, 2, 3].map(() => connect(port, '127.0.0.1'));
  onTestFinished(() => {
    for (const client of clients) client.destroy();
  });
  await Promise.all(clients.map((client) => once(client, 'connect')));

  clients[0]?.end();
  await expect.poll(() => listenQueueOf(port)).toEqual({ waiting: 3, left: 1, sockets: 1 });
  expect(acceptedOf(port)).toBe(0);
  server.kill('SIGCONT');
  await expect.poll(() => [listenQueueOf(port).waiting, acceptedOf(port)]).toEqual([0, 2]);
});
