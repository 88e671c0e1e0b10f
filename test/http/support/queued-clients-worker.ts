import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { parentPort, workerData } from 'node:worker_threads';

import type { QueuedClients } from './queued-clients.ts';

const { url, count, request, areLeaving, sent }: QueuedClients = workerData;
const { hostname, port } = new URL(url);

async function connectAndSend(): Promise<Socket> {
  const socket = connect(Number(port), hostname).on('error', () => undefined);
  await once(socket, 'connect');
  await new Promise((resolve) => socket.write(request, resolve));
  if (areLeaving) await once(socket.destroy(), 'close');
  return socket;
}

const sockets = await Promise.all(Array.from({ length: count }, connectAndSend));
Atomics.store(sent, 0, 1);
Atomics.notify(sent, 0);
parentPort?.postMessage(areLeaving ? [] : await Promise.all(sockets.map((socket) => text(socket))));
