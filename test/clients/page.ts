import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { startGateway, type TestGateway } from '../support/gateway.ts';

const ROOT = join(import.meta.dirname, '../..');
const PACKAGES = join(import.meta.dirname, 'node_modules');
const PAGE = readFileSync(join(ROOT, 'docs/clients.md'), 'utf8');

const TYPESCRIPT = {
  extends: join(ROOT, 'tsconfig.json'),
  compilerOptions: { lib: ['es2025', 'dom'], types: [], module: 'esnext', moduleResolution: 'bundler' },
  include: ['src'],
};

/** The client that docs/clients.md shows, in a folder of its own, and the gateway that it asks. */
export interface Page {
  readonly folder: string;
  readonly gateway: TestGateway;
  /** Loads a module of the client. */
  // biome-ignore lint/suspicious/noExplicitAny: the compiler of the page checks what its modules export.
  load(file: string): Promise<any>;
  close(): Promise<void>;
}

/** Writes the files of the page, runs its commands, and generates what its configurations say. */
export async function openPage(): Promise<Page> {
  const gateway = await startGateway({ TYPED_FORMS: '*' });
  const folder = mkdtempSync(join(tmpdir(), 'page-'));
  mkdirSync(join(folder, 'src/__generated__'), { recursive: true });
  symlinkSync(PACKAGES, join(folder, 'node_modules'));
  const write = (name: string, text: string) => writeFileSync(join(folder, name), text);
  write('package.json', '{ "type": "module" }');
  write('tsconfig.json', JSON.stringify(TYPESCRIPT));
  for (const [name, text] of filesOfPage()) write(name, text.replaceAll('http://127.0.0.1:4000', gateway.url));

  await Promise.all(commandsOfPage().map((command) => run('sh', ['-c', command.replace('> ', `> ${folder}/`)], ROOT)));
  await generate(folder);
  await run(process.execPath, [join(PACKAGES, 'relay-compiler/cli.js'), 'relay.config.json'], folder);
  return {
    folder,
    gateway,
    load: (file) => import(join(folder, file)),
    async close() {
      await gateway.close();
      rmSync(folder, { recursive: true });
    },
  };
}

/** Runs GraphQL Code Generator in a folder, by its `codegen.yml`. */
export const generate = (folder: string) =>
  run(process.execPath, [join(PACKAGES, '@graphql-codegen/cli/esm/bin.js'), '--config', 'codegen.yml'], folder);

/** Compiles a folder's modules; fails with the compiler's errors. */
export const compile = (folder: string) => run(join(ROOT, 'node_modules/.bin/tsc'), ['-p', folder], folder);

/** The blocks of the page that have a file's name. */
const filesOfPage = (): [name: string, text: string][] =>
  [...PAGE.matchAll(/^```\w+ (\S+\.\w+)\n(.*?)^```$/gms)].map(([, name = '', text = '']) => [name, text]);

/** The commands of the page that write a file. */
const commandsOfPage = (): string[] => PAGE.match(/^npm run .* > .*$/gm) ?? [];

async function run(file: string, args: readonly string[], cwd: string): Promise<void> {
  try {
    await promisify(execFile)(file, args, { cwd });
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
    throw new Error(`${file} ${args.join(' ')}\n${stdout}${stderr}`, { cause: error });
  }
}
