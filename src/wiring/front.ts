import type { Settings } from '../config/settings.ts';
import type { EdgeOptions } from '../edge/app.ts';
import type { FrontOptions } from '../edge/front.ts';

/** What an answer may take longer than the work that it waits for. */
const SLACK_MS = 10_000;
/** How long a balancer may take to notice, where nobody says how often it looks. */
const PRODUCTION_DELAY_MS = 5_000;

/** Gives what the HTTP front takes on, and how it stops, as the settings say. */
export function toFrontOptions(settings: Settings): FrontOptions & Pick<EdgeOptions, 'drain'> {
  const delayMs = settings.NODE_ENV === 'production' ? PRODUCTION_DELAY_MS : 0;
  return {
    requestTimeoutMs: settings.REQUEST_TIMEOUT_MS,
    maxInFlight: settings.ADMISSION_MAX_IN_FLIGHT,
    targetLagMs: settings.ADMISSION_LAG_MS,
    bodyMaxBytes: settings.BODY_MAX_BYTES,
    drain: { delayMs: settings.DRAIN_DELAY_MS ?? delayMs, timeoutMs: settings.DRAIN_TIMEOUT_MS },
    serverLimits: {
      headersTimeoutMs: settings.HEADERS_TIMEOUT_MS,
      receiveTimeoutMs: settings.RECEIVE_TIMEOUT_MS,
      keepAliveTimeoutMs: settings.KEEP_ALIVE_TIMEOUT_MS,
      // Nothing moves on a connection while its request is worked on: that is no reason to close it.
      stalledAfterMs: settings.REQUEST_TIMEOUT_MS + settings.UPSTREAM_TIMEOUT_MS + SLACK_MS,
      sendTimeoutMs: settings.SEND_TIMEOUT_MS,
      maxConnections: settings.MAX_CONNECTIONS,
      maxRequestsPerConnection: settings.MAX_REQUESTS_PER_CONNECTION,
    },
  };
}
