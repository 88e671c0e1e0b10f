import { LRUCache } from 'lru-cache';

import { type Scope, type ScopeKey, type Scopes, scopeKey } from '../../cache/scope.ts';
import { createGivenToken } from '../../upstream/token-source.ts';
import { type Authenticate, type Identity, type IdentityOptions, noSignIn } from './identity.ts';
import { openScopes } from './scopes.ts';

/** `IDENTITY=forward`: each caller brings the platform's token, which is passed on as it is. */
export function openForward(options: IdentityOptions): Identity {
  const { scopes, anonymous, openScope, onRefused } = openScopes(options);
  const expiresAtMs = Number.POSITIVE_INFINITY;
  const authenticate = authenticateByForwarding({
    scopes,
    openScope: (caller, authorization, onAccepted) =>
      openScope(caller, createGivenToken({ authorization, expiresAtMs }, { onAccepted, onRefused })),
    anonymous,
  });
  return { authenticate, hasCallers: true, checkToken: async () => undefined };
}

interface ForwardOptions {
  /** Callers whose token the platform has accepted. */
  readonly scopes: Scopes;
  /** Makes the scope of the caller with this token: the whole `Authorization` header. */
  readonly openScope: (caller: ScopeKey, authorization: string, onAccepted: () => void) => Scope;
  /** Sees nothing. */
  readonly anonymous: Scope;
}

/** How many tokens are kept that the platform has not accepted yet. They may be forged, and evict only one another. */
const MAX_UNPROVEN = 1_000;

/**
 * Whether a token is good, only the platform knows: a caller counts as one once the platform has accepted the token. From then on the header is sent as it was
 * accepted, whichever way the client spells it.
 */
export function authenticateByForwarding({ scopes, openScope, anonymous }: ForwardOptions): Authenticate {
  const session = noSignIn(undefined);
  const unproven = new LRUCache<ScopeKey, Scope>({ max: MAX_UNPROVEN });

  return ({ headers: { authorization } }) => {
    if (!authorization) return { scope: anonymous, session, key: undefined };
    const key = scopeKey('forward', tokenOf(authorization));
    const known = scopes.find(key);
    // Whether the token is still good, only the platform knows.
    const touch = async () => {
      scopes.find(key);
      return true;
    };
    if (known !== undefined) return { scope: known, session, key, touch };
    // By the header as it is: a spelling that the platform refuses must not stand for one that it would accept.
    const header = scopeKey('header', authorization);
    const scope: Scope =
      unproven.get(header) ??
      openScope(key, authorization, () => {
        unproven.delete(header);
        scopes.get(key, () => scope);
      });
    unproven.set(header, scope);
    const accepted = () => (scopes.find(key) ? { scope, session, key, touch } : undefined);
    return { scope, session, key: undefined, accepted };
  };
}

/** The part of a header by which tokens differ: schemes are case-insensitive, any spaces may follow one, and `Bearer` may be left out. */
const tokenOf = (authorization: string): string =>
  authorization.replace(/^\S+\s+/, (scheme) => `${scheme.trimEnd().toLowerCase()} `).replace(/^bearer /, '');
