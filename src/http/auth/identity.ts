import type { FastifyReply, FastifyRequest } from 'fastify';
import type { EndedSessions } from '../../cache/ended-sessions.ts';
import type { IdempotencyStore } from '../../cache/idempotency.ts';
import { createScope, createScopes, type Rights, type Scope } from '../../cache/scope.ts';
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
import { noToken, type Token, type TokenSource } from '../../upstream/token-source.ts';
import type { ApiKeys } from './callers.ts';

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

/** Returns a caller's rights: one object for all callers with equal rights. @throws {RequestError} 403 for a caller without any. */
type FindRights = (viewer: Viewer) => CallerRights;

/** What callers may do with `IDENTITY=service`. Every caller may do everything until rights are set. */
export class Authorization {
  #findRights: FindRights | undefined;
  #endListener: ((rights: Rights) => void) | undefined;

  /** Sets how rights are found, from the next request on. */
  useRights(findRights: FindRights): void {
    this.#findRights = findRights;
  }

  /** Returns the caller's rights; `undefined` if every caller may do everything. @throws {RequestError} 403 as `useRights` says. */
  rightsOf(viewer: Viewer): CallerRights | undefined {
    return this.#findRights?.(viewer);
  }

  /** Calls the listener with rights that no caller has any more, so that it drops what was read with them. */
  onEnd(listener: (rights: Rights) => void): void {
    this.#endListener = listener;
  }

  /** Tells the listener that no caller has these rights any more. */
  end(rights: Rights): void {
    this.#endListener?.(rights);
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

/** A way of knowing who calls, and with whose credentials the platform is called. */
export interface Identity {
  readonly authenticate: Authenticate;
  /** Resolves when the gateway's own credentials give a token, or at once where callers bring theirs. @throws {UpstreamError} */
  checkToken(): Promise<void>;
}

/** What the ways of knowing who calls are made of. */
export interface IdentityOptions {
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
  readonly changes: IdempotencyStore;
  readonly endedSessions: EndedSessions;
  readonly log: Log;
  readonly observers: Pick<Observers, 'callerRefused'>;
  /** Stops something with the gateway. */
  readonly defer: (stop: () => void) => void;
}

/** The session of a caller who does not sign in here. */
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
