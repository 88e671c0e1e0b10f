import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

/**
 * `npm run build [-- FOLDER]`: writes to `dist/`, or to the folder, everything that the package and the image hold besides
 * their npm packages. Its layout is the checkout's, in JavaScript: Node does not strip types below `node_modules`. The
 * playground is taken as `npm ci` has built it, and built where it is missing.
 */
const ROOT = import.meta.dirname;
/** What the running gateway reads besides its code. */
const DATA = ['schema', 'sandbox/definitions', 'playground/dist'];

const [folder = 'dist'] = process.argv.slice(2);
const target = resolve(folder);

if (!existsSync(join(ROOT, 'playground/dist/index.html'))) run('playground/build.mjs');
rmSync(target, { recursive: true, force: true });
compile();
for (const path of DATA) cpSync(join(ROOT, path), join(target, path), { recursive: true });
writeManifest();

function compile(): void {
  run('node_modules/typescript/bin/tsc', '-p', join(ROOT, 'tsconfig.build.json'), '--outDir', target);
  rmSync(join(target, 'caseway.d.mts'));
  chmodSync(join(target, 'caseway.mjs'), 0o755);
}

function run(script: string, ...args: readonly string[]): void {
  execFileSync(process.execPath, [join(ROOT, script), ...args], { stdio: 'inherit' });
}

/** What `--version` prints, and that the files are ES modules. */
function writeManifest(): void {
  const { name, version, license, type } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  const manifest = { name, version, private: true, license, type };
  writeFileSync(join(target, 'package.json'), `${JSON.stringify(manifest, undefined, 2)}\n`);
}
