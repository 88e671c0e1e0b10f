import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

import { type Benchmark, counted, timed } from '../benchmark.ts';
import { runOne } from '../load/index.ts';
import { onStage } from '../stage/index.ts';
import { measureCapacity } from './capacity.ts';
import { pages } from './pages.ts';

/** What a slow client sends at first; `x` follows every second. */
const BEGINNINGS = [
  '',
  'POST /graphql HTTP/1.1\r\nhost: gateway\r\nx-slow: ',
  'POST /graphql HTTP/1.1\r\nhost: gateway\r\ncontent-type: application/json\r\ncontent-length: 10000\r\n\r\n{',
];

/** What honest clients feel while others never finish their requests. */
export const loris: Benchmark = {
  name: 'loris',
  about: 'silent connections, heads and bodies that come byte by byte: all closed within 12 s, nobody else waits',
  run: ({ isShort }) =>
    onStage(async (stage) => {
      const short = { HEADERS_TIMEOUT_MS: '1000', RECEIVE_TIMEOUT_MS: '2000' };
      const { port, isRunning } = await stage.gateway(isShort ? short : {});
      const durationMs = isShort ? 1_500 : 15_000;
      const honest = pages((await measureCapacity(port, isShort)) * 0.3);
      const before = await runOne(honest, { port, durationMs });

      const slow = openSlow(port, isShort ? 200 : 2_000);
      const during = await runOne(honest, { port, durationMs });
      const lives = await slow.lives(isShort ? 5_000 : 20_000);
      return [
        counted('slow connections', slow.count, ''),
        counted('of these still open at the end', lives.filter((lifeMs) => lifeMs === undefined).length, '', {
          atMost: 0,
        }),
        timed('longest life of one', Math.max(...lives.map((lifeMs) => lifeMs ?? Infinity)), 'ms', {
          atMost: 12_000,
        }),
        timed('p99 of the honest, without them', before.p99Ms, 'ms'),
        timed('p99 of the honest, beside them', during.p99Ms, 'ms', { atMost: before.p99Ms * 1.5 }),
        timed('honest requests that failed', during.asked - during.counts.good, '', { atMost: 0 }),
        counted('gateways that ended', isRunning() ? 0 : 1, '', { atMost: 0 }),
      ];
    }),
};

/** Opens connections that never come to the point; `lives` tells how long each lasted, once all have ended or time is up. */
function openSlow(port: number, count: number) {
  const startMs = performance.now();
  const endings = Array.from({ length: count }, (_, index) => {
    const socket = connect(port, '127.0.0.1').on('error', () => undefined);
    return drip(socket, BEGINNINGS[index % BEGINNINGS.length] ?? '').then(() => performance.now() - startMs);
  });
  return {
    count,
    lives: (withinMs: number) =>
      Promise.all(endings.map((ending) => Promise.race([ending, pause(withinMs, undefined, { ref: false })]))),
  };
}

async function drip(socket: Socket, beginning: string): Promise<void> {
  const timer = setInterval(() => beginning !== '' && socket.writable && socket.write('x'), 1_000);
  socket.write(beginning);
  socket.resume();
  await new Promise((resolve) => socket.once('close', resolve));
  clearInterval(timer);
}
