import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';

import { PACKAGES } from '../../support/application.ts';
import { CLIENT, loadVite } from './vite.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The folder of the built client. */
    readonly client: string;
  }
}

/** The installed package, instead of the sources that the example's own configuration names. */
const PACKAGE = [
  { find: /^caseway\/client$/, replacement: join(PACKAGES, 'caseway/client/index.js') },
  {
    find: /^caseway\/client\/([\w-]+)$/,
    replacement: join(PACKAGES, 'caseway/client/adapters/$1.js'),
  },
];

/** Builds the client with the package once for all of its tests. */
export async function setup({ provide }: TestProject) {
  const outDir = mkdtempSync(join(tmpdir(), 'example-web-'));
  const { build } = await loadVite();
  await build({
    root: CLIENT,
    resolve: { alias: PACKAGE },
    build: { outDir, emptyOutDir: true },
    logLevel: 'error',
  });
  provide('client', outDir);
  return () => rmSync(outDir, { recursive: true });
}
