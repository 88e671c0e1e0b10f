import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

/**
 * Installs the clients by their own lockfile before their tests, unless they are there, and the web
 * client, which has React's renderer.
 */
export function setup(): void {
  execFileSync(
    process.execPath,
    [join(import.meta.dirname, '../../tools/install.mjs'), 'test/clients', 'examples/web'],
    {
      stdio: 'inherit',
    },
  );
}
