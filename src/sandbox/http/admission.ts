import type { User } from '../model.ts';
import type { Tokens, Variant } from '../storage/tokens.ts';
import { forbidden, unauthorized } from './api-error.ts';
import { createRequestLimit } from './request-limit.ts';

/** Who may come in. Source: the interface's "Authentication" and "Limits". */
export interface Admission {
  /** The user of an `Authorization` header. @throws {ApiError} 401. */
  authenticate(authorization: string | undefined): User;
  /** Counts a request of a known user, for getToken too. @throws {ApiError} 403 when it is one too many, or the user is locked. */
  admit(user: User): void;
}

interface AdmissionOptions {
  readonly users: ReadonlyMap<string, User>;
  readonly tokens: Tokens;
  /** Per minute and user; 0 is no limit. */
  readonly requestLimit: number;
  readonly now: () => number;
}

export function createAdmission({ users, tokens, requestLimit, now }: AdmissionOptions): Admission {
  const isWithinLimit = createRequestLimit(now);

  return {
    authenticate(authorization) {
      if (authorization === undefined || authorization === '') {
        throw unauthorized('TOKEN_MISSING', 'This operation needs an authorization token.');
      }
      const { token, variant } = readToken(authorization);
      const record = tokens.find(token);
      const user = record && users.get(record.username);
      // A token is taken in the form in which it was given out, and in no other.
      if (record === undefined || user === undefined || record.variant !== variant) {
        throw unauthorized('TOKEN_INVALID', 'The authorization token is invalid.');
      }
      if (now() >= record.expiresAtMs) {
        throw unauthorized('TOKEN_EXPIRED', 'The session or token has expired.');
      }
      return user;
    },

    admit({ username, locked, requestLimit: own }) {
      if (locked) throw forbidden('USER_LOCKED', `The user "${username}" is locked.`);
      if (isWithinLimit(username, own === undefined ? requestLimit : Math.min(own, requestLimit || own))) return;
      throw forbidden('REQUEST_LIMIT_EXCEEDED', 'The API request limit has been exceeded.');
    },
  };
}

function readToken(authorization: string): { readonly token: string; readonly variant: Variant } {
  const bearer = /^Bearer +(\S+)$/i.exec(authorization)?.[1];
  return bearer === undefined ? { token: authorization, variant: 'A' } : { token: bearer, variant: 'B' };
}
