import { connect, type Socket } from 'node:net';

import { type Benchmark, counted, timed } from '../benchmark.ts';
import { runOne } from '../load/index.ts';
import { onStage } from '../stage/index.ts';
import { eagerPages } from './pages.ts';

const REQUEST = 'GET /livez HTTP/1.1\r\nhost: gateway\r\n\r\n';
const AT_ONCE = 100;

/** What clients cost that have asked once and stay connected. */
export const idle: Benchmark = {
  name: 'idle',
  about: 'memory for 10,000 connections that have asked once and stay',
  run: ({ isShort }) =>
    onStage(async (stage) => {
      const { port, usage, isRunning } = await stage.gateway({ MAX_CONNECTIONS: '20000' });
      await runOne(eagerPages(64), { port, durationMs: isShort ? 500 : 5_000 });
      const before = usage();
      const sockets = await openAll(port, isShort ? 1_000 : 10_000);
      const during = usage();
      const { counts } = await runOne(eagerPages(8), { port, durationMs: 500 });
      for (const socket of sockets) socket.destroy();
      return [
        counted('idle connections', during.sockets - before.sockets, ''),
        timed('memory for them', during.rssMb - before.rssMb, 'MB', { atMost: 100 }),
        counted('others answered meanwhile', counts.good + counts.late, '', { atLeast: 1 }),
        counted('gateways that ended', isRunning() ? 0 : 1, '', { atMost: 0 }),
      ];
    }),
};

async function openAll(port: number, count: number): Promise<Socket[]> {
  const sockets: Socket[] = [];
  while (sockets.length < count) {
    sockets.push(...(await Promise.all(Array.from({ length: AT_ONCE }, () => openOne(port)))));
  }
  return sockets;
}

function openOne(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(REQUEST));
    socket.once('data', () => resolve(socket));
    socket.once('error', reject);
  });
}
