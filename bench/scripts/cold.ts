import { type Benchmark, counted, timed } from '../benchmark.ts';
import { runOne } from '../load/index.ts';
import { quantile } from '../load/quantile.ts';
import { onStage } from '../stage/index.ts';
import { pages } from './pages.ts';

/** From the start of the process to its first answers. */
export const cold: Benchmark = {
  name: 'cold',
  about: 'from the start of the process to readiness, and no failed request from then on',
  run: ({ isShort }) =>
    onStage(async (stage) => {
      const times: number[] = [];
      let failed = 0;
      for (let start = 0; start < (isShort ? 3 : 20); start++) {
        const gateway = await stage.gateway();
        times.push(gateway.readyAfterMs);
        const { asked, counts } = await runOne(pages(50), { port: gateway.port, durationMs: 300 });
        failed += asked - counts.good - counts.late;
        await gateway.stop('SIGKILL');
      }
      return [
        timed('ready after, median', quantile(times, 0.5), 'ms', { atMost: 1_000 }),
        timed('ready after, worst', Math.max(...times), 'ms'),
        counted('failed requests after readiness', failed, '', { atMost: 0 }),
      ];
    }),
};
