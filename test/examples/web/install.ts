import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';

import { CLIENT, loadVite } from './vite.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The folder of the built client. */
    readonly client: string;
  }
}

/**
 * Installs the example's packages by their own lockfile before its tests, unless they are there,
 * and builds the client for all of them.
 */
export async function setup({ provide }: TestProject) {
  execFileSync(
    process.execPath,
    [join(import.meta.dirname, '../../../tools/install.mjs'), 'examples/web'],
    {
      stdio: 'inherit',
    },
  );
  const outDir = mkdtempSync(join(tmpdir(), 'example-web-'));
  const { build } = await loadVite();
  await build({ root: CLIENT, build: { outDir, emptyOutDir: true }, logLevel: 'error' });
  provide('client', outDir);
  return () => rmSync(outDir, { recursive: true });
}
