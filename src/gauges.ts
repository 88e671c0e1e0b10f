import { type Gauge, gauge } from './core/facts.ts';
import type { GatewayParts } from './feature.ts';

type GaugeSources = Pick<GatewayParts, 'settings' | 'store' | 'upstream' | 'http'>;

/** The figures of every gateway: its limits and what is used of them, and its process. */
export function createGauges({ settings, store, upstream, http }: GaugeSources, lostLines: () => number): Gauge[] {
  const { UPSTREAM_CALLS_PER_MINUTE: budget, UPSTREAM_CALLS_PER_HOUR: hourly } = settings;
  const budgetLeftHelp =
    'Calls that may be made now, by share of the call budget; `hourly` shares are those of UPSTREAM_CALLS_PER_HOUR.';
  const budgetHelp = 'UPSTREAM_CALLS_PER_MINUTE in calls per minute, shared by all replicas.';
  const hourlyHelp = 'UPSTREAM_CALLS_PER_HOUR in calls per hour, shared by all replicas.';
  return [
    gauge('caseway_requests_in_flight', 'Number of requests in flight.', () => http.load().inFlight),
    gauge('caseway_requests_limit', 'MAX_CONCURRENT_REQUESTS.', () => http.load().limit),
    gauge(
      'caseway_platform_answering',
      'Whether the platform answers: 0 from when the circuit breaker opens until a probe is answered, else 1.',
      () => Number(upstream.isAnswering()),
    ),
    gauge(
      'caseway_rate_limit_pause_seconds',
      'Remaining pause of all calls after the platform’s request limit was exceeded, in seconds; 0 without a pause.',
      () => upstream.pauseMs() / 1_000,
    ),
    ...(budget === undefined ? [] : [gauge('caseway_call_budget', budgetHelp, () => budget)]),
    ...(hourly === undefined ? [] : [gauge('caseway_call_budget_hourly', hourlyHelp, () => hourly)]),
    { ...gauge('caseway_call_budget_left', budgetLeftHelp, upstream.budgetLeft), label: 'share' },
    gauge('caseway_cache_bytes', 'Estimated memory of cached records and responses in bytes.', () => store.bytes),
    gauge('caseway_log_lines_lost', 'Number of log lines that could not be written.', lostLines),
    ...processGauges(),
  ];
}

/** Named as prom-client names them; its own ones keep a histogram of the event loop going, which costs an idle process. */
function processGauges(): Gauge[] {
  const startedAtSeconds = Math.round(performance.timeOrigin / 1_000);
  let utilization = performance.eventLoopUtilization();
  const utilizationSinceLast = () => {
    const now = performance.eventLoopUtilization();
    const { utilization: share } = performance.eventLoopUtilization(now, utilization);
    utilization = now;
    return share;
  };

  return [
    gauge('process_start_time_seconds', 'Start time of the process since the Unix epoch.', () => startedAtSeconds),
    gauge('process_cpu_seconds_total', 'CPU time in seconds.', () => {
      const { user, system } = process.cpuUsage();
      return (user + system) / 1e6;
    }),
    gauge('process_resident_memory_bytes', 'Resident memory in bytes.', () => process.memoryUsage.rss()),
    gauge('nodejs_heap_size_total_bytes', 'Size of the heap in bytes.', () => process.memoryUsage().heapTotal),
    gauge('nodejs_heap_size_used_bytes', 'Used heap in bytes.', () => process.memoryUsage().heapUsed),
    gauge('nodejs_external_memory_bytes', 'Memory outside the heap in bytes.', () => process.memoryUsage().external),
    gauge(
      'nodejs_eventloop_utilization',
      'Share of time in which the event loop was busy since it was last read.',
      utilizationSinceLast,
    ),
  ];
}
