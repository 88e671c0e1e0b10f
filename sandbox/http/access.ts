import type { FormAction, User } from '../model.ts';
import type { Tokens, Variant } from '../resources/tokens.ts';
import { ApiError, forbidden, unauthorized } from './errors.ts';

export type Access = ReturnType<typeof createAccess>;

interface AccessOptions {
  readonly users: ReadonlyMap<string, User>;
  readonly tokens: Tokens;
  /** Per minute and user; 0 is no limit. */
  readonly requestLimit: number;
  readonly now: () => number;
}

/** Authentication and the request limit. Source: the interface's "Authentication" and "Limits". */
export function createAccess({ users, tokens, requestLimit, now }: AccessOptions) {
  const countRequest = createRequestLimit(now);

  return {
    /** The user of an `Authorization` header. @throws {ApiError} 401. */
    authenticate(authorization: string | undefined): User {
      if (authorization === undefined || authorization === '') {
        throw unauthorized('TOKEN_MISSING', 'This operation needs an authorization token.');
      }
      const bearer = /^Bearer +(\S+)$/i.exec(authorization)?.[1];
      const variant: Variant = bearer === undefined ? 'A' : 'B';
      const record = tokens.find(bearer ?? authorization);
      const user = record && users.get(record.username);
      // A token is valid in the form in which it was issued, and in no other.
      if (record === undefined || user === undefined || record.variant !== variant) {
        throw unauthorized('TOKEN_INVALID', 'The authorization token is invalid.');
      }
      if (now() < record.expiresAtMs) return user;
      throw unauthorized('TOKEN_EXPIRED', 'The session or token has expired.');
    },

    /** Counts a user's request, getToken included. @throws {ApiError} 403 when it exceeds the limit, or the user is locked. */
    admit({ username, locked, requestLimit: own }: User): void {
      if (locked) throw forbidden('USER_LOCKED', `The user "${username}" is locked.`);
      const waitMs = countRequest(username, own === undefined ? requestLimit : Math.min(own, requestLimit || own));
      if (waitMs === 0) return;
      // The interface leaves open whether it says how long: HTTP's own header does.
      const headers = { 'retry-after': String(Math.ceil(waitMs / 1_000)) };
      throw new ApiError(403, 'REQUEST_LIMIT_EXCEEDED', 'The API request limit has been exceeded.', headers);
    },
  };
}

const WINDOW_MS = 60_000;

/**
 * A minute starts with a user's first request after the last minute ended. Counts are kept in this process.
 *
 * @returns a function that counts a request, and gives how long it has to wait, in milliseconds: 0 within the limit.
 */
function createRequestLimit(now: () => number): (username: string, limit: number) => number {
  const windows = new Map<string, { readonly endsAtMs: number; count: number }>();

  return (username, limit) => {
    if (limit === 0) return 0;
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

/** Whether a user may do `action`; an id's own entry takes precedence over `*`. */
export function isAllowed<K extends Kind>(user: User, kind: K, { id, action }: { id: string; action: Action<K> }) {
  const grants: Readonly<Record<string, readonly string[]>> = user.permissions[kind];
  const actions = Object.hasOwn(grants, id) ? grants[id] : grants['*'];
  return actions?.includes(action) ?? false;
}

/** The methods of a form that a user may use; `methods` has the action that each needs. */
export const allowedMethods = (user: User, id: string, methods: Readonly<Record<string, FormAction>>) =>
  Object.keys(methods).filter((method) => isAllowed(user, 'forms', { id, action: methods[method] as FormAction }));

/** @throws {ApiError} 403 when a user may not do `action`. */
export function requirePermission<K extends Kind>(user: User, kind: K, needed: { id: string; action: Action<K> }) {
  if (isAllowed(user, kind, needed)) return;
  const what = `to ${needed.action} "${needed.id}" (${kind})`;
  throw forbidden('PERMISSION_DENIED', `The user "${user.username}" has no permission ${what}.`);
}
