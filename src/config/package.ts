import { readFileSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import { dirname, extname, join } from 'node:path';

const MANIFEST = String(findPackageJSON(import.meta.url));

/**
 * The root folder of the checkout or the package. The built code is bundled, so relative paths
 * differ there.
 */
export const PACKAGE_ROOT = dirname(MANIFEST);

const readManifest = () => JSON.parse(readFileSync(MANIFEST, 'utf8'));

/** The gateway's version. */
export const packageVersion = (): string => String(readManifest().version);

/** Built code has no sources beside it. */
const CONDITION = extname(import.meta.filename) === '.ts' ? 'caseway-source' : 'default';

/**
 * Returns the file of a module such as `caseway/extension`. `undefined` if the package does not
 * export it.
 */
export function publicModule(specifier: string): string | undefined {
  if (!specifier.startsWith('caseway/')) return undefined;
  const file = readManifest().exports[specifier.replace('caseway', '.')]?.[CONDITION];
  return file && join(PACKAGE_ROOT, file);
}
