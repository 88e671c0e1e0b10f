import { hash, randomBytes, randomUUID, timingSafeEqual } from 'node:crypto';

import { badRequest, unauthorized } from '../http/errors.ts';
import {
  type OperationRequest,
  type Operations,
  type Platform,
  readObject,
} from '../http/operation.ts';
import type { User } from '../model.ts';

/**
 * The interface names no values, so these are the sandbox's. With both, the Basic credentials are
 * the user's.
 */
const GRANT_TYPES = ['client_credentials', 'password'];

/** Returns the operation that issues tokens, in the variant of the request. */
export function tokenOperations(
  { definitions: { users }, now }: Platform,
  tokens: Tokens,
  lifetimeMs: number,
) {
  const verify = (username: unknown, password: unknown): User | undefined => {
    if (typeof username !== 'string' || typeof password !== 'string') return undefined;
    const user = users.get(username);
    return user && isEqual(user.password, password) ? user : undefined;
  };

  const identifyA = (request: OperationRequest): User => {
    const { username, password } = readObject(request);
    const user = verify(username, password);
    if (user === undefined)
      throw unauthorized('INVALID_CREDENTIALS', 'The credentials are invalid.');
    return user;
  };

  const identifyB = ({ headers, text }: OperationRequest): User => {
    const grantType = new URLSearchParams(text).get('grant_type');
    const user = verify(...parseBasic(headers.authorization));
    if (user === undefined) throw badRequest('INVALID_CREDENTIALS', 'The credentials are invalid.');
    if (grantType !== null && GRANT_TYPES.includes(grantType)) return user;
    throw badRequest(
      'INVALID_GRANT_TYPE',
      `The form field grant_type must be one of ${GRANT_TYPES.join(', ')}.`,
    );
  };

  return {
    getToken: {
      method: 'POST',
      // The interface defines two paths for this operation. Source: rule 5 below its table of
      // operations.
      url: ['/v1.0/token', '/oauth'],
      identify: (request) => (variantOf(request) === 'A' ? identifyA(request) : identifyB(request)),
      run(call) {
        const { username, tokenLifetimeSeconds = Number.POSITIVE_INFINITY } = call.user;
        const variant = variantOf(call);
        const livesMs = Math.min(lifetimeMs, tokenLifetimeSeconds * 1000);
        const token = tokens.issue({ username, variant, expiresAtMs: now() + livesMs });
        if (variant === 'A') {
          const headers = { authorization: token, 'set-cookie': sessionCookie() };
          return { status: 201, headers };
        }
        const expiresIn = Math.floor(livesMs / 1000);
        const body = { access_token: token, token_type: 'Bearer', expires_in: expiresIn };
        return { status: 200, body: () => body, headers: { 'cache-control': 'no-store' } };
      },
    },
  } satisfies Operations;
}

function variantOf({ headers }: OperationRequest): Variant {
  const isForm =
    headers['content-type']?.toLowerCase().startsWith('application/x-www-form-urlencoded') ?? false;
  return isForm || /^Basic\b/i.test(headers.authorization ?? '') ? 'B' : 'A';
}

function parseBasic(
  authorization = '',
): readonly [username: string | undefined, password: string | undefined] {
  const encoded = /^Basic +(\S+)$/i.exec(authorization)?.[1] ?? '';
  const [, username, password] =
    /^([^:]*):(.*)$/s.exec(Buffer.from(encoded, 'base64').toString()) ?? [];
  return [username, password];
}

/** Compares hashes, since a comparison in constant time needs equal lengths. */
const isEqual = (a: string, b: string) =>
  timingSafeEqual(hash('sha256', a, 'buffer'), hash('sha256', b, 'buffer'));

/** The interface lists the header without a value, and no operation reads it. */
const sessionCookie = () => `sandbox-session=${randomUUID()}; Path=/; HttpOnly; SameSite=Strict`;

/** The interface's two authorization variants. */
export type Variant = 'A' | 'B';

interface TokenRecord {
  readonly username: string;
  readonly variant: Variant;
  readonly expiresAtMs: number;
}

export interface Tokens {
  /** Issues an opaque token. Only its hash is stored. */
  issue(record: TokenRecord): string;
  /**
   * Returns the record of a token, even if it is expired, or `undefined` if it was never issued.
   */
  find(token: string): TokenRecord | undefined;
}

/** An expired token is reported as expired for this long, then as invalid. */
const RETENTION_MS = 24 * 60 * 60 * 1000;

export function createTokens({ database, now }: Platform): Tokens {
  const insert = database.prepare(
    'INSERT INTO token (hash, username, variant, expires_at_ms) VALUES (?, ?, ?, ?)',
  );
  const deleteOld = database.prepare('DELETE FROM token WHERE expires_at_ms < ?');
  const select = database.prepare(
    'SELECT username, variant, expires_at_ms FROM token WHERE hash = ?',
  );

  return {
    issue({ username, variant, expiresAtMs }) {
      const token = randomBytes(32).toString('base64url');
      deleteOld.run(now() - RETENTION_MS);
      insert.run(hash('sha256', token), username, variant, expiresAtMs);
      return token;
    },
    find(token) {
      const row = select.get(hash('sha256', token));
      if (row === undefined) return undefined;
      return {
        username: String(row['username']),
        variant: row['variant'] === 'A' ? 'A' : 'B',
        expiresAtMs: Number(row['expires_at_ms']),
      };
    },
  };
}
