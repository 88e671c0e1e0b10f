import { execFile } from 'node:child_process';
import { cpSync, globSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { inject } from 'vitest';

import { PACKAGES } from '../support/application.ts';

/**
 * Copies the client of the pages (`write-page.ts`) for a gateway at this address. Returns a function
 * that loads one of its modules.
 */
export function openPage(url: string) {
  const copy = mkdtempSync(join(inject('page'), 'copy-'));
  cpSync(join(inject('page'), 'src'), join(copy, 'src'), { recursive: true });
  for (const name of globSync('src/*.ts', { cwd: copy })) {
    const path = join(copy, name);
    writeFileSync(path, readFileSync(path, 'utf8').replaceAll('http://127.0.0.1:4000', url));
  }
  // biome-ignore lint/suspicious/noExplicitAny: the compiler of the page checks these exports.
  return (file: string): Promise<any> => import(join(copy, file));
}

/** Runs GraphQL Code Generator in a folder. */
export const generate = (folder: string, config = 'codegen.ts'): Promise<void> =>
  run(
    folder,
    process.execPath,
    join(PACKAGES, '@graphql-codegen/cli/esm/bin.js'),
    '--config',
    config,
  );

/** Runs Relay's compiler in a folder, by its `relay.config.json`. */
export const compileRelay = (folder: string): Promise<void> =>
  run(folder, process.execPath, join(PACKAGES, 'relay-compiler/cli.js'), 'relay.config.json');

/**
 * Runs a program in a folder.
 *
 * @throws {Error} with its output if it fails.
 */
export async function run(cwd: string, program: string, ...args: readonly string[]): Promise<void> {
  try {
    await promisify(execFile)(program, args, { cwd });
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
    throw new Error(`${program} ${args.join(' ')}\n${stdout}${stderr}`, { cause: error });
  }
}
