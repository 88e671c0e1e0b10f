import { symlinkSync } from 'node:fs';
import { join } from 'node:path';

import { writeFolder } from './folder.ts';

/** The packages of an application, among them the packed one: `test/support/pack.ts`. */
export const PACKAGES = join(import.meta.dirname, '../clients/node_modules');

/** Writes the folder of an application that has installed the package. It ends with the test. */
export function writeApplication(files: Readonly<Record<string, string | object>>): string {
  const folder = writeFolder(files);
  symlinkSync(PACKAGES, join(folder, 'node_modules'));
  return folder;
}
