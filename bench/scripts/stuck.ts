import { setTimeout as pause } from 'node:timers/promises';

import { type Benchmark, counted, timed } from '../benchmark.ts';
import { runOne } from '../load/index.ts';
import { onStage } from '../stage/index.ts';
import { eagerPages } from './pages.ts';

const CLIENTS = 20;
const PATIENT = { UPSTREAM_TIMEOUT_MS: '120000', UPSTREAM_TRY_TIMEOUT_MS: '120000', REQUEST_TIMEOUT_MS: '120000' };

/** A gateway that is told to stop while its requests wait for a platform that says nothing. */
export const stuck: Benchmark = {
  name: 'stuck',
  about: 'SIGTERM while requests hang: each gets an error in JSON, and the gateway ends in time',
  run: ({ isShort }) =>
    onStage(async (stage) => {
      const timeoutMs = isShort ? 2_000 : 25_000;
      const drain = isShort ? { DRAIN_DELAY_MS: '500', DRAIN_TIMEOUT_MS: String(timeoutMs) } : undefined;
      const gateway = await stage.gateway({ ...PATIENT, ...drain });
      const { port } = gateway;
      await runOne(eagerPages(CLIENTS), { port, durationMs: 300 });
      stage.upstream.behave({ mode: 'hang' });
      const load = runOne(eagerPages(CLIENTS), { port, durationMs: 500, patienceMs: 60_000 });
      await pause(1_000);
      const { code, tookMs } = await gateway.stop();
      const { counts } = await load;
      return [
        counted('requests that hung', CLIENTS, ''),
        counted('answered by an error in JSON', counts.errored + counts.refused, '', { atLeast: CLIENTS }),
        counted('resets', counts.reset, '', { atMost: 0 }),
        counted('exit code', code ?? -1, '', { atLeast: 0, atMost: 0 }),
        // The last second is for the answers that say so.
        timed('exit after', tookMs, 'ms', { atMost: timeoutMs + 1_000 }),
      ];
    }),
};
