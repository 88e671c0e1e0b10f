import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { circular, homeless, trespassing, undeclared, upward } from './floors.ts';
import { fetching, oversized, vaguelyNamed } from './shape.ts';
import type { ParsedFile } from './source.ts';
import { environmentReaders, moduleState } from './state.ts';

const MANIFEST = join(import.meta.dirname, '../../../package.json');
const { dependencies } = JSON.parse(readFileSync(MANIFEST, 'utf8')) as { dependencies: object };

/** What holds for all of `src/`: each rule gives the faults that it finds, in words. */
export const RULES = {
  'every file stands on a floor or in the sandbox': homeless,
  'imports point down, and only the wiring opens the sandbox': upward,
  'a package is imported by its owner alone': trespassing,
  'only packages that production installs are imported, by name': (files) =>
    undeclared(files, Object.keys(dependencies)),
  'no file needs itself by way of others': circular,
  'no state and no effect lives at the top level of a module': moduleState,
  'processes alone read the environment': environmentReaders,
  'no file asks by fetch': fetching,
  'no file is longer than 150 lines': oversized,
  'no folder or file has a name that says nothing': vaguelyNamed,
} as const satisfies Record<string, (files: readonly ParsedFile[]) => string[]>;

export type Rule = keyof typeof RULES;
