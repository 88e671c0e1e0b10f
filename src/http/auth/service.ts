import type { FastifyRequest } from 'fastify';

import { createScope, type Permissions, type Scope } from '../../cache/scope.ts';
import { scopeKey } from '../../cache/scope-key.ts';
import { orUndefined } from '../../core/errors.ts';
import type { Viewer } from '../../graphql/context.ts';
import { type CheckCaller, checkJwts, createPublishedKeys } from './callers.ts';
import {
  type Caller,
  type CallerPermissions,
  type Identity,
  type IdentityOptions,
  noSignIn,
} from './identity.ts';

/**
 * Creates the identity for `IDENTITY=service`: the platform is called with the gateway's own
 * credentials. `CALLER_AUTH` selects how callers are authenticated. Callers with equal permissions
 * share one scope. If the gateway's user changes, new scopes are created. Known callers have their
 * own idempotency keys, because equal keys of two callers are different changes.
 */
export function openService(options: IdentityOptions): Identity {
  const { service, callers, store, apiKeys, authorization, changes } = options;
  if (service === undefined) throw new Error('The gateway has no credentials of its own.');
  const checkCaller = checkCallers(options);
  const idempotency = changes.forCaller(scopeKey('service'));
  const permissionsOf = (viewer: Viewer | undefined): CallerPermissions | undefined =>
    viewer && authorization.permissionsOf(viewer);
  const scopes = new Map<Permissions | undefined, Scope>();
  let upstream = service.current();
  // The viewer of an API key is one object until the key is removed. The viewer of a token is
  // created for each request and has an end.
  let known = new WeakMap<Viewer, Caller>();

  const scopeOf = (permissions: Permissions | undefined): Scope => {
    const existing = scopes.get(permissions);
    if (existing) return existing;
    const scope = createScope({ caller: callers.auth, upstream, store, idempotency, permissions });
    scopes.set(permissions, scope);
    return scope;
  };
  authorization.onEnd((permissions) => {
    scopes.get(permissions)?.cache.clear();
    scopes.delete(permissions);
  });

  const open = (viewer: Viewer | undefined, permissions: CallerPermissions | undefined): Caller => {
    const from = upstream;
    const isCurrent: Caller['isCurrent'] = (given) =>
      service.current() === from &&
      (!apiKeys || !given || apiKeys.isKnown(given)) &&
      orUndefined(() => permissionsOf(given)) === permissions;
    const shared = {
      scope: scopeOf(permissions),
      session: noSignIn(viewer),
      documents: permissions?.documents,
      isCurrent,
    };
    if (viewer === undefined) return { ...shared, key: undefined };
    const key = scopeKey('caller', viewer.name);
    // The names of API keys and roles come from the configuration. The names in tokens are
    // personal.
    const caller = callers.auth === 'key' ? viewer.name : (permissions?.role ?? callers.auth);
    return {
      ...shared,
      key,
      scope: { ...shared.scope, caller, idempotency: changes.forCaller(key) },
    };
  };
  let anonymous = open(undefined, undefined);
  /** Drops all data after the gateway's user has changed. */
  const followLogin = (): void => {
    if (service.current() === upstream) return;
    upstream = service.current();
    for (const { cache } of scopes.values()) cache.clear();
    scopes.clear();
    known = new WeakMap();
    anonymous = open(undefined, undefined);
  };
  const identify = (viewer: Viewer | undefined): Caller => {
    followLogin();
    if (viewer === undefined) return anonymous;
    const permissions = permissionsOf(viewer);
    const existing = known.get(viewer);
    if (existing && existing.scope.permissions === permissions) return existing;
    const caller = open(viewer, permissions);
    if (viewer.until === undefined) known.set(viewer, caller);
    return caller;
  };
  const authenticate = ({ headers }: FastifyRequest): Caller | Promise<Caller> => {
    const viewer = checkCaller?.(headers);
    return viewer instanceof Promise ? viewer.then(identify) : identify(viewer);
  };
  return { authenticate, checkToken: () => service.current().authenticate() };
}

/**
 * Returns `undefined` with `CALLER_AUTH=none`: every client with network access may call the
 * gateway.
 */
function checkCallers({
  settings,
  callers,
  apiKeys,
  log,
  defer,
}: IdentityOptions): CheckCaller | undefined {
  if (callers.auth !== 'jwt') return apiKeys?.check;
  return checkJwts(settings, createPublishedKeys(callers.jwksUrl, log, defer));
}
