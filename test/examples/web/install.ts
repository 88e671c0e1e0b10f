import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

/** Installs the example's packages by their own lockfile before its tests, unless they are there. */
export function setup(): void {
  execFileSync(process.execPath, [join(import.meta.dirname, '../../../tools/install.mjs'), 'examples/web'], {
    stdio: 'inherit',
  });
}
