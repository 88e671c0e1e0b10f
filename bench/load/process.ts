import { monitorEventLoopDelay } from 'node:perf_hooks';

import type { LoadJob, LoadReport } from './job.ts';
import { runStream } from './stream.ts';

// A process of its own, so that what asks does not share an event loop with anything that answers.
process.once('message', async (job: LoadJob) => {
  const lag = monitorEventLoopDelay({ resolution: 1 });
  lag.enable();
  const before = process.cpuUsage();
  const startMs = performance.now();
  const streams = await Promise.all(job.streams.map((stream) => runStream(job, stream)));
  const { user, system } = process.cpuUsage(before);
  const busy = (user + system) / 1_000 / (performance.now() - startMs);
  const report: LoadReport = { streams, lagP99Ms: lag.percentile(99) / 1e6, busy };
  process.send?.(report, () => process.disconnect());
});
