import type { z } from 'zod';
import type { User, usersSchema } from '../model.ts';
import type { Located } from './read-kind.ts';
import { duplicates } from './unique.ts';

type Users = z.infer<typeof usersSchema>;

/** What permissions may name. */
interface Known {
  readonly forms: ReadonlyMap<string, unknown>;
  readonly processes: ReadonlyMap<string, unknown>;
  readonly rules: ReadonlyMap<string, unknown>;
  readonly problems: string[];
}

/** The users by name; a permission for something that is not defined adds to `problems`. */
export function checkUsers(files: readonly Located<Users>[], known: Known): ReadonlyMap<string, User> {
  const { problems } = known;
  const users = files.flatMap(({ value, at }) =>
    value.users.map((user, index) => ({ user, at: (path: readonly PropertyKey[]) => at(['users', index, ...path]) })),
  );
  if (users.length === 0) problems.push('users.yaml: no user is defined, so nobody could get a token');
  problems.push(
    ...duplicates(
      'user',
      users.map(({ user, at }) => ({ id: user.username, at: at(['username']) })),
    ),
  );

  for (const { user, at } of users) {
    for (const kind of ['forms', 'processes', 'rules'] as const) {
      const unknown = Object.keys(user.permissions[kind]).filter((id) => id !== '*' && !known[kind].has(id));
      problems.push(...unknown.map((id) => `${at(['permissions', kind, id])}: "${id}" is not defined under ${kind}`));
    }
  }
  return new Map(users.map(({ user }) => [user.username, user]));
}
