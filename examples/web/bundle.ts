import { readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { build } from 'esbuild';

/** The page's files, by their paths. */
export type Bundle = ReadonlyMap<string, BundledFile>;

interface BundledFile {
  readonly type: string;
  readonly content: Uint8Array;
}

/** Bundles the page: its document, one script and one sheet of styles. */
export async function bundle(): Promise<Bundle> {
  const { outputFiles } = await build({
    absWorkingDir: import.meta.dirname,
    entryPoints: ['src/main.tsx'],
    outdir: 'app',
    bundle: true,
    minify: true,
    write: false,
    format: 'esm',
    target: 'es2022',
    jsx: 'automatic',
    define: { 'process.env.NODE_ENV': '"production"' },
    logLevel: 'warning',
  });
  const document = await readFile(join(import.meta.dirname, 'index.html'));
  const files = new Map<string, BundledFile>([['/', { type: 'text/html', content: document }]]);
  for (const { path, contents: content } of outputFiles) {
    const ending = extname(path);
    files.set(`/app/main${ending}`, { type: ending === '.js' ? 'text/javascript' : 'text/css', content });
  }
  return files;
}
