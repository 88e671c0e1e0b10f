import type { FastifyReply, FastifyRequest } from 'fastify';
import type { EndedSessions } from '../../cache/ended-sessions.ts';
import type { IdempotencyStore } from '../../cache/idempotency.ts';
import { createScope, createScopes, type Permissions, type Scope } from '../../cache/scope.ts';
import { type ScopeKey, scopeKey } from '../../cache/scope-key.ts';
import type { CacheStore } from '../../cache/store.ts';
import type { CallerConfig, EncryptionKeys } from '../../config/config.ts';
import type { Settings } from '../../config/settings.ts';
import { InputError } from '../../core/errors.ts';
import type { Log } from '../../core/log.ts';
import type { Observers } from '../../core/observers.ts';
import type { PersistedDocuments } from '../../graphql/admission/persisted-documents.ts';
import type { Login, Session, Viewer } from '../../graphql/context.ts';
import type { Service, UpstreamFactory } from '../../upstream/index.ts';
import { noToken, type Token, type TokenProvider } from '../../upstream/token-provider.ts';
import type { ApiKeys } from './callers.ts';

/** The sender of a request, with data and session. */
export interface Caller {
  readonly scope: Scope;
  readonly session: Session;
  /** The documents of this caller. By default the documents of all callers apply. */
  readonly documents?: PersistedDocuments | undefined;
  /** The authenticated caller's key for all limits. `undefined` for other callers. */
  readonly key: ScopeKey | undefined;
  /** Why a session was refused. Only operators read it. */
  readonly refusedFor?: string | undefined;
  /**
   * Returns whether the caller's credentials are still valid. Absent if only the end of the session
   * matters.
   */
  readonly isCurrent?: ((viewer: Viewer | undefined) => boolean) | undefined;
  /** The session's key in `EndedSessions`. `undefined` without sessions. */
  readonly sessionKey?: ScopeKey | undefined;
  /**
   * Clears the cookie of an ended session. Call it after the operation and before the response is
   * sent.
   */
  readonly clearRefusedCookie?: (() => void) | undefined;
  /**
   * Keeps the caller's data in memory while a stream is open. Resolves to whether the session is
   * still valid.
   */
  readonly touch?: (() => Promise<boolean>) | undefined;
  /** Returns the same caller with a key once the platform has accepted the token. */
  readonly accepted?: (() => Caller | undefined) | undefined;
}

/** The permissions of callers, and their own documents. */
export interface CallerPermissions extends Permissions {
  /** They replace the documents of all callers. */
  readonly documents?: PersistedDocuments | undefined;
}

/**
 * Returns a caller's permissions. Callers with equal permissions get the same object.
 *
 * @throws {RequestError} 403 for a caller without permissions.
 */
type FindPermissions = (viewer: Viewer) => CallerPermissions;

/**
 * The permissions of callers with `IDENTITY=service`. Until `usePermissions` is called, every caller may
 * do everything.
 */
export class Authorization {
  #findPermissions: FindPermissions | undefined;
  #endListener: ((permissions: Permissions) => void) | undefined;

  /** Sets the function that finds permissions, from the next request on. */
  usePermissions(findPermissions: FindPermissions): void {
    this.#findPermissions = findPermissions;
  }

  /**
   * Returns the caller's permissions. `undefined` if every caller may do everything.
   *
   * @throws {RequestError} 403 for a caller without permissions.
   */
  permissionsOf(viewer: Viewer): CallerPermissions | undefined {
    return this.#findPermissions?.(viewer);
  }

  /**
   * Sets the listener for permissions that are no longer in use. It drops the data that was read
   * with them.
   */
  onEnd(listener: (permissions: Permissions) => void): void {
    this.#endListener = listener;
  }

  /** Notifies the listener that these permissions are no longer in use. */
  end(permissions: Permissions): void {
    this.#endListener?.(permissions);
  }
}

/**
 * Authenticates a request by its headers.
 *
 * @throws {RequestError} for a request that is refused.
 */
export type Authenticate = (
  request: FastifyRequest,
  reply: FastifyReply,
) => Caller | Promise<Caller>;

/** A mode of `IDENTITY`: how callers are authenticated, and which credentials the platform gets. */
export interface Identity {
  readonly authenticate: Authenticate;
  /**
   * Resolves if the gateway's own credentials return a token, or if callers send their own.
   *
   * @throws {UpstreamError} if there is no token.
   */
  checkToken(): Promise<void>;
}

/** The dependencies of the identity modes. */
export interface IdentityOptions {
  readonly settings: Settings;
  readonly callers: CallerConfig;
  /** Set with `CALLER_AUTH=key`. */
  readonly apiKeys: ApiKeys | undefined;
  readonly authorization: Authorization;
  readonly sessionKeys: EncryptionKeys | undefined;
  readonly upstream: UpstreamFactory;
  /** The platform for the gateway's own credentials. `IDENTITY=service` needs it. */
  readonly service: Service | undefined;
  /** Signs a user in at the platform. */
  readonly signIn: (login: Login) => Promise<Token>;
  readonly store: CacheStore;
  readonly changes: IdempotencyStore;
  readonly endedSessions: EndedSessions;
  readonly log: Log;
  readonly observers: Pick<Observers, 'callerRefused'>;
  /** Registers a function that runs when the gateway closes. */
  readonly defer: (stop: () => void) => void;
}

/** Returns the session of a caller who cannot sign in at this gateway. */
export function noSignIn(viewer: Viewer | undefined): Session {
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

/**
 * The highest number of callers' scopes in memory, and the time without requests after which a
 * scope is removed.
 */
const MAX_SCOPES = 10_000;
const SCOPE_IDLE_MS = 15 * 60_000;

/** Creates the scopes of callers with their own tokens at the platform. */
export function openScopes({ settings, upstream, store, changes, observers }: IdentityOptions) {
  const openScope = (caller: ScopeKey, tokens: TokenProvider, owner = caller) =>
    createScope({
      caller: settings.IDENTITY,
      upstream: upstream.forCaller(tokens, caller),
      store,
      idempotency: changes.forCaller(owner),
    });
  return {
    scopes: createScopes({ max: MAX_SCOPES, idleMs: SCOPE_IDLE_MS }),
    openScope,
    /** The scope without a token. The platform refuses its calls. */
    anonymous: openScope(scopeKey('anonymous'), noToken),
    /** Call this when the platform refuses a token. */
    onRefused: () => observers.callerRefused('platform'),
  };
}
