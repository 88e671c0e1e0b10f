import type { Figure } from '../../core/facts.ts';
import type { Feature, GatewayParts } from '../../feature.ts';

/** `/metrics` on the operator's port, for Prometheus. */
export const metrics: Feature = {
  configure: () => ({ open }),
};

async function open(gateway: GatewayParts): Promise<void> {
  const { operator, observers, facts } = gateway;
  if (operator === undefined) return;
  facts.figures.push(...limitsOf(gateway));
  // Loaded only where it is used.
  const { createMetrics } = await import('./metrics.ts');
  const { observer, watch, text, contentType } = createMetrics();
  observers.add(observer);
  let isWatching = false;
  operator.pages.set('/metrics', async () => {
    // Features that are opened later have figures as well.
    if (!isWatching) facts.figures.forEach(watch);
    isWatching = true;
    return { type: contentType, body: await text() };
  });
}

/** The gateway's limits, and what is used of them. */
function limitsOf({ settings, store, upstream, http }: GatewayParts): Figure[] {
  const gauge = (name: string, help: string, read: () => number): Figure => ({ name, help, type: 'gauge', read });
  const { UPSTREAM_CALLS_PER_MINUTE: budget } = settings;
  const budgetHelp = 'UPSTREAM_CALLS_PER_MINUTE in calls per minute, shared by all replicas.';
  return [
    gauge('caseway_cache_bytes', 'Estimated memory of cached records and responses in bytes.', () => store.bytes),
    gauge('caseway_requests_in_flight', 'Number of requests in flight.', () => http.load().inFlight),
    gauge(
      'caseway_requests_limit',
      'Current limit of requests in flight; below MAX_CONCURRENT_REQUESTS while the event loop is late.',
      () => http.load().limit,
    ),
    gauge(
      'caseway_event_loop_delay_seconds',
      'Event loop delay in the last sample, in seconds; 0 while nothing is in flight.',
      () => http.load().delayMs / 1_000,
    ),
    gauge(
      'caseway_platform_answering',
      'Whether the platform answers: 0 from when the circuit breaker opens until a probe is answered, else 1.',
      () => Number(upstream.isAnswering()),
    ),
    ...(budget === undefined ? [] : [gauge('caseway_call_budget', budgetHelp, () => budget)]),
  ];
}
