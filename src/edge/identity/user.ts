import { randomUUID } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { LRUCache } from 'lru-cache';
import { type Scope, type ScopeKey, type Scopes, scopeKey } from '../../cache/scope.ts';
import type { Login, Session, SignedIn } from '../../graphql/session.ts';
import { InputError, UpstreamError } from '../../upstream/errors.ts';
import type { Token } from '../../upstream/token-source.ts';
import { RequestError } from '../request-error.ts';
import type { Identify, Identity } from './identify.ts';
import { readSessionCookie, setSessionCookie, takeBackSessionCookie } from './session-cookie.ts';
import type { SessionContent, SessionSeal } from './session-seal.ts';

interface UserOptions {
  readonly seal: SessionSeal;
  readonly scopes: Scopes;
  /** Asks the platform for a token with a user's own credentials. */
  readonly signIn: (login: Login) => Promise<Token>;
  /** Makes the scope of a session. */
  readonly openScope: (session: OpenedSession) => Scope;
  /** Sees nothing. */
  readonly nobody: Scope;
  /** How long a session lasts where the platform does not say when its token ends, in milliseconds. */
  readonly maxSessionMs: number;
  /** The clock, in epoch milliseconds. */
  readonly now?: () => number;
}

/** A session whose scope is to be made. */
export interface OpenedSession {
  /** By which the platform let them in. */
  readonly userName: string;
  readonly token: Token;
}

/** `IDENTITY=user`: callers sign in with their own credentials at the platform, and come back with a sealed session. */
export function identifyUsers(options: UserOptions): Identify {
  const { seal, scopes, openScope, nobody, now = Date.now } = options;
  // Sessions that were ended before their time, until that time. Replicas do not share them.
  const ended = new LRUCache<ScopeKey, true>({ max: MAX_ENDED });

  const find = async (sealed: string, exchange: Exchange): Promise<Identity> => {
    const content = await seal.open(sealed);
    const key = content && scopeKey('user', content.name, content.authorization);
    if (content === undefined || key === undefined || ended.has(sessionKey(content))) return nobodyIn(exchange);
    const session: Session = {
      viewer: toViewer(content),
      signIn: signInOnce(options, exchange),
      async signOut() {
        ended.set(sessionKey(content), true, { ttl: Math.max(1, content.untilMs - now()) });
        scopes.delete(key);
        takeBackSessionCookie(exchange.reply);
      },
    };
    const opened = { userName: content.name, token: toToken(content) };
    return { session, scope: scopes.get(key, () => openScope(opened)) };
  };

  const nobodyIn = (exchange: Exchange): Identity => ({
    scope: nobody,
    session: {
      viewer: undefined,
      signIn: signInOnce(options, exchange),
      signOut: async () => takeBackSessionCookie(exchange.reply),
    },
  });

  return async (request, reply) => {
    const bearer = /^Bearer (\S+)$/i.exec(request.headers.authorization ?? '')?.[1];
    const cookie = readSessionCookie(request);
    checkCsrfHeader(request, bearer === undefined && cookie !== undefined);
    const sealed = bearer ?? cookie;
    return sealed === undefined ? nobodyIn({ request, reply }) : find(sealed, { request, reply });
  };
}

/** A platform may give the same token to who signs in again; what was signed out of stays ended, and that does not. */
const sessionKey = ({ id, name, authorization }: SessionContent): ScopeKey =>
  scopeKey('session', id, name, authorization);

/** How many ended sessions are remembered; the one that ended first is forgotten first. */
const MAX_ENDED = 100_000;

interface Exchange {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

/** A request has one session to give, and is no way to try many passwords at a time. */
function signInOnce(options: UserOptions, exchange: Exchange): Session['signIn'] {
  let isTried = false;
  return async (login) => {
    if (isTried) throw new InputError('Sign in once in a request.');
    isTried = true;
    return signIn(login, options, exchange);
  };
}

async function signIn(login: Login, options: UserOptions, { request, reply }: Exchange): Promise<SignedIn> {
  const { seal, scopes, maxSessionMs, now = Date.now } = options;
  if (login.username === '' || login.username.includes(':')) throw new InputError('This cannot be a user name.');
  const token = await options.signIn(login).catch(asRefused);
  const sinceMs = now();
  const untilMs = token.statedExpiryMs ?? sinceMs + maxSessionMs;
  const content = { id: randomUUID(), name: login.username, authorization: token.authorization, sinceMs, untilMs };
  const sealed = await seal.close(content);
  // The platform may give the token that it refused a moment ago, which is good from now on.
  scopes.delete(scopeKey('user', content.name, content.authorization));
  setSessionCookie(reply, sealed, untilMs - sinceMs);
  // A page's scripts have no use for what its cookie says, and what they cannot see nobody can make them tell.
  const isBrowser = request.headers['sec-fetch-site'] !== undefined;
  return { viewer: toViewer(content), sessionToken: isBrowser ? undefined : sealed, expiresAt: new Date(untilMs) };
}

const toViewer = ({ name, sinceMs, untilMs }: SessionContent) => ({
  name,
  since: new Date(sinceMs),
  until: new Date(untilMs),
});

const toToken = ({ authorization, untilMs }: SessionContent): Token => ({ authorization, expiresAtMs: untilMs });

// Refused are the caller's credentials here, not the gateway's.
function asRefused(error: unknown): never {
  if (error instanceof UpstreamError && error.failure === 'unauthenticated') {
    throw new UpstreamError('signed-out', { operation: error.operation, status: error.status, cause: error });
  }
  throw error;
}

/** Cookies come along by themselves, so a request that carries one shows that a script of ours made it. */
function checkCsrfHeader({ method, headers }: FastifyRequest, isByCookie: boolean): void {
  if (method === 'GET' || !isByCookie || headers['x-csrf'] !== undefined) return;
  throw new RequestError(403, 'A request with the session cookie must send the header "x-csrf: 1".');
}
