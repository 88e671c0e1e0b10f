import { execFileSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');

/** The part of esbuild that is used. It is among the packages of the playground. */
interface Esbuild {
  build(options: object): Promise<{ readonly outputFiles: readonly { contents: Uint8Array }[] }>;
}

/** Bundles a module of the checkout for browsers, minified. */
export async function bundle(module: string, options: object = {}): Promise<Uint8Array> {
  execFileSync(process.execPath, [join(ROOT, 'tools/install.mjs'), 'playground']);
  const esbuild: Esbuild = createRequire(join(ROOT, 'playground/package.json'))('esbuild');
  const { outputFiles } = await esbuild.build({
    entryPoints: [join(ROOT, module)],
    bundle: true,
    minify: true,
    format: 'esm',
    write: false,
    ...options,
  });
  const [file = { contents: new Uint8Array() }] = outputFiles;
  return file.contents;
}
