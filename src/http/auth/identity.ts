import type { FastifyReply, FastifyRequest } from 'fastify';
import { LRUCache } from 'lru-cache';

import type { IdempotencyStore } from '../../cache/idempotency.ts';
import { type Scope, type ScopeKey, type Scopes, scopeKey } from '../../cache/scope.ts';
import type { Session, Viewer } from '../../graphql/context.ts';
import { InputError } from '../../upstream/errors.ts';
import type { CheckCaller } from './callers.ts';

/** Who sends a request: what they may see, and their session. */
export interface Identity {
  readonly scope: Scope;
  readonly session: Session;
  /** Tells authenticated callers apart; `undefined` for all others. */
  readonly caller: string | undefined;
  /** To be called when the answer is made, before it is sent. */
  readonly finish?: (() => void) | undefined;
}

/**
 * Authenticates a request by its headers.
 *
 * @throws {RequestError} for a request that is refused.
 */
export type Authenticate = (request: FastifyRequest, reply: FastifyReply) => Promise<Identity>;

/**
 * `IDENTITY=service`: all callers see what the gateway's own credentials may see, in one scope. Only their idempotency keys
 * are their own, where callers are known: two who send the same key do not mean the same change.
 */
export function authenticateService(scope: Scope, checkCaller: CheckCaller, changes: IdempotencyStore): Authenticate {
  const anonymous: Identity = { scope, session: noSignIn(undefined), caller: undefined };
  // The viewer of an API key is one object for good.
  const known = new WeakMap<Viewer, Identity>();

  return async ({ headers }) => {
    const viewer = await checkCaller(headers);
    if (viewer === undefined) return anonymous;
    const held = known.get(viewer);
    if (held !== undefined) return held;
    const caller = scopeKey('caller', viewer.name);
    const identity = { scope: { ...scope, idempotency: changes.forCaller(caller) }, session: noSignIn(viewer), caller };
    known.set(viewer, identity);
    return identity;
  };
}

interface ForwardOptions {
  /** Callers whose token the platform has accepted. */
  readonly scopes: Scopes;
  /** Makes the scope of the caller with this token: the whole `Authorization` header. */
  readonly openScope: (key: ScopeKey, authorization: string, onAccepted: () => void) => Scope;
  /** Sees nothing. */
  readonly anonymous: Scope;
}

/** How many tokens are held that the platform has not accepted yet. They can be made up, and push out only one another. */
const MAX_UNPROVEN = 1_000;

/**
 * `IDENTITY=forward`: each caller brings the platform's token, which is passed on as it is. Whether it is good, only the
 * platform knows: a caller counts as one once the platform has accepted the token.
 */
export function authenticateByForwarding({ scopes, openScope, anonymous }: ForwardOptions): Authenticate {
  const session = noSignIn(undefined);
  const unproven = new LRUCache<ScopeKey, Scope>({ max: MAX_UNPROVEN });

  return async ({ headers: { authorization } }) => {
    if (!authorization) return { scope: anonymous, session, caller: undefined };
    const key = scopeKey('forward', authorization);
    const known = scopes.find(key);
    if (known !== undefined) return { scope: known, session, caller: key };
    const scope: Scope =
      unproven.get(key) ??
      openScope(key, authorization, () => {
        unproven.delete(key);
        scopes.get(key, () => scope);
      });
    unproven.set(key, scope);
    return { scope, session, caller: undefined };
  };
}

/** The session of a caller who does not sign in here. */
function noSignIn(viewer: Viewer | undefined): Session {
  return {
    viewer,
    async signIn() {
      throw new InputError('Callers do not sign in at this gateway.');
    },
    async signOut() {
      throw new InputError('Callers do not sign in at this gateway, so there is nothing to sign out of.');
    },
  };
}
