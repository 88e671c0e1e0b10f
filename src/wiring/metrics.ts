import { serveMetrics } from '../edge/metrics.ts';
import type { Settings } from '../settings/index.ts';
import type { Depot } from '../store/depot.ts';
import type { Replicas } from '../store/replicas/index.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import type { Closers } from './closers.ts';

/** Makes the figures of the process; `undefined` where nobody reads them. */
export async function openMetrics({ METRICS_PORT }: Settings): Promise<Metrics | undefined> {
  if (METRICS_PORT === undefined) return undefined;
  // Loaded only where it is needed.
  const { createMetrics } = await import('../telemetry/metrics.ts');
  return createMetrics();
}

interface Watched {
  readonly depot: Depot;
  readonly replicas: Replicas | undefined;
}

/** Serves the figures, with those of the store and of what replicas share. Resolves to where they are read. */
export async function publishMetrics(
  metrics: Metrics | undefined,
  { METRICS_PORT: port, HOST: host }: Settings,
  { depot: { memory, answers }, replicas }: Watched,
  closers: Closers,
): Promise<string | undefined> {
  if (metrics === undefined || port === undefined) return undefined;
  metrics.watch('caseway_store_bytes', 'About how much memory what was read takes.', () => memory.bytes);
  if (answers) metrics.watch('caseway_answers_bytes', 'About how much memory whole answers take.', () => answers.bytes);
  if (replicas) {
    const about = 'Whether Redis answers, and what replicas share is shared: 1 or 0.';
    metrics.watch('caseway_redis_up', about, () => Number(replicas.isSharing()));
  }
  const { url, close } = await serveMetrics(metrics, { port, host });
  closers.add(close);
  return url;
}
