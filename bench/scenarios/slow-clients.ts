import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

import { type Benchmark, counted, timed } from '../benchmark.ts';
import { measureCapacity, openLoop, runLoad } from '../load/index.ts';
import { withTestBed } from '../test-bed.ts';

/** The first bytes from a slow client. One byte follows every second. */
const BEGINNINGS = [
  '',
  'POST /graphql HTTP/1.1\r\nhost: 127.0.0.1\r\nx-slow: ',
  'POST /graphql HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\ncontent-length: 10000\r\n\r\n{',
];
const PIPELINED = Buffer.from('GET /a HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n'.repeat(80_000));

/**
 * Measures the latency of other clients while some never finish their requests, and while some send
 * too many requests at once.
 */
export const slowClients: Benchmark = {
  name: 'slow-clients',
  about: 'latency of other clients beside slow connections, and beside 400,000 pipelined requests',
  run: ({ isShort }) =>
    withTestBed(async (bed) => {
      const { port, isRunning, usage } = await bed.startGateway();
      const durationMs = isShort ? 1_500 : 15_000;
      const others = openLoop((await measureCapacity(port, isShort)) * 0.3);
      const before = await runLoad(others, { port, durationMs });

      const slow = openSlow(port, isShort ? 200 : 2_000);
      const during = await runLoad(others, { port, durationMs });
      const lives = await slow.lives(20_000);
      const stillOpen = lives.filter((lifeMs) => lifeMs === undefined);
      const longestMs = Math.max(...lives.map((lifeMs) => lifeMs ?? Infinity));
      const rssMb = usage().rssMb;
      const [flooded] = await Promise.all([
        runLoad(others, { port, durationMs: 5_000 }),
        ...Array.from({ length: 5 }, () => sendPipelined(port)),
      ]);
      return [
        counted('slow connections', slow.count, ''),
        counted('of these still open after 20 s', stillOpen.length, '', { atMost: 0 }),
        timed('longest life of a connection', longestMs, 'ms', { atMost: 12_000 }),
        timed('p99 of other clients, without them', before.p99Ms, 'ms'),
        timed('p99 of other clients, beside them', during.p99Ms, 'ms', {
          atMost: before.p99Ms * 1.5,
        }),
        timed('failed requests of other clients', during.requests - during.counts.good, '', {
          atMost: 0,
        }),
        timed('p99 of other clients, beside pipelined requests', flooded.p99Ms, 'ms', {
          atMost: 300,
        }),
        timed(
          'failed requests of other clients, beside pipelined requests',
          flooded.requests - flooded.counts.good,
          '',
          { atMost: 0 },
        ),
        timed('memory for pipelined requests', usage().peakRssMb - rssMb, 'MB', { atMost: 64 }),
        counted('gateways that ended', isRunning() ? 0 : 1, '', { atMost: 0 }),
      ];
    }),
};

/**
 * Opens connections that never finish a request. `lives` resolves to the lifetime of each, when all
 * have ended or the time is up.
 */
function openSlow(port: number, count: number) {
  const startMs = performance.now();
  const endings = Array.from({ length: count }, (_, index) => {
    const socket = connect(port, '127.0.0.1').on('error', () => undefined);
    const beginning = BEGINNINGS[index % BEGINNINGS.length] ?? '';
    return sendSlowly(socket, beginning).then(() => performance.now() - startMs);
  });
  return {
    count,
    lives: (withinMs: number) =>
      Promise.all(
        endings.map((ending) => Promise.race([ending, pause(withinMs, undefined, { ref: false })])),
      ),
  };
}

async function sendSlowly(socket: Socket, beginning: string): Promise<void> {
  const timer = setInterval(() => beginning !== '' && socket.writable && socket.write('x'), 1_000);
  socket.write(beginning);
  socket.resume();
  await closed(socket);
  clearInterval(timer);
}

/**
 * Sends 80,000 requests without waiting for a response. The connection is closed after five seconds
 * at the latest.
 */
async function sendPipelined(port: number): Promise<void> {
  const socket = connect(port, '127.0.0.1').on('error', () => undefined);
  socket.write(PIPELINED);
  socket.resume();
  await Promise.race([closed(socket), pause(5_000)]);
  socket.destroy();
}

const closed = (socket: Socket) => new Promise((resolve) => socket.once('close', resolve));
