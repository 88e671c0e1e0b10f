import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

/** Installs the clients by their own lockfile before their tests, unless they are there. */
export function setup(): void {
  execFileSync(
    process.execPath,
    [join(import.meta.dirname, '../../tools/install.mjs'), 'test/clients'],
    {
      stdio: 'inherit',
    },
  );
}
