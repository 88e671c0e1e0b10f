import type { Leak } from './leak.ts';

const FOREIGN = /is shown what/;

/** Callers share what is remembered or on its way. */
export const STORE_LEAKS = {
  'loaders remember for everybody': {
    edits: [
      {
        file: 'loaders/loader.ts',
        find: 'export function createLoader<',
        replace: 'const everybodys = new Map();\nexport function createLoader<',
      },
      {
        file: 'loaders/loader.ts',
        find: 'const known = new Map<string, () => MaybeLater<V>>();',
        replace: 'const known = everybodys;',
      },
    ],
    shows: FOREIGN,
  },
  'reads in flight are joined across callers': {
    mode: 'forward',
    variant: 'A',
    edits: [
      {
        file: 'store/coalescer.ts',
        find: 'export function createCoalescer(journal: Journal): Coalescer {\n  const flights = new Map<ResourceKey, Flight>();',
        replace:
          'const flights = new Map<ResourceKey, Flight>();\nexport function createCoalescer(journal: Journal): Coalescer {',
      },
    ],
    shows: FOREIGN,
  },
  'a form that one may not see is remembered for everybody': {
    mode: 'forward',
    edits: [
      {
        file: 'store/coalescer.ts',
        find: 'export function createCoalescer(journal: Journal): Coalescer {',
        replace:
          'const refused = new Map<string, unknown>();\nexport function createCoalescer(journal: Journal): Coalescer {',
      },
      {
        file: 'store/coalescer.ts',
        find: 'return (await unlessEnded(flight.answer, operation, signal)) as T;',
        replace: `flight.answer.catch((error) => error.failure === 'forbidden' && refused.set(JSON.parse(key)[1], error));
        if (refused.has(JSON.parse(key)[1])) throw refused.get(JSON.parse(key)[1]);
        return (await unlessEnded(flight.answer, operation, signal)) as T;`,
      },
    ],
    shows: /expected/,
  },
  'a resource’s key is its parts, joined': {
    edits: [
      {
        file: 'store/resource.ts',
        find: 'JSON.stringify([operation, ...args])',
        replace: "[operation, ...args.map((arg) => (typeof arg === 'string' ? arg : JSON.stringify(arg)))].join('')",
      },
    ],
    shows: /and asked for|expected/,
  },
  'an instance’s key is its two ids, joined': {
    edits: [
      {
        file: 'loaders/index.ts',
        find: 'JSON.stringify([formId, instanceId])',
        replace: 'formId + instanceId',
      },
    ],
    shows: /expected/,
  },
  'changes are remembered for everybody': {
    edits: [
      {
        file: 'store/repeats.ts',
        find: 'const remembered = new Map<string, Remembered>();',
        replace: '',
      },
      {
        file: 'store/repeats.ts',
        find: 'export function createRepeats(',
        replace: 'const remembered = new Map<string, Remembered>();\nexport function createRepeats(',
      },
    ],
    shows: FOREIGN,
  },
  'a scope’s key is its parts, joined': {
    variant: 'A',
    edits: [{ file: 'store/scopes.ts', find: '.length}:`).update(bytes)', replace: '.toString()}`)' }],
    shows: FOREIGN,
  },
  'a scope’s key is cut to eight bits': {
    mode: 'forward',
    edits: [{ file: 'store/scopes.ts', find: "hash.digest('base64url')", replace: "hash.digest('hex').slice(0, 2)" }],
    shows: FOREIGN,
  },
  'a scope’s key leaves the caller out': {
    edits: [
      {
        file: 'edge/identity/user.ts',
        find: "scopeKey('user', content.name, content.authorization)",
        replace: "scopeKey('user')",
      },
    ],
    shows: FOREIGN,
  },
} as const satisfies Readonly<Record<string, Leak>>;
