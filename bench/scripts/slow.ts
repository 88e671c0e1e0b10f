import { type Benchmark, counted, timed } from '../benchmark.ts';
import { runOne } from '../load/index.ts';
import { onStage } from '../stage/index.ts';
import { measureCapacity } from './capacity.ts';
import { pages } from './pages.ts';

const CONNECTIONS = 128;

/** A platform that takes a hundred times as long, while as much is asked as ever. */
export const slow: Benchmark = {
  name: 'slow',
  about: 'a platform that goes from 20 to 2,000 ms at 1x: bounded work, fast refusals, 256 MB of heap are enough',
  run: ({ isShort }) =>
    onStage(async (stage) => {
      const { port, isRunning, usage } = await stage.gateway();
      const capacity = await measureCapacity(port, isShort);
      const all = pages(capacity);
      stage.upstream.behave({ delayMs: 2_000 });
      await stage.upstream.count();
      const during = await runOne(all, { port, durationMs: isShort ? 2_000 : 20_000, patienceMs: 3_000 });
      const { maxInFlight } = await stage.upstream.count();
      stage.upstream.behave({ delayMs: 20 });
      const after = await runOne(pages(capacity * 0.7), { port, durationMs: isShort ? 1_500 : 10_000 });

      const { counts, refusalP99Ms, asked } = during;
      const lost = counts.reset + counts.unsent + counts.unreachable;
      return [
        timed('asked', asked, ''),
        timed('refused with Retry-After', counts.refused, ''),
        timed('p99 of the refusals', refusalP99Ms, 'ms', { atMost: 100 }),
        timed('answered, late', counts.late, ''),
        timed('errors', counts.errored, ''),
        timed('unanswered after 4 s', counts.unanswered, ''),
        timed('resets, or no connection', lost, '', { atMost: 0 }),
        counted('calls in flight at the platform, at most', maxInFlight, '', { atMost: CONNECTIONS }),
        timed('peak RSS', usage().peakRssMb, 'MB', { atMost: 512 }),
        counted('gateways that ended', isRunning() ? 0 : 1, '', { atMost: 0 }),
        timed('goodput at 0.7x, when it is fast again', (after.counts.good / after.asked) * 100, '% of asked', {
          atLeast: 95,
        }),
      ];
    }),
};
