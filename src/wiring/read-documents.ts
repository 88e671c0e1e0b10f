import { globSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

import { type PlacedDocument, readManifest } from './manifest.ts';

/**
 * Reads the documents of a file or folder: of a `.graphql` file the name without its ending is the id, a `.json` file is a
 * manifest. What cannot be read is added to the problems.
 */
export function readDocuments(path: string, problems: string[]): PlacedDocument[] {
  const files = attempt(path, problems, () =>
    statSync(path).isDirectory() ? globSync('**/*.{graphql,gql,json}', { cwd: path }).sort() : [''],
  );
  return (files ?? []).flatMap((file) => {
    const place = join(path, file);
    const text = attempt(place, problems, () => readFileSync(place, 'utf8'));
    if (text === undefined) return [];
    if (!/\.json$/i.test(place)) return [{ id: toId(file || place), text, place }];
    const read = readManifest(text, place);
    problems.push(...read.problems);
    return read.documents;
  });
}

const toId = (file: string): string => file.replaceAll('\\', '/').replace(/\.\w+$/, '');

function attempt<T>(path: string, problems: string[], read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    problems.push(`cannot read ${path}: ${error instanceof Error && 'code' in error ? error.code : 'unknown error'}`);
    return undefined;
  }
}
