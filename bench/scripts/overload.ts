import { type Benchmark, counted, type Figure, timed } from '../benchmark.ts';
import { runOne } from '../load/index.ts';
import { onStage } from '../stage/index.ts';
import { measureCapacity } from './capacity.ts';
import { pages } from './pages.ts';

/** Goodput and latency when far more is asked than can be answered. */
export const overload: Benchmark = {
  name: 'overload',
  about: 'goodput at 2x and 10x of capacity, open loop',
  run: ({ isShort }) =>
    onStage(async (stage) => {
      const { port, usage, isRunning } = await stage.gateway();
      const durationMs = isShort ? 1_500 : 20_000;
      const capacity = await measureCapacity(port, isShort);
      const calm = await runOne(pages(capacity / 4), { port, durationMs });
      const calmP99Ms = calm.p99Ms;

      const figures: Figure[] = [
        timed('capacity, 64 closed-loop clients', capacity, 'rps'),
        timed('unloaded (1/4 of capacity) p50', calm.p50Ms, 'ms'),
        timed('unloaded (1/4 of capacity) p99', calmP99Ms, 'ms'),
      ];
      for (const [times, share] of [
        [2, 0.95],
        [10, 0.9],
      ] as const) {
        figures.push(...(await overloaded({ port, durationMs, capacity, times, share, calmP99Ms })));
      }
      figures.push(timed('peak RSS', usage().peakRssMb, 'MB'));
      figures.push(counted('gateways that ended', isRunning() ? 0 : 1, '', { atMost: 0 }));
      return figures;
    }),
};

interface Offer {
  readonly port: number;
  readonly durationMs: number;
  readonly capacity: number;
  readonly times: number;
  readonly share: number;
  readonly calmP99Ms: number;
}

async function overloaded({ port, durationMs, capacity, times, share, calmP99Ms }: Offer): Promise<Figure[]> {
  const report = await runOne(pages(capacity * times), { port, durationMs });
  const { asked, counts, p50Ms, p99Ms, refusalP99Ms, lagP99Ms, busy } = report;
  const at = `${times}x:`;
  return [
    timed(`${at} offered`, (asked / durationMs) * 1_000, 'rps'),
    timed(`${at} goodput`, ((counts.good / durationMs) * 1e5) / capacity, '% of capacity', { atLeast: share * 100 }),
    timed(`${at} p50 of the admitted`, p50Ms, 'ms'),
    timed(`${at} p99 of the admitted`, p99Ms, 'ms', { atMost: calmP99Ms * 3 }),
    timed(`${at} refused with Retry-After`, counts.refused, ''),
    timed(`${at} p99 of the refusals`, refusalP99Ms, 'ms'),
    timed(`${at} late`, counts.late, ''),
    timed(`${at} errors`, counts.errored, ''),
    timed(`${at} resets`, counts.reset, ''),
    timed(`${at} unsent or unanswered`, counts.unsent + counts.unanswered + counts.unreachable, ''),
    timed(`${at} p99 lag of the generator`, lagP99Ms, 'ms'),
    timed(`${at} processor time of the generator`, busy * 100, '% of one'),
  ];
}
