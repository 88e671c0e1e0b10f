import { randomBytes } from 'node:crypto';

import type { CacheStore } from '../cache/cache.ts';
import { createIdempotencyStore, type IdempotencyStore } from '../cache/idempotency.ts';
import { createScope, createScopes, scopeKey } from '../cache/scope.ts';
import {
  type CheckCaller,
  checkApiKeys,
  checkJwts,
  createPublishedKeys,
  everybody,
  publicKey,
} from '../http/auth/callers.ts';
import { type Authenticate, authenticateByForwarding, authenticateService } from '../http/auth/identity.ts';
import { createSessionTokens } from '../http/auth/session-token.ts';
import { authenticateUsers } from '../http/auth/sessions.ts';
import type { Log } from '../telemetry/log.ts';
import type { UpstreamFactory } from '../upstream/index.ts';
import { createGivenToken, noToken, type Token, type TokenSource } from '../upstream/token-source.ts';
import type { Closers } from './closers.ts';
import { type Configuration, toCredentials } from './configuration.ts';
import type { Self } from './upstream.ts';

/** Who asks, and whether the platform lets them. */
export interface IdentityWiring {
  readonly authenticate: Authenticate;
  /**
   * Resolves when the gateway can do its work; where callers bring their own tokens, it always can.
   *
   * @throws {UpstreamError} when the platform gives the gateway no token.
   */
  readonly checkReady: () => Promise<void>;
}

/** What scopes are made of. */
interface ScopeParts {
  readonly factory: UpstreamFactory;
  readonly store: CacheStore;
  readonly changes: IdempotencyStore;
}

interface IdentityParts extends Omit<ScopeParts, 'changes'> {
  readonly own: Self | undefined;
  readonly log: Log;
  readonly closers: Closers;
}

/** Makes the identity that the settings say. `own` is the gateway's, which `service` needs. */
export function wireIdentity(
  configuration: Configuration,
  { own, factory, store, log, closers }: IdentityParts,
): IdentityWiring {
  const { IDENTITY } = configuration.settings;
  const parts = { factory, store, changes: createIdempotencyStore() };
  if (IDENTITY !== 'service') {
    const authenticate = IDENTITY === 'user' ? wireUsers(configuration, parts) : wireForwarding(configuration, parts);
    return { authenticate, checkReady: async () => undefined };
  }
  if (own === undefined) throw new Error('The gateway has no credentials of its own.');
  const { upstream } = own;
  const scope = createScope({ upstream, store, idempotency: parts.changes.forCaller(scopeKey('service')) });
  const checkCaller = wireCallers(configuration, log, closers);
  const authenticate = authenticateService(scope, checkCaller, parts.changes);
  return { authenticate, checkReady: upstream.authenticate };
}

function wireUsers(configuration: Configuration, parts: ScopeParts): Authenticate {
  const { factory, store, changes } = parts;
  const { settings, dialect, identity } = configuration;
  return authenticateUsers({
    tokens: createSessionTokens(identity.sessionKeys ?? [randomBytes(32)]),
    scopes: scopesOf(configuration),
    signIn: (login) => factory.signIn(toCredentials(settings, dialect, login)),
    openScope({ userName, token, onRefused }) {
      // Who signs in again is the same person, whose second try must have no second effect.
      const caller = scopeKey('user', userName);
      const upstream = factory.forCaller(tellRefused(createGivenToken(token), onRefused), caller);
      return createScope({ upstream, store, idempotency: changes.forCaller(caller) });
    },
    anonymous: anonymousOf(parts),
    maxSessionMs: settings.SESSION_MAX_MS,
  });
}

function wireForwarding(configuration: Configuration, parts: ScopeParts): Authenticate {
  const { factory, store, changes } = parts;
  const given = (authorization: string): Token => ({ authorization, expiresAtMs: Number.POSITIVE_INFINITY });
  return authenticateByForwarding({
    scopes: scopesOf(configuration),
    openScope: (key, authorization) =>
      createScope({
        upstream: factory.forCaller(createGivenToken(given(authorization)), key),
        store,
        idempotency: changes.forCaller(key),
      }),
    anonymous: anonymousOf(parts),
  });
}

function wireCallers({ settings, identity: { callers } }: Configuration, log: Log, closers: Closers): CheckCaller {
  if (callers.auth === 'none') return everybody;
  if (callers.auth === 'key') return checkApiKeys(callers.keys);
  const { CALLER_JWT_ISSUER: issuer, CALLER_JWT_AUDIENCE: audience } = settings;
  if ('publicKeyPem' in callers.keys) {
    return checkJwts({ findKey: publicKey(callers.keys.publicKeyPem), issuer, audience });
  }
  const { findKey, stop } = createPublishedKeys(callers.keys.jwksUrl, log);
  closers.add(stop);
  return checkJwts({ findKey, issuer, audience });
}

function tellRefused(tokens: TokenSource, onRefused: () => void): TokenSource {
  return {
    current: tokens.current,
    discard(refused) {
      tokens.discard(refused);
      onRefused();
    },
  };
}

const anonymousOf = ({ factory, store, changes }: ScopeParts) =>
  createScope({
    upstream: factory.forCaller(noToken, 'anonymous'),
    store,
    idempotency: changes.forCaller(scopeKey('anonymous')),
  });

const scopesOf = ({ settings }: Configuration) =>
  createScopes({ max: settings.SCOPES_MAX, idleMs: settings.SCOPE_IDLE_MS });
