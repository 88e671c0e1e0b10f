/**
 * Installs the packages of folders that have a `package.json` of their own, by their lockfiles, where they are not installed yet:
 * `node tools/install.mjs FOLDER…`, each from the repository's root. So `npm ci` brings only what running and `npm test` need.
 */
import { spawnSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..');

for (const folder of process.argv.slice(2)) install(folder);

function install(folder) {
  const cwd = join(ROOT, folder);
  // npm writes the second file last, so that an install that broke off is made again.
  const installedAtMs = timeOf(join(cwd, 'node_modules/.package-lock.json'));
  if (installedAtMs !== undefined && installedAtMs >= timeOf(join(cwd, 'package-lock.json'))) return;
  process.stdout.write(`Installing the packages of ${folder}/ …\n`);
  const { status } = spawnSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd, stdio: 'inherit' });
  if (status === 0) return;
  process.stderr.write(`The packages of ${folder}/ could not be installed: see above.\n`);
  process.exit(1);
}

/** When a file was written, in epoch milliseconds; `undefined` where there is none. */
function timeOf(file) {
  return statSync(file, { throwIfNoEntry: false })?.mtimeMs;
}
