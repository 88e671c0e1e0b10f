import { LRUCache } from 'lru-cache';

import type { Scope } from '../../cache/scope.ts';
import { type ScopeKey, scopeKey } from '../../cache/scope-key.ts';
import { createGivenToken } from '../../upstream/token-provider.ts';
import { type Identity, type IdentityOptions, noSignIn, openScopes } from './identity.ts';

/**
 * The highest number of tokens in memory that the platform has not accepted yet. They may be
 * forged, so they evict only each other.
 */
const MAX_UNPROVEN = 1_000;

/**
 * Creates the identity for `IDENTITY=forward`: each caller sends the platform's token, which is
 * passed on unchanged. Only the platform can check it. The caller gets a key when the platform has
 * accepted the token. From then on the accepted spelling of the header is sent, even if the client
 * uses another one.
 */
export function openForward(options: IdentityOptions): Identity {
  const { scopes, anonymous, openScope, onRefused } = openScopes(options);
  const session = noSignIn(undefined);
  const unproven = new LRUCache<ScopeKey, Scope>({ max: MAX_UNPROVEN });

  const openUnproven = (key: ScopeKey, header: ScopeKey, authorization: string): Scope => {
    const onAccepted = () => {
      unproven.delete(header);
      scopes.get(key, () => scope);
    };
    const token = { authorization, expiresAtMs: Number.POSITIVE_INFINITY };
    const scope = openScope(key, createGivenToken(token, { onAccepted, onRefused }));
    return scope;
  };

  return {
    checkToken: async () => undefined,
    authenticate({ headers: { authorization } }) {
      if (!authorization) return { scope: anonymous, session, key: undefined };
      const key = scopeKey('forward', tokenOf(authorization));
      const known = scopes.find(key);
      const touch = async () => {
        scopes.find(key);
        return true;
      };
      if (known !== undefined) return { scope: known, session, key, touch };
      // The key is the exact header. A spelling that the platform refuses must not stand for one
      // that it would accept.
      const header = scopeKey('header', authorization);
      const scope = unproven.get(header) ?? openUnproven(key, header, authorization);
      unproven.set(header, scope);
      const accepted = () => (scopes.find(key) ? { scope, session, key, touch } : undefined);
      return { scope, session, key: undefined, accepted };
    },
  };
}

/**
 * Returns the significant part of a header. Schemes are case-insensitive, any spaces may follow,
 * and `Bearer` may be missing.
 */
const tokenOf = (authorization: string): string =>
  authorization
    .replace(/^\S+\s+/, (scheme) => `${scheme.trimEnd().toLowerCase()} `)
    .replace(/^bearer /, '');
