import type { FastifyReply, FastifyRequest } from 'fastify';
import { LRUCache } from 'lru-cache';
import type { EndedSessions } from '../../cache/ended-sessions.ts';
import { createIdempotencyStore, type IdempotencyStore, type ShareRun } from '../../cache/idempotency.ts';
import {
  createScope,
  createScopes,
  type Rights,
  type Scope,
  type ScopeKey,
  type Scopes,
  scopeKey,
} from '../../cache/scope.ts';
import type { CacheStore } from '../../cache/store.ts';
import type { CallerConfig, EncryptionKeys } from '../../config/config.ts';
import type { Settings } from '../../config/settings.ts';
import { InputError, orUndefined } from '../../core/errors.ts';
import type { Log } from '../../core/log.ts';
import type { Observers } from '../../core/observers.ts';
import type { PersistedDocuments } from '../../graphql/admission/persisted-documents.ts';
import type { Login, Session, Viewer } from '../../graphql/context.ts';
import type { Service, UpstreamFactory } from '../../upstream/index.ts';
import { createGivenToken, noToken, type Token, type TokenSource } from '../../upstream/token-source.ts';
import { type ApiKeys, type CheckCaller, checkJwts, createPublishedKeys } from './callers.ts';
import { authenticateUsers, callerKeyOf } from './sessions.ts';

/** Who sends a request, with their data and their session. */
export interface Caller {
  readonly scope: Scope;
  readonly session: Session;
  /** Their own; those of all callers where absent. */
  readonly documents?: PersistedDocuments | undefined;
  /** Tells authenticated callers apart, for all limits; `undefined` for all others. */
  readonly key: ScopeKey | undefined;
  /** Why a session was not taken; only operators read it. */
  readonly refusedFor?: string | undefined;
  /** Whether what they came with is still let in; absent where that ends with the session alone. */
  readonly isCurrent?: ((viewer: Viewer | undefined) => boolean) | undefined;
  /** Names the session in `EndedSessions`; `undefined` where callers have none. */
  readonly sessionKey?: ScopeKey | undefined;
  /** Clears the cookie of a session that has ended. To be called when the answer is made, before it is sent. */
  readonly clearRefusedCookie?: (() => void) | undefined;
  /** Keeps what belongs to the caller while they are here without requests. Resolves to whether their session goes on. */
  readonly touch?: (() => Promise<boolean>) | undefined;
  /** Gives the same caller with their key once the platform has accepted their token. */
  readonly accepted?: (() => Caller | undefined) | undefined;
}

/** The rights of callers, and the documents that are theirs alone. */
export interface CallerRights extends Rights {
  /** In place of those of all callers. */
  readonly documents?: PersistedDocuments | undefined;
}

/** Decides what callers may do with `IDENTITY=service`, where they may not all do everything. */
export interface Authorization {
  /** Gives the same rights to all who have them. @throws {RequestError} 403 for a caller who may do nothing. */
  rightsOf?: (viewer: Viewer) => CallerRights;
  /** Set by the core: drops what was read with rights that nobody has any more. */
  end?: (rights: Rights) => void;
}

/**
 * Authenticates a request by its headers.
 *
 * @throws {RequestError} for a request that is refused.
 */
export type Authenticate = (request: FastifyRequest, reply: FastifyReply) => Caller | Promise<Caller>;

interface AuthenticateOptions {
  readonly settings: Settings;
  readonly callers: CallerConfig;
  /** With `CALLER_AUTH=key`. */
  readonly apiKeys: ApiKeys | undefined;
  readonly authorization: Authorization;
  readonly sessionKeys: EncryptionKeys | undefined;
  readonly upstream: UpstreamFactory;
  /** The platform as the gateway itself sees it, which `IDENTITY=service` needs. */
  readonly service: Service | undefined;
  /** Signs a user in at the platform. */
  readonly signIn: (login: Login) => Promise<Token>;
  readonly store: CacheStore;
  /** How replicas share changes with idempotency keys. */
  readonly shareRun?: ShareRun | undefined;
  readonly ended: EndedSessions;
  readonly log: Log;
  readonly observers: Pick<Observers, 'callerRefused'>;
  /** Takes what is to be stopped with the gateway. */
  readonly onStop: (stop: () => void) => void;
}

/** How many callers' scopes are kept in memory, and for how long without a request. */
const MAX_SCOPES = 10_000;
const SCOPE_IDLE_MS = 15 * 60_000;

/** Authenticates requests as `IDENTITY` and `CALLER_AUTH` say. */
export function createAuthenticate(options: AuthenticateOptions): Authenticate {
  const { settings, upstream, service, store } = options;
  const changes = createIdempotencyStore({ share: options.shareRun, keptMs: settings.IDEMPOTENCY_KEEP_MS });
  if (settings.IDENTITY === 'service') {
    if (service === undefined) throw new Error('The gateway has no credentials of its own.');
    return authenticateService({ ...options, service }, changes);
  }

  const openScope = (caller: ScopeKey, tokens: TokenSource, owner = caller) =>
    createScope({
      caller: settings.IDENTITY,
      upstream: upstream.forCaller(tokens, caller),
      store,
      idempotency: changes.forCaller(owner),
    });
  const scopes = createScopes({ max: MAX_SCOPES, idleMs: SCOPE_IDLE_MS });
  const anonymous = openScope(scopeKey('anonymous'), noToken);
  const onRefused = () => options.observers.callerRefused('platform');
  if (settings.IDENTITY === 'forward') {
    const never = Number.POSITIVE_INFINITY;
    return authenticateByForwarding({
      scopes,
      openScope: (caller, authorization, onAccepted) =>
        openScope(caller, createGivenToken({ authorization, expiresAtMs: never }, { onAccepted, onRefused })),
      anonymous,
    });
  }
  return authenticateUsers({
    keys: options.sessionKeys,
    scopes,
    ended: options.ended,
    signIn: options.signIn,
    // A user who signs in again is the same caller, whose second try must have no second effect. Keys go by the name as it
    // is: to a platform that tells cases apart, other spellings are other users.
    openScope: ({ userName, token, onRefused }) =>
      openScope(callerKeyOf(userName), createGivenToken(token, { onRefused }), scopeKey('user', userName)),
    onRefused,
    anonymous,
  });
}

/** `undefined` with `CALLER_AUTH=none`: everybody who can reach the gateway may call it. */
function checkCallers({ settings, callers, apiKeys, log, onStop }: AuthenticateOptions): CheckCaller | undefined {
  if (callers.auth !== 'jwt') return apiKeys?.check;
  const claims = { issuer: settings.CALLER_JWT_ISSUER, audience: settings.CALLER_JWT_AUDIENCE };
  const { findKey, stop } = createPublishedKeys(callers.jwksUrl, log);
  onStop(stop);
  return checkJwts({ findKey, ...claims });
}

type ServiceOptions = AuthenticateOptions & { readonly service: Service };

/**
 * `IDENTITY=service`: all callers see what the gateway's own credentials may see, in one scope, or in one for all who have the
 * same rights; for another user of the platform in others. Only their idempotency keys are their own, where callers are known: two
 * who send the same key do not mean the same change.
 */
function authenticateService(options: ServiceOptions, changes: IdempotencyStore): Authenticate {
  const { service, store, apiKeys, authorization } = options;
  const checkCaller = checkCallers(options);
  const idempotency = changes.forCaller(scopeKey('service'));
  const rightsOf = (viewer: Viewer | undefined): CallerRights | undefined => viewer && authorization.rightsOf?.(viewer);
  const open = () => {
    const upstream = service.current();
    const scopes = new Map<Rights | undefined, Scope>();
    const scopeOf = (rights: Rights | undefined): Scope => {
      const known = scopes.get(rights);
      if (known) return known;
      const scope = createScope({ caller: options.callers.auth, upstream, store, idempotency, rights });
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
  if (checkCaller === undefined) return () => current().anonymous;
  return ({ headers }) => {
    const viewer = checkCaller(headers);
    return viewer instanceof Promise ? viewer.then(identify) : identify(viewer);
  };
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
 * `IDENTITY=forward`: each caller brings the platform's token, which is passed on as it is. Whether it is good, only the
 * platform knows: a caller counts as one once the platform has accepted the token. From then on the header is sent as it was
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

/** The session of a caller who does not sign in here. */
function noSignIn(viewer: Viewer | undefined): Session {
  return {
    viewer,
    async signIn() {
      throw new InputError('This gateway has no sign-in.');
    },
    async signOut() {
      throw new InputError('This gateway has no sign-in, so there is no session to end.');
    },
  };
}
