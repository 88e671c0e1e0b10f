import { readFileSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import { dirname } from 'node:path';

const MANIFEST = String(findPackageJSON(import.meta.url));

/** The folder that everything lies in: the checkout, or the package. The built code is bundled, so its files lie elsewhere. */
export const PACKAGE_ROOT = dirname(MANIFEST);

/** The gateway's version. */
export const packageVersion = (): string => String(JSON.parse(readFileSync(MANIFEST, 'utf8')).version);
