import { Pool } from 'undici';
import type { Settings } from '../config/settings.ts';
import type { Replicas } from '../redis/index.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import { createCallBudget, withinBudget } from '../upstream/call-budget.ts';
import { createExchanger, type Exchanger } from '../upstream/exchange.ts';
import { createUpstream, type Upstream } from '../upstream/index.ts';
import { createLimitPause, noPause } from '../upstream/limit-pause.ts';
import { createLookup } from '../upstream/lookup.ts';
import { measured } from '../upstream/measured.ts';
import { createTokenSource, type TokenSource } from '../upstream/token-source.ts';
import { createVariantA, createVariantB, VARIANT_HEADERS, type Variant } from '../upstream/variant.ts';
import type { Closers } from './closers.ts';
import type { Configuration, Credentials } from './configuration.ts';
import { guard } from './guard.ts';

/** The ways to a platform, whoever goes them. */
export interface UpstreamDoor {
  /** The platform as the owner of these tokens sees it. */
  as(tokens: TokenSource): Upstream;
  /** How tokens are had with these credentials. */
  variant(credentials: Credentials): Variant;
  /** The gateway itself as a caller, whose token one replica renews for all; `undefined` without credentials. */
  self(credentials: Credentials | undefined): Self | undefined;
}

/** The gateway itself as a caller of the platform. */
export interface Self {
  readonly credentials: Credentials;
  readonly upstream: Upstream;
}

/** What the ways to a platform are opened in. */
interface Surroundings {
  readonly replicas: Replicas | undefined;
  readonly metrics: Metrics | undefined;
  readonly closers: Closers;
}

/** Opens the ways to the platform at `url`, and to its token issuer where that stands elsewhere. */
export function openUpstream(
  url: string,
  configuration: Configuration,
  { replicas, metrics, closers }: Surroundings,
): UpstreamDoor {
  const { settings, dialect } = configuration;
  const exchangerFor = (baseUrl: string) => {
    const dispatcher = openPool(baseUrl, configuration);
    closers.add(() => dispatcher.destroy());
    return createExchanger({
      dispatcher,
      baseUrl,
      timeoutMs: settings.UPSTREAM_TIMEOUT_MS,
      maxResponseBytes: settings.UPSTREAM_RESPONSE_MAX_BYTES,
      maxPending: settings.UPSTREAM_PENDING_MAX,
    });
  };

  const direct = exchangerFor(url);
  const budget = openBudget(settings, replicas);
  const counted = measured(
    withinBudget(direct, budget, ({ isWrite }) => isWrite),
    metrics?.call,
  );
  const pause = createLimitPause({ maxMs: settings.UPSTREAM_PAUSE_MAX_MS, news: replicas?.pauseNews });
  const { exchange, patience } = guard(counted, settings, pause);
  const issuer = issuerAt(settings.UPSTREAM_TOKEN_URL, exchangerFor) ?? { exchange: direct, tokenPath: '/v1.0/token' };
  // Tokens have a breaker of their own: a platform that answers must not be given up for an issuer that does not.
  // The gateway's own token comes first, as changes need it too; people who sign in must not use up what is kept for these.
  const issued = measured(
    withinBudget(issuer.exchange, budget, () => settings.IDENTITY === 'service'),
    metrics?.call,
  );
  const issuing = guard(issued, settings, noPause);
  const issueOptions = { exchange: issuing.exchange, tokenPath: issuer.tokenPath, dialect };
  const headers = VARIANT_HEADERS[settings.UPSTREAM_AUTH === 'credentials' ? 'A' : 'B'];
  const variantOf = (credentials: Credentials): Variant => {
    const variant =
      credentials.variant === 'A'
        ? createVariantA(credentials.body, issueOptions)
        : createVariantB(credentials, issueOptions);
    const task = { operation: 'getToken', isRead: true };
    return { ...variant, issue: () => issuing.patience.run(task, ({ restMs }) => variant.issue(restMs())) };
  };
  const as = (tokens: TokenSource): Upstream =>
    createUpstream({ exchange, headers, tokens, dialect, patience, repeats: settings.UPSTREAM_REPEAT_REFUSED });
  return {
    as,
    variant: variantOf,
    self(credentials) {
      if (credentials === undefined) return undefined;
      const renewal = replicas?.tokenRenewal(JSON.stringify(credentials));
      return { credentials, upstream: as(createTokenSource({ issue: variantOf(credentials).issue, renewal })) };
    },
  };
}

/** The largest head of an answer that is taken. */
const RESPONSE_HEADERS_MAX_BYTES = 16_384;

function openPool(baseUrl: string, { settings, authorities }: Configuration): Pool {
  return new Pool(new URL(baseUrl).origin, {
    connections: settings.UPSTREAM_CONNECTIONS,
    connect: {
      timeout: settings.UPSTREAM_CONNECT_TIMEOUT_MS,
      lookup: createLookup(),
      // Said here, so that nothing in the environment can say otherwise.
      rejectUnauthorized: true,
      minVersion: 'TLSv1.2',
      ...(authorities && { ca: [...authorities] }),
    },
    maxHeaderSize: RESPONSE_HEADERS_MAX_BYTES,
    allowH2: false,
  });
}

function issuerAt(address: string | undefined, exchangerFor: (baseUrl: string) => Exchanger) {
  if (address === undefined) return undefined;
  const { origin, pathname, search } = new URL(address);
  return { exchange: exchangerFor(origin), tokenPath: pathname + search };
}

function openBudget({ UPSTREAM_CALLS_PER_MINUTE: limit }: Settings, replicas: Replicas | undefined) {
  if (limit === undefined) return undefined;
  return replicas ? replicas.callBudget(limit) : createCallBudget(limit);
}
