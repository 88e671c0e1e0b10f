import { execFileSync } from 'node:child_process';
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';

import { type Benchmark, counted, type Figure, median, timed } from '../benchmark.ts';
import { openLoop, runLoad } from '../load/index.ts';
import { processorTimeOf } from '../process-usage.ts';
import { ROOT, type TestBed, withTestBed } from '../test-bed.ts';

/** Measures the time from the start of the process to its first responses, and its CPU time. */
export const start: Benchmark = {
  name: 'start',
  about:
    'time and CPU time from the start of the process to readiness, and failed requests after it',
  run: ({ isShort }) =>
    withTestBed(async (bed) => {
      const turns = isShort ? 3 : 20;
      return [
        ...(await measureReadiness(bed, turns)),
        ...(await measureProcessorTimes(bed, turns)),
      ];
    }),
};

async function measureReadiness(bed: TestBed, turns: number): Promise<Figure[]> {
  const times: number[] = [];
  let failed = 0;
  for (let turn = 0; turn < turns; turn++) {
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
}

/** Measures starts of the package's files and of the checkout, both without a platform. */
async function measureProcessorTimes(bed: TestBed, turns: number): Promise<Figure[]> {
  const built = buildPackage(bed.folder);
  const withoutCache = { NODE_DISABLE_COMPILE_CACHE: '1' };
  return [
    timed('CPU of a start, package', await startCpuMs(bed, built, turns), 'ms', { atMost: 550 }),
    timed(
      'CPU of a start, package without compile cache',
      await startCpuMs(bed, built, turns, withoutCache),
      'ms',
    ),
    timed('CPU of a start, checkout', await startCpuMs(bed, ROOT, turns), 'ms', { atMost: 750 }),
  ];
}

/** Builds the files of the package in a folder, and returns the folder. */
function buildPackage(folder: string): string {
  const built = join(folder, 'caseway');
  execFileSync(process.execPath, [join(ROOT, 'build.ts'), built], { stdio: 'ignore' });
  symlinkSync(join(ROOT, 'node_modules'), join(built, 'node_modules'));
  return built;
}

/** Returns the median CPU time until `/livez` answers, after one start that fills the cache. */
async function startCpuMs(
  bed: TestBed,
  checkout: string,
  turns: number,
  env: Readonly<Record<string, string>> = {},
): Promise<number> {
  const cache = { NODE_COMPILE_CACHE: join(bed.folder, 'compiled') };
  const unreachable = { UPSTREAM_URL: 'http://127.0.0.1:9', ...cache, ...env };
  const times: number[] = [];
  for (let turn = 0; turn <= turns; turn++) {
    const gateway = await bed.startGateway(unreachable, { checkout, readyPath: '/livez' });
    times.push(processorTimeOf(gateway.pid));
    // Node writes the cache when the process ends by itself.
    await gateway.stop('SIGTERM');
  }
  return median(times.slice(1));
}
