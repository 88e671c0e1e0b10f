/**
 * Installs the packages of folders with their own `package.json`, unless they are installed
 * already: `node tools/install.mjs FOLDER…`, each relative to the repository's root. So `npm ci`
 * installs only the packages of the gateway and of `npm test`.
 */
import { spawnSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..');

for (const folder of process.argv.slice(2)) install(folder);

function install(folder) {
  const cwd = join(ROOT, folder);
  // npm writes this file last, so an interrupted install is repeated.
  const installedAtMs = timeOf(join(cwd, 'node_modules/.package-lock.json'));
  if (installedAtMs !== undefined && installedAtMs >= timeOf(join(cwd, 'package-lock.json')))
    return;
  process.stdout.write(`Installing the packages of ${folder}/ …\n`);
  const args = ['ci', '--ignore-scripts', '--no-audit', '--no-fund'];
  const { status } = spawnSync('npm', args, { cwd, stdio: 'inherit' });
  if (status === 0) return;
  process.stderr.write(`npm could not install the packages of ${folder}/. See its output above.\n`);
  process.exit(1);
}

/** Returns when a file was written, in epoch milliseconds, or `undefined` if it does not exist. */
function timeOf(file) {
  return statSync(file, { throwIfNoEntry: false })?.mtimeMs;
}
