import { type Benchmark, counted, timed } from '../benchmark.ts';
import { runOne } from '../load/index.ts';
import { onStage } from '../stage/index.ts';
import { measureCapacity } from './capacity.ts';
import { pages } from './pages.ts';

/** How soon all is as before, once too much was asked. */
export const recovery: Benchmark = {
  name: 'recovery',
  about: 'latency and refusals at 0.7x of capacity, two seconds after 10x has ended',
  run: ({ isShort }) =>
    onStage(async (stage) => {
      const { port, isRunning } = await stage.gateway();
      const capacity = await measureCapacity(port, isShort);
      const usual = pages(capacity * 0.7);
      const before = await runOne(usual, { port, durationMs: isShort ? 1_000 : 10_000 });
      // Who gave up waiting has hung up: nothing of the overload is left but what the gateway made of it.
      const patienceMs = 0;
      await runOne(pages(capacity * 10), { port, durationMs: isShort ? 1_500 : 10_000, patienceMs });
      const early = await runOne(usual, { port, durationMs: 1_000, patienceMs });
      const after = await runOne(usual, { port, durationMs: isShort ? 1_500 : 10_000 });

      return [
        timed('capacity', capacity, 'rps'),
        timed('p99 at 0.7x before', before.p99Ms, 'ms'),
        timed('p99 in the first second after', early.p99Ms, 'ms'),
        timed('refused in the first second after', early.counts.refused, ''),
        timed('p99 from two seconds after', after.p99Ms, 'ms', { atMost: before.p99Ms * 1.2 }),
        timed('refused from two seconds after', after.counts.refused, '', { atMost: 0 }),
        timed('goodput from two seconds after', (after.counts.good / after.asked) * 100, '% of asked', {
          atLeast: 99.9,
        }),
        counted('gateways that ended', isRunning() ? 0 : 1, '', { atMost: 0 }),
      ];
    }),
};
