import type { HttpServerOptions } from '../http/server.ts';
import type { Configuration } from './configuration.ts';

/** What an answer may take longer than the work that it waits for. */
const SLACK_MS = 10_000;
/** How long a balancer may take to notice that a gateway is not ready, and the share of the shutdown that this may take. */
const PRODUCTION_DELAY_MS = 5_000;
const DELAY_SHARE = 0.2;

/** Gives what the HTTP server takes on and how it stops, as the settings say. */
export function toHttpOptions({
  settings,
  identity,
}: Configuration): Pick<
  HttpServerOptions,
  'browsers' | 'maxConcurrentRequests' | 'requestTimeoutMs' | 'inactivityTimeoutMs' | 'shutdown'
> {
  const { SHUTDOWN_TIMEOUT_MS: timeoutMs, NODE_ENV, REQUEST_TIMEOUT_MS: requestTimeoutMs } = settings;
  const delayMs = NODE_ENV === 'production' ? Math.min(PRODUCTION_DELAY_MS, timeoutMs * DELAY_SHARE) : 0;
  return {
    browsers: { corsOrigins: identity.corsOrigins, hosts: identity.hosts, listenHost: settings.HOST },
    maxConcurrentRequests: settings.MAX_CONCURRENT_REQUESTS,
    requestTimeoutMs,
    inactivityTimeoutMs: requestTimeoutMs + settings.UPSTREAM_TIMEOUT_MS + SLACK_MS,
    shutdown: { delayMs, timeoutMs },
  };
}
