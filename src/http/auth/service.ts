import type { FastifyRequest } from 'fastify';

import { createScope, type Rights, type Scope, scopeKey } from '../../cache/scope.ts';
import { orUndefined } from '../../core/errors.ts';
import type { Viewer } from '../../graphql/context.ts';
import { type CheckCaller, checkJwts, createPublishedKeys } from './callers.ts';
import { type Caller, type CallerRights, type Identity, type IdentityOptions, noSignIn } from './identity.ts';

/**
 * `IDENTITY=service`: the platform is called with the gateway's own credentials, for callers as `CALLER_AUTH` says. All callers see
 * what these credentials may see, in one scope, or in one for all who have the same rights; for another user of the platform in
 * others. Only their idempotency keys are their own, where callers are known: two who send the same key do not mean the same change.
 */
export function openService(options: IdentityOptions): Identity {
  const { service, callers, store, apiKeys, authorization, changes } = options;
  if (service === undefined) throw new Error('The gateway has no credentials of its own.');
  const checkCaller = checkCallers(options);
  const idempotency = changes.forCaller(scopeKey('service'));
  const rightsOf = (viewer: Viewer | undefined): CallerRights | undefined => viewer && authorization.rightsOf?.(viewer);
  const open = () => {
    const upstream = service.current();
    const scopes = new Map<Rights | undefined, Scope>();
    const scopeOf = (rights: Rights | undefined): Scope => {
      const known = scopes.get(rights);
      if (known) return known;
      const scope = createScope({ caller: callers.auth, upstream, store, idempotency, rights });
      scopes.set(rights, scope);
      return scope;
    };
    const isCurrent = (rights: Rights | undefined, viewer: Viewer | undefined): boolean =>
      service.current() === upstream &&
      (!apiKeys || !viewer || apiKeys.isKnown(viewer)) &&
      orUndefined(() => rightsOf(viewer)) === rights;
    const anonymous: Caller = {
      scope: scopeOf(undefined),
      session: noSignIn(undefined),
      key: undefined,
      isCurrent: (viewer) => isCurrent(undefined, viewer),
    };
    // The viewer of an API key is one object while the key is known, that of a token is made for each request, and ends.
    return { upstream, scopes, scopeOf, isCurrent, anonymous, known: new WeakMap<Viewer, Caller>() };
  };
  let own = open();
  const current = () => {
    if (service.current() === own.upstream) return own;
    for (const { cache } of own.scopes.values()) cache.clear();
    own = open();
    return own;
  };
  authorization.end = (rights) => {
    own.scopes.get(rights)?.cache.clear();
    own.scopes.delete(rights);
  };

  const identify = (viewer: Viewer): Caller => {
    const { scopeOf, isCurrent, known } = current();
    const rights = rightsOf(viewer);
    const existing = known.get(viewer);
    if (existing && existing.scope.rights === rights) return existing;
    const shared = scopeOf(rights);
    const key = scopeKey('caller', viewer.name);
    // Names of API keys and roles are the configuration's; those of tokens are people's.
    const name = shared.caller === 'key' ? viewer.name : (rights?.role ?? shared.caller);
    const scope = { ...shared, caller: name, idempotency: changes.forCaller(key) };
    const isStill: Caller['isCurrent'] = (given) => isCurrent(rights, given);
    const caller = { scope, session: noSignIn(viewer), documents: rights?.documents, key, isCurrent: isStill };
    if (viewer.until === undefined) known.set(viewer, caller);
    return caller;
  };
  const authenticate = ({ headers }: FastifyRequest): Caller | Promise<Caller> => {
    const viewer = checkCaller?.(headers);
    if (viewer === undefined) return current().anonymous;
    return viewer instanceof Promise ? viewer.then(identify) : identify(viewer);
  };
  return { authenticate, hasCallers: callers.auth !== 'none', checkToken: () => service.current().authenticate() };
}

/** `undefined` with `CALLER_AUTH=none`: everybody who can reach the gateway may call it. */
function checkCallers({ settings, callers, apiKeys, log, defer }: IdentityOptions): CheckCaller | undefined {
  if (callers.auth !== 'jwt') return apiKeys?.check;
  const { findKey, stop } = createPublishedKeys(callers.jwksUrl, log);
  defer(stop);
  return checkJwts(settings, findKey);
}
