import { globSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

import { isJsonObject } from '../upstream/json.ts';
import type { TrustedDocument } from './persisted-documents.ts';

/** A document, and where it stands. */
export interface PlacedDocument extends TrustedDocument {
  readonly place: string;
}

/**
 * Reads the documents of a file or folder: the id of a `.graphql` file is its name without the ending, a `.json` file is a
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
    if (/\.json$/i.test(place)) return readManifest(text, place, problems);
    return [{ id: (file || place).replaceAll('\\', '/').replace(/\.\w+$/, ''), text, place }];
  });
}

/** Adds to the problems each id that stands for two texts. */
export function findAmbiguous(documents: readonly PlacedDocument[], problems: string[]): void {
  for (const [id, named] of Map.groupBy(documents, (document) => document.id)) {
    if (new Set(named.map(({ text }) => text)).size < 2) continue;
    const places = named.map(({ place }) => place).join(', ');
    problems.push(`the id ${JSON.stringify(id)} stands for different documents: ${places}`);
  }
}

/**
 * A manifest is an object of texts by id, as Relay and GraphQL Code Generator write it, or an object with a list `operations`
 * of `id` and `body`, as Apollo does.
 */
function readManifest(json: string, place: string, problems: string[]): PlacedDocument[] {
  const manifest = parseOrUndefined(json);
  if (!isJsonObject(manifest)) {
    problems.push(`${place}: must be a JSON object`);
    return [];
  }
  const { operations } = manifest;
  const entries = Array.isArray(operations)
    ? operations.map((operation, index) => {
        const { id, body } = isJsonObject(operation) ? operation : {};
        return { id, text: body, member: `operations[${index}]` };
      })
    : Object.entries(manifest).map(([id, text]) => ({ id, text, member: JSON.stringify(id) }));

  return entries.flatMap(({ id, text, member }) => {
    if (typeof id === 'string' && id !== '' && typeof text === 'string') {
      return [{ id, text, place: `${place}: ${member}` }];
    }
    problems.push(`${place}: ${member} must be a document’s text under its id`);
    return [];
  });
}

function parseOrUndefined(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

function attempt<T>(path: string, problems: string[], read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    problems.push(`cannot read ${path}: ${error instanceof Error && 'code' in error ? error.code : 'unknown error'}`);
    return undefined;
  }
}
