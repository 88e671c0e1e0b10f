import { valuesOf } from '../../config/settings.ts';
import { counter, gauge } from '../../core/facts.ts';
import { stricterOf } from '../../upstream/call-budget.ts';
import type { Feature } from '../feature.ts';
import { createClock } from './clock.ts';
import { type LiveParts, READ_KIND, SETTINGS } from './settings.ts';
import { answerSubscriptions } from './subscribe.ts';
import { addSubscription } from './subscription-type.ts';

/** Polls per minute if the platform's calls are not limited. */
const DEFAULT_CALLS = 300;
/** The share of the call budget for polls. The rest is for requests. */
const BUDGET_SHARE = 0.25;
/**
 * The maximum number of streams of one process, equal to its maximum number of connections. One
 * caller may have a tenth.
 */
const MAX_STREAMS = 10_000;

/** Creates the feature. Tests replace the clock and the limit. */
export const createLive = (makeClock = createClock, maxStreams = MAX_STREAMS): Feature => ({
  settings: SETTINGS,
  configure({ settings }) {
    const { LIVE_INTERVAL_MS: leastMs } = valuesOf(settings, SETTINGS);
    if (leastMs === 0) return undefined;
    const budget = stricterOf(settings);
    const share = budget === undefined ? DEFAULT_CALLS : budget * BUDGET_SHARE;
    // A share below one call per minute is kept as a fraction.
    const callsPerMinute = Math.floor(share) || share;
    return {
      readKind: { name: READ_KIND, limitOf: 'live', callsPerMinute },
      open: (gateway) => open({ gateway, clock: makeClock(), leastMs, maxStreams, callsPerMinute }),
    };
  },
});

/** Live queries: subscriptions that run again, and send their answer whenever it has changed. */
export const live = createLive();

function open(parts: LiveParts): void {
  const { graph, http, limits, facts } = parts.gateway;
  graph.addStep('derived', (schema) => addSubscription(schema, parts));
  const { streams, queries } = answerSubscriptions(parts);
  http.plugins.push(async (app) => {
    // The shutdown waits for all responses, and therefore for streams.
    app.addHook('preClose', (done) => {
      void streams.drain(limits.shutdownMs);
      done();
    });
  });
  facts.gauges.push(
    gauge('caseway_live_streams', 'Number of open subscriptions.', streams.size),
    gauge(
      'caseway_live_operations',
      'Number of different operations among them.',
      () => queries.size,
    ),
    gauge(
      'caseway_live_runs_in_flight',
      'Number of runs in flight.',
      () => streams.counts.inFlight,
    ),
    counter(
      'caseway_live_runs_total',
      'Number of runs of subscriptions after the first.',
      () => streams.counts.runs,
    ),
    counter(
      'caseway_live_results_total',
      'Number of results sent to subscriptions.',
      () => streams.counts.results,
    ),
  );
}
