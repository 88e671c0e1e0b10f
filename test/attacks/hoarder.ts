import { connect } from 'node:net';
import { parentPort, workerData } from 'node:worker_threads';

/** A client with many connections. */
export interface Hoarder {
  readonly url: string;
  readonly localAddress: string;
  readonly connections: number;
  readonly request: string;
}

/** Longer than a test may take. */
const AT_MOST_MS = 120_000;

// On a thread of its own: asks again at each answer, on all connections that it gets, until it is told to stop. Posts a message
// once each connection was answered or closed.
const { url, localAddress, connections, request }: Hoarder = workerData;
const { hostname: host, port } = new URL(url);
const unsettled = new Set(
  Array.from({ length: connections }, () => connect({ host, port: Number(port), localAddress })),
);
const sockets = [...unsettled];
for (const socket of sockets) {
  const settle = () => {
    if (unsettled.delete(socket) && unsettled.size === 0) parentPort?.postMessage('settled');
  };
  socket.on('error', () => undefined).once('close', settle);
  socket.once('connect', () => socket.write(request));
  socket.on('data', () => {
    settle();
    socket.write(request);
  });
}
const stop = () => {
  for (const socket of sockets) socket.destroy();
  parentPort?.close();
};
parentPort?.once('message', stop);
setTimeout(stop, AT_MOST_MS).unref();
