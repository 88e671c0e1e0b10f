import type { Facts } from './core/facts.ts';
import type { GatewayParts } from './feature.ts';

/** Reports the core's limits, and what is used of them. */
export function reportLimits(
  { figures }: Facts,
  { settings, store, upstream, http: { load } }: Pick<GatewayParts, 'settings' | 'store' | 'upstream' | 'http'>,
  lostLines: () => number,
): void {
  const gauge = (name: string, help: string, read: () => number) => figures.push({ name, help, type: 'gauge', read });
  gauge('caseway_cache_bytes', 'Estimated memory of cached records and responses in bytes.', () => store.bytes);
  gauge('caseway_requests_in_flight', 'Number of requests in flight.', () => load().inFlight);
  gauge(
    'caseway_requests_limit',
    'Current limit of requests in flight; below MAX_CONCURRENT_REQUESTS while the event loop is late.',
    () => load().limit,
  );
  gauge(
    'caseway_event_loop_delay_seconds',
    'Event loop delay in the last sample, in seconds; 0 while nothing is in flight.',
    () => load().delayMs / 1_000,
  );
  gauge(
    'caseway_platform_answering',
    'Whether the platform answers: 0 from when the circuit breaker opens until a probe is answered, else 1.',
    () => Number(upstream.isAnswering()),
  );
  gauge('caseway_log_lines_lost', 'Number of log lines that could not be written.', lostLines);
  const budget = settings.UPSTREAM_CALLS_PER_MINUTE;
  if (budget === undefined) return;
  gauge('caseway_call_budget', 'UPSTREAM_CALLS_PER_MINUTE in calls per minute, shared by all replicas.', () => budget);
}

/** Reports what readiness depends on, whatever the features. It stands before what these report. */
export function reportReadiness(
  { checks }: Facts,
  { graph, checkToken }: Pick<GatewayParts, 'graph'> & { readonly checkToken: () => Promise<void> },
): void {
  const readToken = () =>
    checkToken().then(
      () => 'ok',
      () => 'unavailable',
    );
  checks.unshift(
    {
      name: 'schema',
      isRequired: true,
      problem: 'the form definitions have not been read',
      read: () => (graph.missing() === undefined ? 'ok' : 'unavailable'),
    },
    { name: 'token', isRequired: true, problem: 'the platform gives no token', read: readToken },
  );
}
