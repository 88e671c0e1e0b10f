import { setTimeout as pause } from 'node:timers/promises';

import { type Benchmark, counted, type Figure, quantile, timed } from '../benchmark.ts';
import { measureCapacity, openLoop, runLoad } from '../load/index.ts';
import { type Gateway, isReady, withTestBed } from '../test-bed.ts';

/** How many times the capacity is offered, and which share of it must still be answered in time. */
const LEVELS = [
  { times: 2, share: 0.95 },
  { times: 10, share: 0.75 },
];

/** Goodput and latency under far more requests than can be answered, and what is left of it afterwards. */
export const overload: Benchmark = {
  name: 'overload',
  about: 'goodput, latency and health at 2x and 10x of capacity, open loop, and recovery from it',
  run: ({ isShort }) =>
    withTestBed(async (bed) => {
      const gateway = await bed.startGateway();
      const { port } = gateway;
      const durationMs = isShort ? 1_500 : 20_000;
      const capacity = await measureCapacity(port, isShort);
      const calm = await runLoad(openLoop(capacity / 4), { port, durationMs });
      const before = await runLoad(openLoop(capacity * 0.7), { port, durationMs: durationMs / 2 });

      const figures: Figure[] = [
        timed('capacity, 64 closed-loop clients', capacity, 'requests/s'),
        timed('at a quarter of capacity: p50', calm.p50Ms, 'ms'),
        timed('at a quarter of capacity: p99', calm.p99Ms, 'ms'),
      ];
      for (const { times, share } of LEVELS) {
        const [load, healthMs] = await Promise.all([
          runLoad(openLoop(capacity * times), { port, durationMs }),
          probeHealth(gateway, durationMs),
        ]);
        const { requests, counts } = load;
        const goodput = (counts.good / durationMs) * 1_000;
        const name = (what: string) => `${times}x: ${what}`;
        figures.push(
          timed(name('offered'), (requests / durationMs) * 1_000, 'requests/s'),
          timed(name('goodput'), (goodput / capacity) * 100, '% of capacity', { atLeast: share * 100 }),
          timed(name('p50 of the admitted'), load.p50Ms, 'ms'),
          timed(name('p99 of the admitted'), load.p99Ms, 'ms', { atMost: calm.p99Ms * 3 }),
          timed(name('refused with Retry-After'), counts.refused, ''),
          timed(name('p99 of the refusals'), load.refusalP99Ms, 'ms'),
          timed(name('late'), counts.late, '', { atMost: 0 }),
          timed(name('errors'), counts.errored, ''),
          timed(name('resets'), counts.reset, ''),
          timed(name('unsent or unanswered'), counts.unsent + counts.unanswered + counts.unreachable, ''),
          timed(name('p99 of health probes'), quantile(healthMs, 0.99), 'ms'),
          timed(name('p99 delay of the load generator'), load.lagP99Ms, 'ms'),
          timed(name('CPU time of the load generator'), load.busy * 100, '% of a core'),
        );
      }
      await pause(2_000);
      const after = await runLoad(openLoop(capacity * 0.7), { port, durationMs: durationMs / 2 });
      return [
        ...figures,
        timed('at 0.7x before: p99', before.p99Ms, 'ms'),
        timed('at 0.7x, two seconds after: p99', after.p99Ms, 'ms', { atMost: before.p99Ms * 1.2 }),
        timed('at 0.7x, two seconds after: refused', after.counts.refused, '', { atMost: 0 }),
        timed('peak RSS', gateway.usage().peakRssMb, 'MB'),
        counted('gateways that ended', gateway.isRunning() ? 0 : 1, '', { atMost: 0 }),
      ];
    }),
};

/** Probes readiness five times a second; gives how long each probe took, in milliseconds. */
async function probeHealth({ port }: Gateway, durationMs: number): Promise<number[]> {
  const times: number[] = [];
  const endMs = performance.now() + durationMs;
  while (performance.now() < endMs) {
    const startMs = performance.now();
    times.push((await isReady(port)) ? performance.now() - startMs : Infinity);
    await pause(200);
  }
  return times;
}
