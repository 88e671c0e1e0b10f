import { hash, randomUUID, timingSafeEqual } from 'node:crypto';

import type { User } from '../model.ts';
import type { Tokens, Variant } from '../storage/tokens.ts';
import { badRequest, unauthorized } from './errors.ts';
import { type Operation, type OperationRequest, readObject } from './operation.ts';

interface TokenOptions {
  readonly users: ReadonlyMap<string, User>;
  readonly tokens: Tokens;
  readonly lifetimeMs: number;
  readonly now: () => number;
}

/** The interface names no values, so these are ours. With either, the Basic credentials are the user's. */
const GRANT_TYPES = ['client_credentials', 'password'];

/** `getToken` at both of its paths, in the variant that the request uses. */
export function tokenOperations({ users, tokens, lifetimeMs, now }: TokenOptions): readonly Operation[] {
  const verify = (username: unknown, password: unknown): User | undefined => {
    const user = typeof username === 'string' ? users.get(username) : undefined;
    return user !== undefined && typeof password === 'string' && isEqual(user.password, password) ? user : undefined;
  };

  const identifyA = (request: OperationRequest): User => {
    const { username, password } = readObject(request);
    const user = verify(username, password);
    if (user === undefined) throw unauthorized('INVALID_CREDENTIALS', 'The credentials are invalid.');
    return user;
  };

  const identifyB = ({ headers, text }: OperationRequest): User => {
    const grantType = new URLSearchParams(text).get('grant_type');
    const user = verify(...parseBasic(headers.authorization));
    if (user === undefined) throw badRequest('INVALID_CREDENTIALS', 'The credentials are invalid.');
    if (grantType !== null && GRANT_TYPES.includes(grantType)) return user;
    throw badRequest('INVALID_GRANT_TYPE', `The form field grant_type must be one of ${GRANT_TYPES.join(', ')}.`);
  };

  // The interface states two paths for this operation. Source: rule 5 below its table of operations.
  return ['/v1.0/token', '/oauth'].map((url) => ({
    name: 'getToken',
    method: 'POST',
    url,
    identify: (request) => (variantOf(request) === 'A' ? identifyA(request) : identifyB(request)),
    run(call) {
      const { username, tokenLifetimeSeconds = Number.POSITIVE_INFINITY } = call.user;
      const variant = variantOf(call);
      const livesMs = Math.min(lifetimeMs, tokenLifetimeSeconds * 1000);
      const token = tokens.issue({ username, variant, expiresAtMs: now() + livesMs });
      if (variant === 'A') return { status: 201, headers: { authorization: token, 'set-cookie': sessionCookie() } };
      const body = { access_token: token, token_type: 'Bearer', expires_in: Math.floor(livesMs / 1000) };
      return { status: 200, body: () => body, headers: { 'cache-control': 'no-store' } };
    },
  }));
}

function variantOf({ headers }: OperationRequest): Variant {
  const isForm = headers['content-type']?.toLowerCase().startsWith('application/x-www-form-urlencoded') ?? false;
  return isForm || /^Basic\b/i.test(headers.authorization ?? '') ? 'B' : 'A';
}

function parseBasic(authorization = ''): readonly [username: string | undefined, password: string | undefined] {
  const encoded = /^Basic +(\S+)$/i.exec(authorization)?.[1] ?? '';
  const [, username, password] = /^([^:]*):(.*)$/s.exec(Buffer.from(encoded, 'base64').toString()) ?? [];
  return [username, password];
}

/** Hashed first, since a constant-time comparison needs equal lengths. */
const isEqual = (a: string, b: string) => timingSafeEqual(hash('sha256', a, 'buffer'), hash('sha256', b, 'buffer'));

/** The interface lists the header, but says nothing of its value; no operation reads it. */
const sessionCookie = () => `sandbox-session=${randomUUID()}; Path=/; HttpOnly; SameSite=Strict`;
