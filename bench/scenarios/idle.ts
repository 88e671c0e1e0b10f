import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

import { type Benchmark, counted, timed } from '../benchmark.ts';
import { closedLoop, runLoad } from '../load/index.ts';
import { processorTimeOf } from '../process-usage.ts';
import { withTestBed } from '../test-bed.ts';

const REQUEST = 'GET /livez HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n';
const OPENED_AT_ONCE = 100;

/** Measures the cost of a gateway without requests, and of clients that stay connected. */
export const idle: Benchmark = {
  name: 'idle',
  about: 'CPU time of an idle gateway, and memory for 9,000 idle connections',
  run: ({ isShort }) =>
    withTestBed(async (bed) => {
      const { port, pid, usage, isRunning } = await bed.startGateway();
      await runLoad(closedLoop(64), { port, durationMs: isShort ? 500 : 5_000 });
      // Garbage from the earlier requests is not a cost of being idle.
      await pause(isShort ? 1_000 : 10_000);
      const idleMs = isShort ? 3_000 : 60_000;
      const beforeMs = processorTimeOf(pid);
      await pause(idleMs);
      const idleShare = (processorTimeOf(pid) - beforeMs) / idleMs;

      const before = usage();
      const sockets = await openAll(port, isShort ? 1_000 : 9_000);
      const during = usage();
      const { counts } = await runLoad(closedLoop(8), { port, durationMs: 500 });
      for (const socket of sockets) socket.destroy();
      return [
        timed('CPU time without requests', idleShare * 100, '% of a core', { atMost: 0.35 }),
        counted('idle connections', during.sockets - before.sockets, ''),
        timed('memory for the connections', during.rssMb - before.rssMb, 'MB', { atMost: 100 }),
        counted('other requests answered meanwhile', counts.good + counts.late, '', { atLeast: 1 }),
        counted('gateways that ended', isRunning() ? 0 : 1, '', { atMost: 0 }),
      ];
    }),
};

async function openAll(port: number, count: number): Promise<Socket[]> {
  const sockets: Socket[] = [];
  while (sockets.length < count) {
    const opening = Array.from({ length: OPENED_AT_ONCE }, () => openOne(port));
    sockets.push(...(await Promise.all(opening)));
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
