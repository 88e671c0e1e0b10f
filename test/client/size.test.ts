import { createRequire } from 'node:module';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');

/** The part of esbuild that is used. It is among the packages of the playground. */
interface Esbuild {
  build(options: object): Promise<{ readonly outputFiles: readonly { contents: Uint8Array }[] }>;
}

it.each([
  ['index', 6_000],
  ['adapters/apollo', 3_000],
  ['adapters/urql', 3_000],
  ['adapters/relay', 3_000],
])('client/%s.ts has at most %i bytes', async (module, bytes) => {
  const esbuild: Esbuild = createRequire(join(ROOT, 'playground/package.json'))('esbuild');

  const { outputFiles } = await esbuild.build({
    entryPoints: [join(ROOT, `client/${module}.ts`)],
    bundle: true,
    minify: true,
    format: 'esm',
    packages: 'external',
    write: false,
  });
  const [bundle = { contents: new Uint8Array() }] = outputFiles;

  expect(bundle.contents.length).toBeGreaterThan(1_000);
  expect(gzipSync(bundle.contents).length).toBeLessThanOrEqual(bytes);
});
