import type { Leak } from './leak.ts';

/** What replicas share is mixed up between callers. */
export const REPLICA_LEAKS = {
  'what replicas share is kept for everybody': {
    isShared: true,
    edits: [
      {
        file: 'store/replicas/entries.ts',
        find: "seal.blind('entry', owner, key)",
        replace: "seal.blind('entry', key)",
      },
    ],
    shows: /is shown what/,
  },
  'what one caller was told is told to all replicas as everybody’s': {
    isShared: true,
    edits: [
      {
        file: 'store/knowledge.ts',
        find: "(shelfOf(wanted) === own ? scopeKey : 'everybody')",
        replace: "'everybody'",
      },
    ],
    shows: /is shown what/,
  },
  'a name in what replicas share is cut to six bits': {
    mode: 'forward',
    isShared: true,
    edits: [
      {
        file: 'store/replicas/entries.ts',
        find: "seal.blind('entry', owner, key)[0]",
        replace: "seal.blind('entry', owner, key)[0].slice(0, 1)",
      },
    ],
    shows: /is shown/,
  },
} as const satisfies Readonly<Record<string, Leak>>;
