import { isOneOf, messageOf } from '../core/errors.ts';
import { counter, type Gauge, gauge, type ReadinessCheck } from '../core/facts.ts';
import type { Gateway } from '../features/feature.ts';
import { leftOutOf } from '../graphql/schema.ts';

/**
 * Adds the facts of every gateway, before the facts of features.
 *
 * @param lostLines returns the number of log lines that could not be written.
 */
export function addCoreFacts(
  parts: Gateway,
  checkToken: () => Promise<void>,
  lostLines: () => number,
): void {
  const { facts, graph } = parts;
  facts.readiness.unshift(...createChecks(parts, checkToken));
  facts.gauges.unshift(...createGauges(parts, lostLines));
  facts.status.push(() =>
    leftOutOf(graph.current().schema).map((title) => ({
      title,
      text: 'left out: its name is taken',
    })),
  );
}

/** Creates the readiness checks of the core. */
function createChecks(
  { graph }: Gateway,
  checkToken: () => Promise<void>,
): readonly ReadinessCheck[] {
  const schema = {
    name: 'schema',
    isRequired: true,
    problem: 'the form definitions have not been read',
    read: () => (graph.missing() === undefined ? 'ok' : 'unavailable'),
  };
  const token = {
    name: 'token',
    isRequired: true,
    problem: 'the platform gives no token',
    read: () =>
      checkToken().then(
        () => 'ok',
        (error) => {
          // The gateway's own call budget is exhausted for a moment. The platform is not involved.
          if (isOneOf(['rate-limited'], error) && error.isUnsent) return 'ok';
          token.problem = `the platform gives no token: ${messageOf(error)}`;
          return 'unavailable';
        },
      ),
  };
  return [schema, token];
}

/** Creates the gauges of the core: limits and their usage. */
function createGauges(
  { settings, store, upstream, http }: Gateway,
  lostLines: () => number,
): Gauge[] {
  const { UPSTREAM_CALLS_PER_MINUTE: budget, UPSTREAM_CALLS_PER_HOUR: hourly } = settings;
  const budgetLeftHelp =
    'Remaining calls by share of the call budget; `hourly` shares belong to UPSTREAM_CALLS_PER_HOUR.';
  const budgetHelp = 'UPSTREAM_CALLS_PER_MINUTE in calls per minute, shared by all replicas.';
  const hourlyHelp = 'UPSTREAM_CALLS_PER_HOUR in calls per hour, shared by all replicas.';
  return [
    gauge(
      'caseway_requests_in_flight',
      'Number of requests in flight.',
      () => http.load().inFlight,
    ),
    gauge(
      'caseway_requests_limit',
      'Maximum number of requests in flight.',
      () => http.load().limit,
    ),
    gauge(
      'caseway_platform_answering',
      'Whether the platform answers: 0 from when the circuit breaker opens until a probe is answered, else 1.',
      () => Number(upstream.isAnswering()),
    ),
    gauge(
      'caseway_rate_limit_pause_seconds',
      'Remaining pause of all calls after the platform’s request limit was exceeded, in seconds; 0 without a pause.',
      () => upstream.backoffMs() / 1_000,
    ),
    ...(budget === undefined ? [] : [gauge('caseway_call_budget', budgetHelp, () => budget)]),
    ...(hourly === undefined
      ? []
      : [gauge('caseway_call_budget_hourly', hourlyHelp, () => hourly)]),
    { ...gauge('caseway_call_budget_left', budgetLeftHelp, upstream.budgetLeft), label: 'share' },
    gauge(
      'caseway_cache_bytes',
      'Estimated memory of cached records and responses in bytes.',
      () => store.bytes,
    ),
    counter(
      'caseway_log_lines_lost_total',
      'Number of log lines that could not be written.',
      lostLines,
    ),
    gauge(
      'nodejs_eventloop_utilization',
      'Share of time in which the event loop was busy in the last ten seconds, or since the read before them.',
      utilization(),
    ),
  ];
}

const WINDOW_MS = 10_000;

/**
 * Returns a function for the utilization of the event loop. All readers within ten seconds get the
 * same value.
 */
function utilization(): () => number {
  let last = performance.eventLoopUtilization();
  let share = last.utilization;
  let sinceMs = performance.now();
  return () => {
    if (performance.now() - sinceMs < WINDOW_MS) return share;
    const now = performance.eventLoopUtilization();
    share = performance.eventLoopUtilization(now, last).utilization;
    last = now;
    sinceMs = performance.now();
    return share;
  };
}
