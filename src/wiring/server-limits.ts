import type { ServerLimits } from '../edge/server/limits.ts';
import type { Settings } from '../settings/index.ts';

/** What an answer may take longer than the work that it waits for. */
const SLACK_MS = 10_000;

/** Gives the HTTP server's limits as the settings say. */
export function toServerLimits(settings: Settings): ServerLimits {
  return {
    headersTimeoutMs: settings.HEADERS_TIMEOUT_MS,
    receiveTimeoutMs: settings.RECEIVE_TIMEOUT_MS,
    keepAliveTimeoutMs: settings.KEEP_ALIVE_TIMEOUT_MS,
    // Nothing moves on a connection while its request is worked on: that is no reason to close it.
    stalledAfterMs: settings.REQUEST_TIMEOUT_MS + settings.UPSTREAM_TIMEOUT_MS + SLACK_MS,
    maxConnections: settings.MAX_CONNECTIONS,
    maxRequestsPerConnection: settings.MAX_REQUESTS_PER_CONNECTION,
  };
}
