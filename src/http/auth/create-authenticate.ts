import { randomBytes } from 'node:crypto';

import type { CacheStore } from '../../cache/cache.ts';
import { createIdempotencyStore } from '../../cache/idempotency.ts';
import { createScope, createScopes, type ScopeKey, scopeKey } from '../../cache/scope.ts';
import type { CallerConfig, Keys } from '../../config/config.ts';
import type { Settings } from '../../config/settings.ts';
import type { Login } from '../../graphql/context.ts';
import type { Log } from '../../telemetry/log.ts';
import type { Upstream, UpstreamFactory } from '../../upstream/index.ts';
import { createGivenToken, noToken, type Token, type TokenSource } from '../../upstream/token-source.ts';
import { type CheckCaller, checkApiKeys, checkJwts, createPublishedKeys, everybody, publicKey } from './callers.ts';
import { type Authenticate, authenticateByForwarding, authenticateService } from './identity.ts';
import { createSessionTokens } from './session-token.ts';
import { authenticateUsers } from './sessions.ts';

interface AuthenticateOptions {
  readonly settings: Settings;
  readonly callers: CallerConfig;
  readonly sessionKeys: Keys | undefined;
  readonly upstream: UpstreamFactory;
  /** The platform as the gateway itself sees it, which `IDENTITY=service` needs. */
  readonly service: Upstream | undefined;
  /** Signs a user in at the platform. */
  readonly signIn: (login: Login) => Promise<Token>;
  readonly store: CacheStore;
  readonly log: Log;
  /** Takes what is to be stopped with the gateway. */
  readonly onStop: (stop: () => void) => void;
}

/** How many callers' scopes are held in memory, and for how long without a request. */
const MAX_SCOPES = 10_000;
const SCOPE_IDLE_MS = 15 * 60_000;
/** How long a session lasts where the platform does not say when its token ends. */
const MAX_SESSION_MS = 8 * 60 * 60_000;

/** Authenticates requests as `IDENTITY` and `CALLER_AUTH` say. */
export function createAuthenticate(options: AuthenticateOptions): Authenticate {
  const { settings, upstream, service, store } = options;
  const changes = createIdempotencyStore();
  if (settings.IDENTITY === 'service') {
    if (service === undefined) throw new Error('The gateway has no credentials of its own.');
    const scope = createScope({ upstream: service, store, idempotency: changes.forCaller(scopeKey('service')) });
    return authenticateService(scope, checkCallers(options), changes);
  }

  const openScope = (caller: ScopeKey, tokens: TokenSource) =>
    createScope({ upstream: upstream.forCaller(tokens, caller), store, idempotency: changes.forCaller(caller) });
  const scopes = createScopes({ max: MAX_SCOPES, idleMs: SCOPE_IDLE_MS });
  const anonymous = openScope(scopeKey('anonymous'), noToken);
  if (settings.IDENTITY === 'forward') {
    return authenticateByForwarding({
      scopes,
      openScope: (key, authorization, onAccepted) =>
        openScope(key, createGivenToken({ authorization, expiresAtMs: Number.POSITIVE_INFINITY }, { onAccepted })),
      anonymous,
    });
  }
  return authenticateUsers({
    tokens: createSessionTokens(options.sessionKeys ?? [randomBytes(32)]),
    scopes,
    signIn: options.signIn,
    // A user who signs in again is the same caller, whose second try must have no second effect.
    openScope: ({ userName, token, onRefused }) =>
      openScope(scopeKey('user', userName), createGivenToken(token, { onRefused })),
    anonymous,
    maxSessionMs: MAX_SESSION_MS,
  });
}

function checkCallers({ settings, callers, log, onStop }: AuthenticateOptions): CheckCaller {
  if (callers.auth === 'none') return everybody;
  if (callers.auth === 'key') return checkApiKeys(callers.keys);
  const claims = { issuer: settings.CALLER_JWT_ISSUER, audience: settings.CALLER_JWT_AUDIENCE };
  if ('publicKeyPem' in callers.keys) return checkJwts({ findKey: publicKey(callers.keys.publicKeyPem), ...claims });
  const { findKey, stop } = createPublishedKeys(callers.keys.jwksUrl, log);
  onStop(stop);
  return checkJwts({ findKey, ...claims });
}
