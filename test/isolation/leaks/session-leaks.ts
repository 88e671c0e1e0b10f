import type { Leak } from './leak.ts';

/** Sessions and tokens that are somebody else's, or nobody's any more. */
export const SESSION_LEAKS = {
  'tokens are kept by the first letter of the user’s name': {
    edits: [
      {
        file: 'wiring/identity.ts',
        find: 'function wireUsers(',
        replace: 'const kept = new Map<string, Promise<Token>>();\nfunction wireUsers(',
      },
      {
        file: 'wiring/identity.ts',
        find: 'signIn: (login) => door.variant(toCredentials(settings, dialect, login)).issue(),',
        replace: `signIn: (login) => {
      const letter = login.username.slice(0, 1);
      const token = kept.get(letter) ?? door.variant(toCredentials(settings, dialect, login)).issue();
      kept.set(letter, token);
      token.catch(() => kept.delete(letter));
      return token;
    },`,
      },
    ],
    shows: /is shown what|a guess let somebody in/,
  },
  'changes are remembered by the first letter of the user’s name': {
    edits: [
      {
        file: 'wiring/identity.ts',
        find: "repeatsOf(scopeKey('user', userName))",
        replace: "repeatsOf(scopeKey('user', userName.slice(0, 1)))",
      },
    ],
    shows: /is shown what/,
  },
  'a session’s end is not looked at': {
    edits: [
      { file: 'edge/identity/session-seal.ts', find: 'if (Number(untilMs) <= now()) return undefined;', replace: '' },
      { file: 'edge/identity/session-seal.ts', find: 'new Date(now())', replace: 'new Date(0)' },
    ],
    shows: /goes on after its end/,
  },
  'signing out ends nothing': {
    edits: [{ file: 'edge/identity/user.ts', find: ' || ended.has(sessionKey(content))', replace: '' }],
    shows: /expected UNAUTHENTICATED/,
  },
  'signing out ends the sessions of others': {
    edits: [
      { file: 'edge/identity/user.ts', find: 'LRUCache<ScopeKey, true>', replace: 'LRUCache<string, true>' },
      {
        file: 'edge/identity/user.ts',
        find: 'ended.has(sessionKey(content))',
        replace: 'ended.has(content.name.slice(0, 1))',
      },
      {
        file: 'edge/identity/user.ts',
        find: 'ended.set(sessionKey(content),',
        replace: 'ended.set(content.name.slice(0, 1),',
      },
    ],
    shows: /expected/,
  },
  'the cookie is believed before the session token': {
    edits: [
      {
        file: 'edge/identity/user.ts',
        find: 'const sealed = bearer ?? cookie;',
        replace: 'const sealed = cookie ?? bearer;',
      },
    ],
    shows: /is shown what|expected/,
  },
  'the first caller’s token is passed on for everybody': {
    mode: 'forward',
    variant: 'A',
    edits: [
      { file: 'edge/identity/forward.ts', find: "scopeKey('forward', authorization)", replace: "scopeKey('forward')" },
    ],
    shows: /is shown what/,
  },
} as const satisfies Readonly<Record<string, Leak>>;
