import type { User } from '../model.ts';
import { forbidden } from './api-error.ts';

type Kind = keyof User['permissions'];
type Action<K extends Kind> = User['permissions'][K][string][number];

/** Whether a user may do `action`; an id's own entry goes before `*`. */
export function isAllowed<K extends Kind>(user: User, kind: K, { id, action }: { id: string; action: Action<K> }) {
  const grants: Readonly<Record<string, readonly string[]>> = user.permissions[kind];
  const actions = Object.hasOwn(grants, id) ? grants[id] : grants['*'];
  return actions?.includes(action) ?? false;
}

/** @throws {ApiError} 403 when a user may not do `action`. */
export function requirePermission<K extends Kind>(user: User, kind: K, wanted: { id: string; action: Action<K> }) {
  if (isAllowed(user, kind, wanted)) return;
  const what = `to ${wanted.action} "${wanted.id}" (${kind})`;
  throw forbidden('PERMISSION_DENIED', `The user "${user.username}" has no permission ${what}.`);
}
