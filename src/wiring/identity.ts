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
import { createGivenToken, noToken } from '../upstream/given-token.ts';
import type { Token } from '../upstream/token-source.ts';
import { type Configuration, toCredentials } from './configuration.ts';
import type { Self, UpstreamDoor } from './upstream.ts';

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
  readonly door: UpstreamDoor;
  readonly store: CacheStore;
  readonly changes: IdempotencyStore;
}

/** Makes the identity that the settings say. `own` is the gateway's, which `service` needs. */
export function wireIdentity(
  configuration: Configuration,
  { own, door, store }: Omit<ScopeParts, 'changes'> & { readonly own: Self | undefined },
): IdentityWiring {
  const { IDENTITY } = configuration.settings;
  const parts = { door, store, changes: createIdempotencyStore() };
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
  const { door, store, changes } = parts;
  const { settings, dialect, identity } = configuration;
  return identifyUsers({
    seal: createSessionSeal(identity.sessionKeys ?? [randomBytes(32)]),
    scopes: scopesOf(configuration),
    signIn: (login) => door.variant(toCredentials(settings, dialect, login)).issue(),
    openScope({ userName, token }) {
      // Who signs in again is the same person, whose second try must have no second effect.
      const idempotency = changes.forCaller(scopeKey('user', userName));
      return createScope({ upstream: door.as(createGivenToken(token)), store, idempotency });
    },
    nobody: nobodyOf(parts),
    maxSessionMs: settings.SESSION_MAX_MS,
  });
}

function wireForwarding(configuration: Configuration, parts: ScopeParts): Identify {
  const { door, store, changes } = parts;
  const given = (authorization: string): Token => ({ authorization, expiresAtMs: Number.POSITIVE_INFINITY });
  return identifyByForwarding({
    scopes: scopesOf(configuration),
    openScope: (key, authorization) =>
      createScope({
        upstream: door.as(createGivenToken(given(authorization))),
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

const nobodyOf = ({ door, store, changes }: ScopeParts) =>
  createScope({ upstream: door.as(noToken), store, idempotency: changes.forCaller(scopeKey('nobody')) });

const scopesOf = ({ settings }: Configuration) =>
  createScopes({ max: settings.SCOPES_MAX, idleMs: settings.SCOPE_IDLE_MS });
