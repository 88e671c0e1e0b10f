import type { Rule } from './rules.ts';

type Plant = readonly [file: string, source: string];

/** Faults, one plant each, that the rule must catch. */
export const FORBIDDEN: Readonly<Record<Rule, readonly Plant[]>> = {
  'every file stands on a floor or in the sandbox': [
    ['cache/a.ts', ''],
    ['extra.ts', ''],
  ],
  'imports point down, and only the wiring opens the sandbox': [
    ['loaders/a.ts', "import { b } from '../graph/b.ts';"],
    ['store/a.ts', "import type { B } from '../loaders/b.ts';"],
    ['upstream/a.ts', "import {\n  b,\n  c,\n} from '../store/b.ts';"],
    ['upstream/reading/a.ts', "export { b } from '../../store/b.ts';"],
    ['graph/a.ts', "export * from '../edge/b.ts';"],
    ['telemetry/a.ts', "const b = () => import('../upstream/b.ts');"],
    ['telemetry/a.ts', "type B = import('../upstream/b.ts').B;"],
    ['edge/a.ts', "import '../main.ts';"],
    ['edge/a.ts', "import { b } from '../wiring/b.ts';"],
    ['wiring/a.ts', "import { b } from '../commands/b.ts';"],
    ['edge/a.ts', "import { b } from '../sandbox/b.ts';"],
    ['sandbox/a.ts', "import type { Json } from '../upstream/json.ts';"],
    ['sandbox/a.ts', "import type { Settings } from '../settings/index.ts';"],
    ['edge/a.ts', "import { readSettings } from '../settings/index.ts';"],
    ['edge/a.ts', "import { type Settings } from '../settings/index.ts';"],
    ['settings/index.ts', "import { b } from '../store/b.ts';"],
    ['graph/a.ts', "import { b } from '../../playground/b.ts';"],
  ],
  'a package is imported by its owner alone': [
    ['graph/a.ts', "import { request } from 'undici';"],
    ['graph/a.ts', "import type { Pool } from 'undici';"],
    ['loaders/a.ts', "import { unwrapResolverError } from '@apollo/server/errors';"],
    ['graph/a.ts', "import helmet from '@fastify/helmet';"],
    ['edge/a.ts', "import { GraphQLError } from 'graphql';"],
    ['edge/a.ts', "const sqlite = () => import('node:sqlite');"],
  ],
  'only packages that production installs are imported, by name': [
    ['graph/a.ts', "import { it } from 'vitest';"],
    ['graph/a.ts', "import type { A } from 'lodash';"],
    ['graph/a.ts', 'const load = (name: string) => import(name);'],
  ],
  'no file needs itself by way of others': [['graph/a.ts', "import { a } from './a.ts';"]],
  'no state and no effect lives at the top level of a module': [
    ['graph/a.ts', 'let count = 0;'],
    ['graph/a.ts', 'export let count = 0;'],
    ['graph/a.ts', 'var count = 0;'],
    ['graph/a.ts', 'const cache = new Map<string, string>();'],
    ['graph/a.ts', 'const seen = new WeakMap();'],
    ['graph/a.ts', 'export const forms = new DataLoader(async () => []);'],
    ['graph/a.ts', 'const list: string[] = [];'],
    ['graph/a.ts', 'const table = {} as Record<string, string>;'],
    ['graph/a.ts', 'const table = Object.create(null);'],
    ['graph/a.ts', 'const log = pino();'],
    ['graph/a.ts', 'const store = await createStore({ bytes: 1 });'],
    ['graph/a.ts', 'const next = (() => { let n = 0; return () => n++; })();'],
    ['graph/a.ts', 'const names = new Set(["a"]); export const add = (name: string) => names.add(name);'],
    ['graph/a.ts', 'const counts = { a: 0 }; export function count() { counts.a++; }'],
    ['graph/a.ts', 'const cache = { a: {} }; export const put = (b: string) => { cache.a[b] = 1; };'],
    ['graph/a.ts', 'const options = { a: 0 }; export const set = (b: object) => Object.assign(options, b);'],
    ['graph/a.ts', 'class Store { static entries = [1]; }'],
    ['graph/a.ts', 'setInterval(() => {}, 1_000);'],
    ['graph/a.ts', 'if (true) { }'],
  ],
  'processes alone read the environment': [
    ['graph/a.ts', 'export const port = () => process.env["PORT"];'],
    ['wiring/a.ts', 'export const port = () => process["env"].PORT;'],
    ['graph/a.ts', 'export const port = () => globalThis.process.env.PORT;'],
    ['graph/a.ts', 'export function port() { const { env } = process; return env; }'],
    ['sandbox/a.ts', "import { env } from 'node:process';"],
  ],
  'no file asks by fetch': [['graph/a.ts', 'export const ask = (url: string) => fetch(url);']],
  'no file is longer than 150 lines': [['graph/a.ts', `${'\n'.repeat(150)}type A = 1;`]],
  'no folder or file has a name that says nothing': [
    ['graph/utils/a.ts', ''],
    ['graph/helpers.ts', ''],
  ],
};

/** Sound code that none of the rules may complain about. */
export const ALLOWED: readonly Plant[] = [
  [
    'main.ts',
    "import { startSandbox } from './sandbox/server.ts';\nconst port = process.env['PORT'];\nawait run(port);",
  ],
  ['wiring/a.ts', "import { Pool } from 'undici';\nimport { createApp } from '../edge/app.ts';"],
  [
    'wiring/a.ts',
    "import { openSandbox } from '../sandbox/index.ts';\nimport { SETTINGS } from '../settings/index.ts';",
  ],
  ['commands/a.ts', "import { b } from '../wiring/b.ts';"],
  ['settings/index.ts', "import { readDialect } from '../upstream/dialect.ts';\nimport { z } from 'zod';"],
  ['telemetry/a.ts', "import type { Settings } from '../settings/index.ts';"],
  ['graph/a.ts', "import type { QueryResolvers } from '../__generated__/resolvers.ts';"],
  ['__generated__/resolvers.ts', `import type { A } from '../graph/context.ts';\n${'\n'.repeat(200)}type B = A;`],
  ['sandbox/a.ts', "import { DatabaseSync } from 'node:sqlite';\nimport { b } from './b.ts';"],
  [
    'graph/a.ts',
    "const names: ReadonlySet<string> = new Set(['a', 'b']);\nexport const has = (name: string) => names.has(name);",
  ],
  ['sandbox/a.ts', 'const COLUMNS = new Map(NAMES.map((name) => [name, 1]));'],
  ['sandbox/a.ts', 'export function count(process: Process) { const { steps } = process; return steps.length; }'],
  ['graph/a.ts', 'export const load = (fetch: () => string) => fetch();'],
  [
    'graph/a.ts',
    'const NONE: readonly string[] = [];\nconst NO_ONE = [] as const;\nconst NOTHING: Readonly<Record<string, 1>> = {};',
  ],
  ['graph/a.ts', 'const ANSWERS = { a: [1, 2] } as const satisfies Record<string, unknown>;\nconst WORD = /^[a-z]+$/;'],
  [
    'graph/a.ts',
    'const list = [1, 2];\nexport function sum() { const list: number[] = []; list.push(1); return list; }',
  ],
  ['graph/a.ts', "// import { b } from '../edge/b.ts';\nconst text = 'import { b } from \"../edge/b.ts\";';"],
  ['upstream/a.ts', 'export function createX() { let n = 0; const held = new Map(); return () => held.set(n++, n); }'],
  ['upstream/errors.ts', "export class A extends Error { override readonly name = 'A'; }"],
];
