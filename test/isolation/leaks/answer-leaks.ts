import type { Leak } from './leak.ts';

const FOREIGN = /is shown what/;

/** The same question comes seldom three times in a sequence, so answers are kept from the first time on. */
const KEEP_AT_ONCE = { file: 'store/answers.ts', find: 'if (shelf?.get(key) === undefined)', replace: 'if (!shelf)' };

/** Whole answers reach others, or serve for longer than they are true. */
export const ANSWER_LEAKS = {
  'answers are kept for everybody who asks the same': {
    edits: [
      KEEP_AT_ONCE,
      {
        file: 'store/answers.ts',
        find: 'export function createAnswers(',
        replace:
          'let shelf: ReturnType<NonNullable<Depot["answers"]>["shelf"]> | undefined;\nexport function createAnswers(',
      },
      {
        file: 'store/answers.ts',
        find: 'const shelf = answers?.shelf();',
        replace: 'shelf ??= answers?.shelf();',
      },
      { file: 'store/answers.ts', find: 'await store.confirm(grounded.evidence, signal, meter)', replace: 'true' },
    ],
    shows: FOREIGN,
  },
  'equal queries of different callers share the answer that is being made': {
    mode: 'forward',
    edits: [
      { file: 'store/answers.ts', find: '  const underWay = new Map<string, Making>();\n', replace: '' },
      {
        file: 'store/answers.ts',
        find: 'export function createAnswers(',
        replace: 'const underWay = new Map<string, Making>();\nexport function createAnswers(',
      },
    ],
    shows: FOREIGN,
  },
  'an answer that says who asks is kept, and callers with one scope are told of each other': {
    edits: [
      { file: 'graph/session.ts', find: '    onLook();\n', replace: '' },
      {
        file: 'edge/identity/user.ts',
        find: "scopeKey('user', content.name, content.authorization)",
        replace: "scopeKey('user')",
      },
    ],
    shows: /expected/,
  },
  'a kept answer serves without a look at whether it is true': {
    edits: [
      KEEP_AT_ONCE,

      { file: 'store/answers.ts', find: 'await store.confirm(grounded.evidence, signal, meter)', replace: 'true' },
    ],
    shows: /expected/,
  },
} as const satisfies Readonly<Record<string, Leak>>;
