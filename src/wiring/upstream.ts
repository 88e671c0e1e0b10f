import type { Replicas } from '../redis/index.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import { createCallBudget } from '../upstream/call-budget.ts';
import { createUpstreamFactory, type Upstream, type UpstreamFactory } from '../upstream/index.ts';
import type { Credentials } from '../upstream/sign-in.ts';
import type { Closers } from './closers.ts';
import type { Configuration } from './configuration.ts';

/** The gateway itself as a caller of the platform. */
export interface Self {
  readonly credentials: Credentials;
  readonly upstream: Upstream;
}

interface UpstreamParts {
  readonly replicas: Replicas | undefined;
  readonly metrics: Metrics | undefined;
  readonly closers: Closers;
}

/** Connects to the platform at `baseUrl`, and to its token issuer where that is elsewhere. */
export function openUpstream(
  baseUrl: string,
  { settings, dialect, authorities }: Configuration,
  { replicas, metrics, closers }: UpstreamParts,
): UpstreamFactory {
  const limit = settings.UPSTREAM_CALLS_PER_MINUTE;
  const factory = createUpstreamFactory({
    baseUrl,
    tokenUrl: settings.UPSTREAM_TOKEN_URL,
    variant: settings.UPSTREAM_AUTH === 'credentials' ? 'A' : 'B',
    dialect,
    timeoutMs: settings.UPSTREAM_TIMEOUT_MS,
    certificateAuthorities: authorities,
    callBudget: limit === undefined ? undefined : (replicas?.callBudget(limit) ?? createCallBudget(limit)),
    sharedPause: replicas?.pauseNews,
    sharedRenewal: replicas && ((credentials) => replicas.tokenRenewal(JSON.stringify(credentials))),
    onCall: metrics?.call,
  });
  closers.add(factory.close);
  return factory;
}

/** The gateway as a caller with these credentials; `undefined` without. */
export function toSelf(factory: UpstreamFactory, credentials: Credentials | undefined): Self | undefined {
  return credentials && { credentials, upstream: factory.forService(credentials) };
}
