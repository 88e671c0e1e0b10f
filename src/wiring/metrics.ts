import type { CacheStore } from '../cache/cache.ts';
import type { Settings } from '../config/settings.ts';
import { serveMetrics } from '../http/metrics-server.ts';
import type { Replicas } from '../redis/index.ts';
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
  readonly store: CacheStore;
  readonly replicas: Replicas | undefined;
}

/** Serves the figures, with those of the store and of what replicas share. Resolves to where they are read. */
export async function publishMetrics(
  metrics: Metrics | undefined,
  { METRICS_PORT: port, HOST: host }: Settings,
  { store, replicas }: Watched,
  closers: Closers,
): Promise<string | undefined> {
  if (metrics === undefined || port === undefined) return undefined;
  metrics.watch(
    'caseway_cache_bytes',
    'Memory taken by cached records and responses, in bytes, as estimated.',
    store.bytes,
  );
  if (replicas) {
    const about = 'Whether Redis answers, and what replicas share is shared: 1 or 0.';
    metrics.watch('caseway_redis_up', about, () => Number(replicas.isSharing()));
  }
  const { url, close } = await serveMetrics(metrics, { port, host });
  closers.add(close);
  return url;
}
