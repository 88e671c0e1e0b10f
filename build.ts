import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

/**
 * `npm run build [-- FOLDER]`: writes to `dist/`, or to the folder, everything that the package and the image hold besides
 * their npm packages. Its layout is the checkout's, in JavaScript: Node does not strip types below `node_modules`.
 */
const ROOT = import.meta.dirname;
/** What the running gateway reads besides its code. */
const DATA = ['schema', 'sandbox/definitions', 'playground/dist'];

const [folder = 'dist'] = process.argv.slice(2);
const target = resolve(folder);

if (!existsSync(join(ROOT, 'playground/dist/index.html'))) {
  throw new Error('The playground is not built: run "npm run prepare" first.');
}
rmSync(target, { recursive: true, force: true });
compile();
for (const path of DATA) cpSync(join(ROOT, path), join(target, path), { recursive: true });
writeManifest();

function compile(): void {
  const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
  const project = join(ROOT, 'tsconfig.build.json');
  execFileSync(process.execPath, [tsc, '-p', project, '--outDir', target], { stdio: ['ignore', 'inherit', 'inherit'] });
  rmSync(join(target, 'caseway.d.mts'));
  chmodSync(join(target, 'caseway.mjs'), 0o755);
}

/** What `--version` prints, and that the files are ES modules. */
function writeManifest(): void {
  const { name, version, license, type } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  const manifest = { name, version, private: true, license, type };
  writeFileSync(join(target, 'package.json'), `${JSON.stringify(manifest, undefined, 2)}\n`);
}
