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
} satisfies Readonly<Record<string, Leak>>;
