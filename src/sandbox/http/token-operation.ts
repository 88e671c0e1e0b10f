import { hash, randomUUID, timingSafeEqual } from 'node:crypto';

import type { User } from '../model.ts';
import type { Tokens, Variant } from '../storage/tokens.ts';
import { badRequest, unauthorized } from './api-error.ts';
import { readObject } from './body.ts';
import type { Answer, Incoming } from './operation.ts';

/** `getToken`, in the variant that the request itself shows. */
export interface TokenOperation {
  /** Who asks, by the credentials. @throws {ApiError} 401 in variant A and 400 in variant B when they are wrong. */
  identify(incoming: Incoming): User;
  /** Gives that user a token. */
  answer(incoming: Incoming, user: User): Answer;
}

interface TokenOptions {
  readonly users: ReadonlyMap<string, User>;
  readonly tokens: Tokens;
  readonly lifetimeMs: number;
  readonly now: () => number;
}

/** The interface names no values, so these are ours. With both of them, the Basic pair is the user. */
const GRANT_TYPES = ['client_credentials', 'password'];

export function createTokenOperation({ users, tokens, lifetimeMs, now }: TokenOptions): TokenOperation {
  const verify = (username: unknown, password: unknown): User | undefined => {
    const user = typeof username === 'string' ? users.get(username) : undefined;
    return user !== undefined && typeof password === 'string' && isSame(user.password, password) ? user : undefined;
  };

  const identifyA = ({ text }: Incoming): User => {
    const { username, password } = readObject(text);
    const user = verify(username, password);
    if (user === undefined) throw unauthorized('INVALID_CREDENTIALS', 'The credentials are invalid.');
    return user;
  };

  const identifyB = ({ headers, text }: Incoming): User => {
    const grantType = new URLSearchParams(text).get('grant_type');
    const user = verify(...readBasic(headers.authorization));
    if (user === undefined) throw badRequest('INVALID_CREDENTIALS', 'The credentials are invalid.');
    if (grantType !== null && GRANT_TYPES.includes(grantType)) return user;
    throw badRequest('INVALID_GRANT_TYPE', `The form field grant_type must be one of ${GRANT_TYPES.join(', ')}.`);
  };

  return {
    identify: (incoming) => (variantOf(incoming) === 'A' ? identifyA(incoming) : identifyB(incoming)),

    answer(incoming, { username, tokenLifetimeSeconds = Number.POSITIVE_INFINITY }) {
      const variant = variantOf(incoming);
      const livesMs = Math.min(lifetimeMs, tokenLifetimeSeconds * 1000);
      const token = tokens.issue({ username, variant, expiresAtMs: now() + livesMs });
      if (variant === 'A') return { status: 201, headers: { authorization: token, 'set-cookie': sessionCookie() } };
      const body = { access_token: token, token_type: 'Bearer', expires_in: Math.floor(livesMs / 1000) };
      return { status: 200, body: () => body, headers: { 'cache-control': 'no-store' } };
    },
  };
}

function variantOf({ headers }: Incoming): Variant {
  const isForm = headers['content-type']?.toLowerCase().startsWith('application/x-www-form-urlencoded') ?? false;
  return isForm || /^Basic\b/i.test(headers.authorization ?? '') ? 'B' : 'A';
}

function readBasic(authorization = ''): readonly [username: string | undefined, password: string | undefined] {
  const encoded = /^Basic +(\S+)$/i.exec(authorization)?.[1] ?? '';
  const [, username, password] = /^([^:]*):(.*)$/s.exec(Buffer.from(encoded, 'base64').toString()) ?? [];
  return [username, password];
}

/** Hashed first: equal lengths are what a comparison in constant time needs. */
const isSame = (a: string, b: string) => timingSafeEqual(hash('sha256', a, 'buffer'), hash('sha256', b, 'buffer'));

/** The interface lists the header, but says nothing of its value; no operation reads it. */
const sessionCookie = () => `sandbox-session=${randomUUID()}; Path=/; HttpOnly; SameSite=Strict`;
