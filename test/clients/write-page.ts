import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';

import { PACKAGES } from '../support/application.ts';
import { compileRelay, generate, run } from './page.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The folder of the client that docs/clients.md and the pages beside it describe. */
    readonly page: string;
  }
}

const ROOT = join(import.meta.dirname, '../..');
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
    customConditions: [],
  },
  include: ['src', '*.codegen.ts'],
};

/** Writes the files of the pages, runs their commands, and generates documents by their files. */
export async function setup({ provide }: TestProject) {
  const folder = mkdtempSync(join(tmpdir(), 'caseway-page-'));
  mkdirSync(join(folder, 'src/__generated__'), { recursive: true });
  symlinkSync(PACKAGES, join(folder, 'node_modules'));
  const write = (name: string, text: string) => writeFileSync(join(folder, name), text);
  write('package.json', '{ "type": "module" }');
  write('tsconfig.json', JSON.stringify(TYPESCRIPT));
  for (const [, name = '', text = ''] of PAGES.matchAll(/^```\w+ (\S+\.\w+)\n(.*?)^```$/gms))
    write(name, text);

  // The commands that write a file, without programs of a registry.
  for (const command of PAGES.match(/^npm run [^&\n]* > [^&\n]*$/gm) ?? [])
    await run(ROOT, 'sh', '-c', command.replace('> ', `> ${folder}/`));
  await run(folder, process.execPath, 'minify.mjs');
  await generate(folder);
  await generate(folder, 'trusted.codegen.ts');
  await compileRelay(folder);
  provide('page', folder);
  return () => rmSync(folder, { recursive: true });
}
