import { execFile } from 'node:child_process';
import {
  cpSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { startGateway, type TestGateway } from '../support/gateway.ts';

const ROOT = join(import.meta.dirname, '../..');
const PACKAGES = join(import.meta.dirname, 'node_modules');
const PAGES = ['docs/clients.md', 'docs/live.md', 'docs/persisted-documents.md']
  .map((file) => readFileSync(join(ROOT, file), 'utf8'))
  .join('\n');

const TYPESCRIPT = {
  extends: join(ROOT, 'tsconfig.json'),
  compilerOptions: {
    lib: ['es2025', 'dom'],
    types: [],
    jsx: 'react-jsx',
    module: 'esnext',
    moduleResolution: 'bundler',
    paths: pathsOfClient(),
  },
  include: ['src', '*.codegen.ts'],
};

/**
 * The client of docs/clients.md, docs/live.md and docs/persisted-documents.md in a folder, and its
 * gateway.
 */
export interface Page {
  readonly folder: string;
  readonly gateway: TestGateway;
  /** Loads a module of the client; one of its own for each address of the gateway. */
  // biome-ignore lint/suspicious/noExplicitAny: the compiler of the page checks what its modules export.
  load(file: string, url?: string): Promise<any>;
  close(): Promise<void>;
}

/**
 * Writes the files of the pages, runs their commands, and generates what its configurations say.
 */
export async function openPage(): Promise<Page> {
  const gateway = await startGateway({ TYPED_FORMS: '*', METRICS_PORT: '0' });
  const folder = mkdtempSync(join(tmpdir(), 'page-'));
  mkdirSync(join(folder, 'src/__generated__'), { recursive: true });
  linkPackages(join(folder, 'node_modules'));
  const write = (name: string, text: string) => writeFileSync(join(folder, name), text);
  write('package.json', '{ "type": "module" }');
  write('tsconfig.json', JSON.stringify(TYPESCRIPT));
  for (const [name, text] of filesOfPage())
    write(name, text.replaceAll('http://127.0.0.1:4000', gateway.url));

  await Promise.all(
    commandsOfPage().map((command) =>
      run('sh', ['-c', command.replace('> ', `> ${folder}/`)], ROOT),
    ),
  );
  await run(process.execPath, ['minify.mjs'], folder);
  await generate(folder);
  await generate(folder, 'trusted.codegen.ts');
  await compileRelay(folder);
  return {
    folder,
    gateway,
    load(file, url = gateway.url) {
      if (url === gateway.url) return import(join(folder, file));
      const copy = mkdtempSync(join(folder, 'other-'));
      cpSync(join(folder, 'src'), join(copy, 'src'), { recursive: true });
      for (const name of globSync('src/*.ts', { cwd: copy })) {
        const path = join(copy, name);
        writeFileSync(path, readFileSync(path, 'utf8').replaceAll(gateway.url, url));
      }
      return import(join(copy, file));
    },
    async close() {
      await gateway.close();
      rmSync(folder, { recursive: true });
    },
  };
}

/** Links the installed packages, and this checkout as the package `caseway`. */
function linkPackages(target: string): void {
  mkdirSync(join(target, 'caseway'), { recursive: true });
  for (const name of readdirSync(PACKAGES)) symlinkSync(join(PACKAGES, name), join(target, name));
  symlinkSync(join(ROOT, 'client'), join(target, 'caseway/client'));
  const { exports } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  const sources = Object.entries<{ readonly 'caseway-source'?: string }>(exports).map(
    ([path, { 'caseway-source': source }]) => [path, source],
  );
  const manifest = { name: 'caseway', type: 'module', exports: Object.fromEntries(sources) };
  writeFileSync(join(target, 'caseway/package.json'), JSON.stringify(manifest));
}

/** Runs GraphQL Code Generator in a folder. */
export const generate = (folder: string, config = 'codegen.ts') =>
  run(
    process.execPath,
    [join(PACKAGES, '@graphql-codegen/cli/esm/bin.js'), '--config', config],
    folder,
  );

/** Runs Relay's compiler in a folder, by its `relay.config.json`. */
export const compileRelay = (folder: string) =>
  run(process.execPath, [join(PACKAGES, 'relay-compiler/cli.js'), 'relay.config.json'], folder);

/** Compiles a folder's modules; fails with the compiler's errors. */
export const compile = (folder: string) =>
  run(join(ROOT, 'node_modules/.bin/tsc'), ['-p', folder], folder);

/** Maps the package to this checkout, and the packages of its adapters to those installed here. */
function pathsOfClient(): Record<string, readonly string[]> {
  const packages = ['@apollo/client', '@urql/core', 'relay-runtime', 'urql', 'wonka'];
  const installed = packages.flatMap((name) => [
    [name, [join(PACKAGES, name)]] as const,
    [`${name}/*`, [join(PACKAGES, name, '*')]] as const,
  ]);
  return {
    ...Object.fromEntries(installed),
    react: [join(PACKAGES, '@types/react')],
    'caseway/codegen': [join(ROOT, 'client/codegen.ts')],
    'caseway/client': [join(ROOT, 'client/index.ts')],
    'caseway/client/offline': [join(ROOT, 'client/offline/index.ts')],
    'caseway/client/*': [join(ROOT, 'client/adapters/*.ts')],
  };
}

/** The blocks of the pages that have a file's name. */
const filesOfPage = (): [name: string, text: string][] =>
  [...PAGES.matchAll(/^```\w+ (\S+\.\w+)\n(.*?)^```$/gms)].map(([, name = '', text = '']) => [
    name,
    text,
  ]);

/** The commands of the pages that write a file, and go on to no program of a registry. */
const commandsOfPage = (): string[] => PAGES.match(/^npm run [^&\n]* > [^&\n]*$/gm) ?? [];

async function run(file: string, args: readonly string[], cwd: string): Promise<void> {
  try {
    await promisify(execFile)(file, args, { cwd });
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
    throw new Error(`${file} ${args.join(' ')}\n${stdout}${stderr}`, { cause: error });
  }
}
