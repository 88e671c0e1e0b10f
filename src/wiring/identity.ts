import { randomBytes } from 'node:crypto';

import type { CacheStore } from '../cache/cache.ts';
import { createIdempotencyStore, type IdempotencyStore } from '../cache/idempotency.ts';
import { createScope, createScopes, scopeKey } from '../cache/scope.ts';
import { checkKeyCallers } from '../edge/callers/api-key.ts';
import { type CallerCheck, everybody } from '../edge/callers/caller-check.ts';
import { checkJwtCallers } from '../edge/callers/jwt.ts';
import { identifyByForwarding } from '../edge/identity/forward.ts';
import type { Identify } from '../edge/identity/identify.ts';
import { identifyAsService } from '../edge/identity/service.ts';
import { createSessionSeal } from '../edge/identity/session-seal.ts';
import { identifyUsers } from '../edge/identity/user.ts';
import type { UpstreamFactory } from '../upstream/index.ts';
import { createGivenToken, noToken, type Token } from '../upstream/token-source.ts';
import { type Configuration, toCredentials } from './configuration.ts';
import type { Self } from './upstream.ts';

/** Who asks, and whether the platform lets them. */
export interface IdentityWiring {
  readonly identify: Identify;
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

/** Makes the identity that the settings say. `own` is the gateway's, which `service` needs. */
export function wireIdentity(
  configuration: Configuration,
  { own, factory, store }: Omit<ScopeParts, 'changes'> & { readonly own: Self | undefined },
): IdentityWiring {
  const { IDENTITY } = configuration.settings;
  const parts = { factory, store, changes: createIdempotencyStore() };
  if (IDENTITY !== 'service') {
    const identify = IDENTITY === 'user' ? wireUsers(configuration, parts) : wireForwarding(configuration, parts);
    return { identify, checkReady: async () => undefined };
  }
  if (own === undefined) throw new Error('The gateway has no credentials of its own.');
  const { upstream } = own;
  const scope = createScope({ upstream, store, idempotency: parts.changes.forCaller(scopeKey('service')) });
  const identify = identifyAsService(scope, wireCallers(configuration), parts.changes);
  return { identify, checkReady: upstream.authenticate };
}

function wireUsers(configuration: Configuration, parts: ScopeParts): Identify {
  const { factory, store, changes } = parts;
  const { settings, dialect, identity } = configuration;
  return identifyUsers({
    seal: createSessionSeal(identity.sessionKeys ?? [randomBytes(32)]),
    scopes: scopesOf(configuration),
    signIn: (login) => factory.signIn(toCredentials(settings, dialect, login)),
    openScope({ userName, token }) {
      // Who signs in again is the same person, whose second try must have no second effect.
      const caller = scopeKey('user', userName);
      const upstream = factory.forCaller(createGivenToken(token), caller);
      return createScope({ upstream, store, idempotency: changes.forCaller(caller) });
    },
    nobody: nobodyOf(parts),
    maxSessionMs: settings.SESSION_MAX_MS,
  });
}

function wireForwarding(configuration: Configuration, parts: ScopeParts): Identify {
  const { factory, store, changes } = parts;
  const given = (authorization: string): Token => ({ authorization, expiresAtMs: Number.POSITIVE_INFINITY });
  return identifyByForwarding({
    scopes: scopesOf(configuration),
    openScope: (key, authorization) =>
      createScope({
        upstream: factory.forCaller(createGivenToken(given(authorization)), key),
        store,
        idempotency: changes.forCaller(key),
      }),
    nobody: nobodyOf(parts),
  });
}

function wireCallers({ settings, identity: { callers } }: Configuration): CallerCheck {
  if (callers.auth === 'none') return everybody;
  if (callers.auth === 'key') return checkKeyCallers(callers.keys);
  const { CALLER_JWT_ISSUER: issuer, CALLER_JWT_AUDIENCE: audience } = settings;
  return checkJwtCallers({ keys: callers.keys, issuer, audience });
}

const nobodyOf = ({ factory, store, changes }: ScopeParts) =>
  createScope({
    upstream: factory.forCaller(noToken, 'anonymous'),
    store,
    idempotency: changes.forCaller(scopeKey('nobody')),
  });

const scopesOf = ({ settings }: Configuration) =>
  createScopes({ max: settings.SCOPES_MAX, idleMs: settings.SCOPE_IDLE_MS });
