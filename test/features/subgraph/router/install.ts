import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../../../..');

/** Installs the router by its own lockfile before its tests, unless it is there. */
export function setup(): void {
  execFileSync(
    process.execPath,
    [join(ROOT, 'tools/install.mjs'), 'test/features/subgraph/router'],
    {
      stdio: 'inherit',
    },
  );
}
