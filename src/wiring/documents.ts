import { globSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

import { createDocuments, type Documents } from '../edge/documents/index.ts';
import { createRegistry } from '../edge/documents/registry.ts';
import { createTrusted } from '../edge/documents/trusted.ts';
import type { Checked } from '../graph/documents/check.ts';
import type { DocumentLimits } from '../graph/limits/document.ts';
import { type Settings, SettingsError } from '../settings/index.ts';
import type { Log } from '../telemetry/log.ts';
import { type PlacedDocument, readManifest } from './manifest.ts';

interface DocumentsBasis {
  /** Says whether a document can be run. */
  readonly check: (text: string) => Checked;
  readonly limits: DocumentLimits;
  readonly log: Log;
}

/**
 * Makes the documents that the settings say.
 *
 * @throws {SettingsError} naming every trusted document that cannot be read, or that the schema does not know.
 */
export function wireDocuments(settings: Settings, { check, limits, log }: DocumentsBasis): Documents {
  const { DOCUMENTS: path, DOCUMENTS_MODE: mode, APQ_MAX: maxDocuments, APQ_MAX_BYTES: maxBytes } = settings;
  const problems: string[] = [];
  const documents = path === undefined ? [] : readDocuments(path, problems);
  for (const { place, text } of documents) {
    const checked = check(text);
    if ('problems' in checked) problems.push(...checked.problems.map((problem) => `DOCUMENTS: ${place}:${problem}`));
  }
  problems.push(...ambiguous(documents));
  if (mode !== 'off' && documents.length === 0 && problems.length === 0) {
    problems.push(`DOCUMENTS: must name documents with DOCUMENTS_MODE=${mode}, or all others are untrusted`);
  }
  if (problems.length > 0) throw new SettingsError(problems);

  const registry = maxDocuments === 0 ? undefined : createRegistry({ maxDocuments, maxBytes });
  return createDocuments({ trusted: createTrusted(documents), mode, registry, limits, log });
}

/** Ids that stand for two texts. */
function ambiguous(documents: readonly PlacedDocument[]): string[] {
  const byId = Map.groupBy(documents, ({ id }) => id);
  return [...byId]
    .filter(([, named]) => new Set(named.map(({ text }) => text)).size > 1)
    .map(([id, named]) => {
      const places = named.map(({ place }) => place).join(', ');
      return `DOCUMENTS: the id ${JSON.stringify(id)} stands for different documents: ${places}`;
    });
}

/** Reads a manifest, or all that a folder holds: of a file that is a document, the name without its ending is the id. */
function readDocuments(path: string, problems: string[]): PlacedDocument[] {
  const files = attempt(`DOCUMENTS: cannot read ${path}`, problems, () =>
    statSync(path).isDirectory() ? globSync('**/*.{graphql,gql,json}', { cwd: path }).sort() : [''],
  );
  return (files ?? []).flatMap((file) => {
    const place = join(path, file);
    const text = attempt(`DOCUMENTS: cannot read ${place}`, problems, () => readFileSync(place, 'utf8'));
    if (text === undefined) return [];
    if (!/\.json$/i.test(place)) return [{ id: toId(file || place), text, place }];
    const read = readManifest(text, place);
    problems.push(...read.problems.map((problem) => `DOCUMENTS: ${problem}`));
    return read.documents;
  });
}

const toId = (file: string): string => file.replaceAll('\\', '/').replace(/\.\w+$/, '');

function attempt<T>(what: string, problems: string[], read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    problems.push(`${what}: ${error instanceof Error && 'code' in error ? error.code : 'unknown error'}`);
    return undefined;
  }
}
