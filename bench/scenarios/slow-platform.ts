import { type Benchmark, counted, timed } from '../benchmark.ts';
import { measureCapacity, openLoop, runLoad } from '../load/index.ts';
import { withTestBed } from '../test-bed.ts';

/** The limit of connections to the platform for the calls of one caller. */
export const CONNECTIONS = 128;

/** Measures a platform that becomes a hundred times slower under the same load. */
export const slowPlatform: Benchmark = {
  name: 'slow-platform',
  about: 'a platform that slows down from 20 to 2,000 ms: bounded calls and memory, fast refusals',
  run: ({ isShort }) =>
    withTestBed(async ({ platform, startGateway }) => {
      const { port, isRunning, usage } = await startGateway();
      const capacity = await measureCapacity(port, isShort);
      platform.behave({ delayMs: 2_000 });
      await platform.count();
      const during = await runLoad(openLoop(capacity), {
        port,
        durationMs: isShort ? 2_000 : 20_000,
        graceMs: 3_000,
      });
      const { maxInFlight } = await platform.count();
      platform.behave({ delayMs: 20 });
      const after = await runLoad(openLoop(capacity * 0.7), {
        port,
        durationMs: isShort ? 1_500 : 10_000,
      });

      const { counts, refusalP99Ms, requests } = during;
      return [
        timed('requests', requests, ''),
        timed('refused with Retry-After', counts.refused, ''),
        timed('p99 of the refusals', refusalP99Ms, 'ms', { atMost: 100 }),
        timed('answered, late', counts.late, ''),
        timed('errors', counts.errored, ''),
        timed('unanswered after 4 s', counts.unanswered, ''),
        timed('resets, or no connection', counts.reset + counts.unsent + counts.unreachable, '', {
          atMost: 0,
        }),
        counted('calls in flight at the platform, at most', maxInFlight, '', {
          atMost: CONNECTIONS,
        }),
        timed('peak RSS', usage().peakRssMb, 'MB', { atMost: 512 }),
        counted('gateways that ended', isRunning() ? 0 : 1, '', { atMost: 0 }),
        timed(
          'goodput at 0.7x after the platform recovered',
          (after.counts.good / after.requests) * 100,
          '%',
          {
            atLeast: 95,
          },
        ),
      ];
    }),
};
