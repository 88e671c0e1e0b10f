import { createHash, randomBytes, randomUUID } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { EncryptJWT, errors, jwtDecrypt } from 'jose';
import type { Scope } from '../../cache/scope.ts';
import { type ScopeKey, scopeKey } from '../../cache/scope-key.ts';
import type { EncryptionKeys } from '../../config/config.ts';
import { InputError, UpstreamError } from '../../core/errors.ts';
import { steadyNow } from '../../core/request-state.ts';
import type { Login, SignedIn } from '../../graphql/context.ts';
import { createGivenToken, GIVEN_REFUSED_MS, type Token } from '../../upstream/token-provider.ts';
import { RequestError } from '../errors.ts';
import { readBearer, reasonOf } from './callers.ts';
import { type Caller, type Identity, type IdentityOptions, openScopes } from './identity.ts';
import { createSignInLimit } from './sign-in-limit.ts';

/** The lifetime of a session if the platform does not send the expiry of its token. */
const MAX_SESSION_MS = 8 * 60 * 60_000;

/**
 * Creates the identity for `IDENTITY=user`: callers sign in with their own credentials at the
 * platform, and send an encrypted session with later requests. If the platform refuses the token,
 * the session ends and its cookie is cleared. The refusal may be a mistake of the platform, so a
 * client that still has the session may use it again after two seconds.
 */
export function openUsers(options: IdentityOptions): Identity {
  const { endedSessions: ended } = options;
  const { scopes, openScope, anonymous, onRefused } = openScopes(options);
  const tokens = createSessionTokens(options.sessionKeys ?? [randomBytes(32)]);
  const limitSignIns = createSignInLimit();
  // A request may sign in only once, so that it cannot try many passwords.
  const tried = new WeakSet<FastifyRequest>();

  const signInAs = async (login: Login, reply: FastifyReply): Promise<SignedIn> => {
    if (tried.has(reply.request)) throw new InputError('Sign in only once per request.');
    tried.add(reply.request);
    const { username } = login;
    if (username === '' || username.includes(':'))
      throw new InputError('This is not a valid user name.');
    const token = await limitSignIns(username, reply.request.ip, () => options.signIn(login)).catch(
      asRefused,
    );
    const signedIn = await startSession(username, token, tokens, reply);
    // The platform may issue the token that it refused a moment ago. It is valid from now on.
    const key = scopeKey('user', username, token.authorization);
    if (ended.has(key)) await ended.end(key, 0);
    scopes.delete(key);
    return signedIn;
  };
  const anonymousIn = (reply: FastifyReply, refusedFor?: string): Caller => ({
    scope: anonymous,
    key: undefined,
    refusedFor,
    session: {
      viewer: undefined,
      signIn: (login) => signInAs(login, reply),
      async signOut() {
        reply.clearCookie(COOKIE, ATTRIBUTES);
      },
    },
  });

  // A scope outlives its first request. A closure created inside that request would keep the
  // request in memory.
  const openSessionScope = (key: ScopeKey, content: SessionContent): Scope => {
    const onTokenRefused = () => {
      onRefused();
      void ended.end(key, GIVEN_REFUSED_MS);
    };
    const tokenSource = createGivenToken(toToken(content), { onRefused: onTokenRefused });
    // Idempotency keys belong to the user, so a retry after a new sign-in has no second effect. The
    // exact name is used, because on some platforms other spellings are other users.
    return openScope(callerKeyOf(content.name), tokenSource, scopeKey('user', content.name));
  };

  const find = async (token: string, reply: FastifyReply): Promise<Caller> => {
    const content = await tokens.decrypt(token);
    if (typeof content === 'string') return anonymousIn(reply, content);
    // The platform refuses tokens. Several sessions may share one token.
    const scopeOf = scopeKey('user', content.name, content.authorization);
    const ownKey = sessionKey(content);
    const isEnded = async () => ended.has(scopeOf) || (await ended.find(ownKey));
    if (await isEnded()) {
      reply.clearCookie(COOKIE, ATTRIBUTES);
      return anonymousIn(reply, 'ended');
    }
    return {
      scope: scopes.get(scopeOf, () => openSessionScope(scopeOf, content)),
      key: callerKeyOf(content.name),
      sessionKey: ownKey,
      touch: async () => scopes.find(scopeOf) !== undefined && !(await isEnded()),
      session: {
        viewer: toViewer(content),
        signIn: (login) => signInAs(login, reply),
        async signOut() {
          await ended.end(ownKey, Math.max(1, content.untilMs - Date.now()));
          scopes.delete(scopeOf);
          reply.clearCookie(COOKIE, ATTRIBUTES);
        },
      },
      clearRefusedCookie() {
        if (ended.has(scopeOf) && !reply.hasHeader('set-cookie'))
          reply.clearCookie(COOKIE, ATTRIBUTES);
      },
    };
  };

  return {
    checkToken: async () => undefined,
    authenticate(request, reply) {
      const bearer = readBearer(request.headers);
      const cookie = request.cookies[COOKIE];
      checkCsrfHeader(request, bearer === undefined && cookie !== undefined);
      const token = bearer ?? cookie;
      return token === undefined ? anonymousIn(reply) : find(token, reply);
    },
  };
}

/**
 * Returns the caller's key for limits. Many platforms ignore the letter case of user names, so a
 * limit counts all spellings together.
 */
const callerKeyOf = (userName: string): ScopeKey => scopeKey('user', userName.toLowerCase());

/**
 * The platform may reissue the same token. Signing out ends one session, not later sessions with
 * that token.
 */
const sessionKey = ({ id, name, authorization }: SessionContent): ScopeKey =>
  scopeKey('session', id, name, authorization);

/**
 * Starts a session: as a cookie if it fits, and as a token for clients other than browsers.
 *
 * @throws {InputError} for a browser, if the cookie is too large.
 */
async function startSession(
  name: string,
  { authorization, statedExpiryMs }: Token,
  tokens: SessionTokens,
  reply: FastifyReply,
): Promise<SignedIn> {
  const sinceMs = Date.now();
  const lifetimeMs =
    statedExpiryMs === undefined ? MAX_SESSION_MS : Math.floor(statedExpiryMs - steadyNow());
  const untilMs = sinceMs + lifetimeMs;
  const content = { id: randomUUID(), name, authorization, sinceMs, untilMs };
  const sessionToken = await tokens.encrypt(content);
  // Browsers get no token, because scripts do not need it and must not be able to leak it.
  const isBrowser = reply.request.headers['sec-fetch-site'] !== undefined;
  const cookieBytes = COOKIE.length + sessionToken.length;
  const maxAge = Math.floor(lifetimeMs / 1_000);
  if (cookieBytes <= MAX_COOKIE_BYTES)
    reply.setCookie(COOKIE, sessionToken, { ...ATTRIBUTES, maxAge });
  else if (isBrowser) throw new InputError(cookieTooLarge(cookieBytes));
  const viewer = toViewer(content);
  return { viewer, sessionToken: isBrowser ? undefined : sessionToken, expiresAt: viewer.until };
}

const toViewer = ({ name, sinceMs, untilMs }: SessionContent) => ({
  name,
  since: new Date(sinceMs),
  until: new Date(untilMs),
});

const toToken = ({ authorization, untilMs }: SessionContent): Token => ({
  authorization,
  expiresAtMs: steadyNow() + untilMs - Date.now(),
});

// Here the caller's credentials were refused, not the gateway's.
function asRefused(error: unknown): never {
  if (error instanceof UpstreamError && error.failure === 'unauthenticated') {
    throw new UpstreamError('signed-out', {
      operation: error.operation,
      status: error.status,
      cause: error,
    });
  }
  throw error;
}

/**
 * The prefix binds the cookie to this host, to `/` and to a secure connection. Browsers accept
 * loopback as secure.
 */
const COOKIE = '__Host-caseway';
const ATTRIBUTES = { path: '/', httpOnly: true, secure: true, sameSite: 'strict' } as const;

/** Browsers silently drop a cookie whose name and value are longer. */
const MAX_COOKIE_BYTES = 4_096;

const cookieTooLarge = (bytes: number): string =>
  `The platform’s token is too long for a browser: the session’s cookie has ${bytes} bytes, and browsers keep ` +
  `${MAX_COOKIE_BYTES}. Have the platform issue shorter tokens, or sign in with a client that is no browser.`;

/**
 * Browsers add cookies automatically. So a request with the cookie must have a header that only
 * allowed scripts can add.
 *
 * @throws {RequestError} 403 without the header.
 */
function checkCsrfHeader({ method, headers }: FastifyRequest, isByCookie: boolean): void {
  if (method === 'GET' || !isByCookie || headers['x-csrf'] !== undefined) return;
  throw new RequestError(
    403,
    'A request with the session cookie must send the header "x-csrf: 1".',
  );
}

/** The content of a session. Only the gateway can read it. */
interface SessionContent {
  /** A unique id. A user may have several sessions with one token. */
  readonly id: string;
  readonly name: string;
  /** The platform's token, as a complete `Authorization` header. */
  readonly authorization: string;
  /** In epoch milliseconds, like `untilMs`. */
  readonly sinceMs: number;
  readonly untilMs: number;
}

/** Encrypts sessions. Callers keep them, and replicas share only the keys. */
interface SessionTokens {
  encrypt(session: SessionContent): Promise<string>;
  /**
   * Decrypts a session. Returns the reason as a word if it has expired or was not encrypted with
   * these keys.
   */
  decrypt(token: string): Promise<SessionContent | string>;
}

/** The claims of a session token that JWT does not define. */
interface SessionClaims {
  readonly authorization: string;
  readonly sinceMs: number;
  readonly untilMs: number;
}

const AUDIENCE = 'caseway-session';

/**
 * Creates the encryption of session tokens: JWE with a direct 256-bit key (A256GCM).
 *
 * @param keys the first one encrypts, all decrypt. Put a new key first, and remove the old one
 *   after its sessions have ended.
 */
function createSessionTokens(keys: EncryptionKeys): SessionTokens {
  const byId = new Map(keys.map((key) => [keyId(key), key]));
  const [newest] = keys;

  return {
    encrypt({ id, name, authorization, sinceMs, untilMs }) {
      return new EncryptJWT({ authorization, sinceMs, untilMs })
        .setProtectedHeader({ alg: 'dir', enc: 'A256GCM', kid: keyId(newest) })
        .setJti(id)
        .setSubject(name)
        .setAudience(AUDIENCE)
        .setExpirationTime(new Date(untilMs))
        .encrypt(newest);
    },
    async decrypt(token) {
      const algorithms = {
        keyManagementAlgorithms: ['dir'],
        contentEncryptionAlgorithms: ['A256GCM'],
      };
      try {
        const findKey = async ({ kid = '' }) =>
          byId.get(kid) ?? Promise.reject(new errors.JWKSNoMatchingKey());
        const options = { audience: AUDIENCE, ...algorithms };
        const { payload } = await jwtDecrypt<SessionClaims>(token, findKey, options);
        const { jti: id = '', sub: name = '', authorization, sinceMs, untilMs } = payload;
        if (untilMs <= Date.now()) return 'expired';
        return { id, name, authorization, sinceMs, untilMs };
      } catch (error) {
        return reasonOf(error);
      }
    },
  };
}

// Returns an id of a key that does not reveal the key.
const keyId = (key: Uint8Array): string =>
  createHash('sha256').update(key).digest('base64url').slice(0, 8);
