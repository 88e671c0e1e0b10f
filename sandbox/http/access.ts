import type { FormAction, User } from '../model.ts';
import type { Tokens, Variant } from '../resources/tokens.ts';
import { ApiError, forbidden, unauthorized } from './errors.ts';

export interface Access {
  /**
   * Returns the user of an `Authorization` header.
   *
   * @throws {ApiError} 401 when the token is missing, invalid or expired.
   */
  authenticate(authorization: string | undefined): User;
  /**
   * Counts a user's request, getToken included.
   *
   * @throws {ApiError} 403 when the user is locked or over the limit.
   */
  admit(user: User): void;
}

interface AccessOptions {
  readonly users: ReadonlyMap<string, User>;
  readonly tokens: Tokens;
  /** Requests per minute and user. 0 means no limit. */
  readonly requestLimit: number;
  readonly now: () => number;
}

/**
 * Creates authentication and the request limit. Source: the interface's "Authentication" and
 * "Limits".
 */
export function createAccess({ users, tokens, requestLimit, now }: AccessOptions): Access {
  const countRequest = createRequestLimit(now);

  return {
    authenticate(authorization) {
      if (authorization === undefined || authorization === '') {
        throw unauthorized('TOKEN_MISSING', 'This operation needs an authorization token.');
      }
      const bearer = /^Bearer +(\S+)$/i.exec(authorization)?.[1];
      const variant: Variant = bearer === undefined ? 'A' : 'B';
      const record = tokens.find(bearer ?? authorization);
      const user = record && users.get(record.username);
      // A token is valid only in the variant in which it was issued.
      if (record === undefined || user === undefined || record.variant !== variant) {
        throw unauthorized('TOKEN_INVALID', 'The authorization token is invalid.');
      }
      if (now() < record.expiresAtMs) return user;
      throw unauthorized('TOKEN_EXPIRED', 'The session or token has expired.');
    },

    admit({ username, locked, requestLimit: limitOfUser }) {
      if (locked) throw forbidden('USER_LOCKED', `The user "${username}" is locked.`);
      const limits = [limitOfUser ?? 0, requestLimit].filter((limit) => limit > 0);
      const waitMs = limits.length === 0 ? 0 : countRequest(username, Math.min(...limits));
      if (waitMs === 0) return;
      // The interface does not define how a client learns the wait. `Retry-After` is HTTP's header
      // for it.
      const headers = { 'retry-after': String(Math.ceil(waitMs / 1_000)) };
      throw new ApiError(
        403,
        'REQUEST_LIMIT_EXCEEDED',
        'The API request limit has been exceeded.',
        headers,
      );
    },
  };
}

const WINDOW_MS = 60_000;

/**
 * Creates a counter of requests per user. A minute starts with the user's first request after the
 * last minute ended. The counts are kept in this process.
 *
 * @returns a function that counts a request and returns its wait in milliseconds, 0 within the
 * limit.
 */
function createRequestLimit(now: () => number): (username: string, limit: number) => number {
  const windows = new Map<string, { readonly endsAtMs: number; count: number }>();

  return (username, limit) => {
    let window = windows.get(username);
    if (window === undefined || now() >= window.endsAtMs) {
      window = { endsAtMs: now() + WINDOW_MS, count: 0 };
      windows.set(username, window);
    }
    window.count += 1;
    return window.count <= limit ? 0 : window.endsAtMs - now();
  };
}

type Kind = keyof User['permissions'];
type Action<K extends Kind> = User['permissions'][K][string][number];

/** Returns whether a user may do `action`. The entry of an id takes precedence over `*`. */
export function isAllowed<K extends Kind>(
  user: User,
  kind: K,
  { id, action }: { id: string; action: Action<K> },
) {
  const grants: Readonly<Record<string, readonly string[]>> = user.permissions[kind];
  const actions = Object.hasOwn(grants, id) ? grants[id] : grants['*'];
  return actions?.includes(action) ?? false;
}

/**
 * Returns the methods that a user may use on a form. `methods` maps each method to the action it
 * needs.
 */
export function allowedMethods(
  user: User,
  id: string,
  methods: Readonly<Record<string, FormAction>>,
) {
  const allowed = Object.entries(methods).filter(([, action]) =>
    isAllowed(user, 'forms', { id, action }),
  );
  return allowed.map(([method]) => method);
}

/**
 * Checks a permission.
 *
 * @throws {ApiError} 403 when the user may not do `action`.
 */
export function requirePermission<K extends Kind>(
  user: User,
  kind: K,
  needed: { id: string; action: Action<K> },
) {
  if (isAllowed(user, kind, needed)) return;
  const what = `to ${needed.action} "${needed.id}" (${kind})`;
  throw forbidden('PERMISSION_DENIED', `The user "${user.username}" has no permission ${what}.`);
}
