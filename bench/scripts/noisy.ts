import { type Benchmark, counted, type Figure, timed } from '../benchmark.ts';
import { runLoad, runOne } from '../load/index.ts';
import type { Stream } from '../load/job.ts';
import { quantile } from '../load/quantile.ts';
import { onStage } from '../stage/index.ts';
import { measureCapacity } from './capacity.ts';

const NEIGHBOURS = 'BCDEFGHIJKLMNOPQRSTUVWXYZ'.split('');

const caller = (name: string, rate: number): Stream => ({
  name,
  operation: 'page',
  arrivals: { kind: 'open', rate },
  headers: { authorization: `Bearer the-token-of-${name}` },
  prefix: name,
});

/** What everybody else gets while one caller asks twenty times as much as there is. */
export const noisy: Benchmark = {
  name: 'noisy',
  about: 'callers B to Z at 0.2x of capacity together, while caller A asks at 20x (IDENTITY=forward)',
  run: ({ isShort }) =>
    onStage(async (stage) => {
      const { port, isRunning } = await stage.gateway({
        IDENTITY: 'forward',
        UPSTREAM_USERNAME: '',
        UPSTREAM_PASSWORD: '',
      });
      const durationMs = isShort ? 1_500 : 20_000;
      const capacity = await measureCapacity(port, isShort, { authorization: 'Bearer the-token-of-everybody' });
      const neighbours = NEIGHBOURS.map((name) => caller(name, (capacity * 0.2) / NEIGHBOURS.length));
      const alone = await runLoad({ port, durationMs, streams: neighbours });

      const [noise, beside] = await Promise.all([
        runOne(caller('A', capacity * 20), { port, durationMs, patienceMs: 0 }),
        runLoad({ port, durationMs, streams: neighbours }),
      ]);
      const aloneP99Ms = quantile(
        alone.streams.map(({ p99Ms }) => p99Ms),
        0.5,
      );
      const figures: Figure[] = [
        timed('capacity', capacity, 'rps'),
        timed('A: asked', (noise.asked / durationMs) * 1_000, 'rps'),
        timed('A: good', (noise.counts.good / durationMs) * 1_000, 'rps'),
        timed('A: refused', noise.counts.refused, ''),
        timed('B…Z alone: p99, median of callers', aloneP99Ms, 'ms'),
        timed(
          'B…Z beside A: p99, median of callers',
          quantile(
            beside.streams.map(({ p99Ms }) => p99Ms),
            0.5,
          ),
          'ms',
          {
            atMost: aloneP99Ms * 2,
          },
        ),
        timed('B…Z beside A: ok', okShare(beside.streams) * 100, '%', { atLeast: 99.9 }),
        timed('B…Z beside A: refused', sum(beside.streams.map(({ counts }) => counts.refused)), ''),
        counted('gateways that ended', isRunning() ? 0 : 1, '', { atMost: 0 }),
      ];
      return figures;
    }),
};

const okShare = (streams: readonly { readonly asked: number; readonly counts: { readonly good: number } }[]): number =>
  sum(streams.map(({ counts }) => counts.good)) / sum(streams.map(({ asked }) => asked));

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
