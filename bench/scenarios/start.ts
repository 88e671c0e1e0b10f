import { type Benchmark, counted, median, timed } from '../benchmark.ts';
import { openLoop, runLoad } from '../load/index.ts';
import { withTestBed } from '../test-bed.ts';

/** Measures the time from the start of the process to its first responses. */
export const start: Benchmark = {
  name: 'start',
  about: 'time from the start of the process to readiness, and failed requests after it',
  run: ({ isShort }) =>
    withTestBed(async (bed) => {
      const times: number[] = [];
      let failed = 0;
      for (let turn = 0; turn < (isShort ? 3 : 20); turn++) {
        const gateway = await bed.startGateway();
        times.push(gateway.readyAfterMs);
        // Slow responses are not failures. Only missing responses are.
        const options = { port: gateway.port, durationMs: 300, graceMs: 30_000 };
        const { requests, counts } = await runLoad(openLoop(50), options);
        failed += requests - counts.good - counts.late;
        await gateway.stop('SIGKILL');
      }
      return [
        timed('ready after, median', median(times), 'ms', { atMost: 800 }),
        timed('ready after, worst', Math.max(...times), 'ms'),
        counted('failed requests after readiness', failed, '', { atMost: 0 }),
      ];
    }),
};
