import { createScope, createScopes, type ScopeKey, scopeKey } from '../../cache/scope.ts';
import { noToken, type TokenSource } from '../../upstream/token-source.ts';
import type { IdentityOptions } from './identity.ts';

/** How many callers' scopes are kept in memory, and for how long without a request. */
const MAX_SCOPES = 10_000;
const SCOPE_IDLE_MS = 15 * 60_000;

/** Makes the scopes of callers who are authenticated by tokens of their own at the platform. */
export function openScopes({ settings, upstream, store, changes, observers }: IdentityOptions) {
  const openScope = (caller: ScopeKey, tokens: TokenSource, owner = caller) =>
    createScope({
      caller: settings.IDENTITY,
      upstream: upstream.forCaller(tokens, caller),
      store,
      idempotency: changes.forCaller(owner),
    });
  return {
    scopes: createScopes({ max: MAX_SCOPES, idleMs: SCOPE_IDLE_MS }),
    openScope,
    /** Sees nothing. */
    anonymous: openScope(scopeKey('anonymous'), noToken),
    /** To be called when the platform refuses a token. */
    onRefused: () => observers.callerRefused('platform'),
  };
}
