import type { Leak } from './leak.ts';

const FOREIGN = /is shown what/;

/** Callers share what is known of the platform, or what it was known since. */
export const KNOWLEDGE_LEAKS = {
  'what one caller was told is known by its address': {
    mode: 'forward',
    edits: [
      { file: 'store/memory.ts', find: '      const places = new Map<K, Place<K>>();\n', replace: '' },
      {
        file: 'store/memory.ts',
        find: 'export function createMemory<',
        replace: 'const places = new Map();\nexport function createMemory<',
      },
    ],
    shows: FOREIGN,
  },
  'a 304 is answered with the copy of whoever was shown it first': {
    edits: [
      {
        file: 'store/finder.ts',
        find: 'export function createFinder(',
        replace: 'const copies = new Map<string, Entry>();\nexport function createFinder(',
      },
      {
        file: 'store/finder.ts',
        find: '{ signal, held });',
        replace: '{ signal, held: copies.get(wanted.key) });',
      },
      {
        file: 'store/finder.ts',
        find: 'knowledge.learn(wanted, entry);',
        replace: 'copies.set(wanted.key, entry);\n      knowledge.learn(wanted, entry);',
      },
    ],
    shows: FOREIGN,
  },
  'what is held is asked about since another caller’s date': {
    mode: 'forward',
    edits: [
      {
        file: 'store/finder.ts',
        find: 'export function createFinder(',
        replace: 'const dates = new Map<string, string | undefined>();\nexport function createFinder(',
      },
      {
        file: 'store/finder.ts',
        find: '{ signal, held });',
        replace: `{
        signal,
        held: dates.has(wanted.key) ? { content: { record: () => undefined }, bytes: 1, version: '', ...held, validator: dates.get(wanted.key) } : held,
      });`,
      },
      {
        file: 'store/finder.ts',
        find: 'knowledge.learn(wanted, entry);',
        replace: 'dates.set(wanted.key, entry.validator);\n      knowledge.learn(wanted, entry);',
      },
    ],
    shows: /expected/,
  },
  'definitions are shared although nobody said so': {
    edits: [
      {
        file: 'store/depot.ts',
        find: 'isSharingDefinitions ? memory.shelf() : undefined',
        replace: 'memory.shelf()',
      },
    ],
    shows: FOREIGN,
  },
} as const satisfies Readonly<Record<string, Leak>>;
