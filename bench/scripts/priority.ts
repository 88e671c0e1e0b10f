import { setTimeout as pause } from 'node:timers/promises';

import { type Benchmark, counted, timed } from '../benchmark.ts';
import { runOne } from '../load/index.ts';
import type { Stream } from '../load/job.ts';
import { quantile } from '../load/quantile.ts';
import { CALLER } from '../stage/gateway.ts';
import { onStage } from '../stage/index.ts';
import { isReady } from '../stage/ready.ts';
import { measureCapacity } from './capacity.ts';
import { pages } from './pages.ts';

const creations = (rate: number): Stream => ({
  name: 'creations',
  operation: 'create',
  arrivals: { kind: 'open', rate },
  headers: CALLER,
  prefix: 'change',
});

/** What goes first when not all can be served. */
export const priority: Benchmark = {
  name: 'priority',
  about: 'changes (5 % of capacity) and health while reads are asked at 10x',
  run: ({ isShort }) =>
    onStage(async (stage) => {
      const { port, isRunning } = await stage.gateway();
      const durationMs = isShort ? 2_000 : 20_000;
      const capacity = await measureCapacity(port, isShort);
      const [reads, changes, health] = await Promise.all([
        runOne(pages(capacity * 10), { port, durationMs, patienceMs: 0 }),
        runOne(creations(capacity * 0.05), { port, durationMs }),
        askHealth(port, durationMs),
      ]);
      const served = changes.counts.good + changes.counts.late;
      return [
        timed('reads: asked', (reads.asked / durationMs) * 1_000, 'rps'),
        timed('reads: goodput', ((reads.counts.good / durationMs) * 1e5) / capacity, '% of capacity'),
        timed('changes: asked', changes.asked, ''),
        timed('changes: served', (served / changes.asked) * 100, '%', { atLeast: 99 }),
        timed('changes: p99', changes.p99Ms, 'ms'),
        timed('health: asked', health.length, ''),
        timed('health: p99', quantile(health, 0.99), 'ms', { atMost: 50 }),
        counted('gateways that ended', isRunning() ? 0 : 1, '', { atMost: 0 }),
      ];
    }),
};

/** Asks for health five times a second; gives how long each answer took, in milliseconds. */
async function askHealth(port: number, durationMs: number): Promise<number[]> {
  const times: number[] = [];
  const endMs = performance.now() + durationMs;
  while (performance.now() < endMs) {
    const startMs = performance.now();
    const isFine = await isReady(port);
    times.push(isFine ? performance.now() - startMs : Number.POSITIVE_INFINITY);
    await pause(200);
  }
  return times;
}
