import { ConfigError } from '../config/load.ts';
import type { Settings } from '../config/settings.ts';
import type { CheckedDocument } from '../graphql/documents.ts';
import { createPersistedDocuments, type PersistedDocuments } from '../graphql/persisted-documents.ts';
import type { Log } from '../telemetry/log.ts';
import type { PlacedDocument } from './manifest.ts';
import { readDocuments } from './read-documents.ts';

interface DocumentsBasis {
  /** Says whether a document can be run. */
  readonly check: (text: string) => CheckedDocument;
  /** Whether the schema has all types that it should have: what it does not know then may be known later. */
  readonly isWhole: boolean;
  readonly log: Log;
}

/**
 * Makes the documents that the settings say.
 *
 * @throws {ConfigError} naming every trusted document that cannot be read, or that the schema does not know.
 */
export function wireDocuments(settings: Settings, { check, isWhole, log }: DocumentsBasis): PersistedDocuments {
  const { DOCUMENTS: path, DOCUMENTS_MODE: mode, APQ_MAX: maxPersisted, APQ_MAX_BYTES: maxPersistedBytes } = settings;
  const problems: string[] = [];
  const documents = path === undefined ? [] : readDocuments(path, problems);
  for (const { place, text } of documents) {
    const checked = check(text);
    if (!('problems' in checked)) continue;
    if (isWhole) problems.push(...checked.problems.map((problem) => `${place}:${problem}`));
    else log.warn({ document: place, reason: checked.problems.join('; ') }, 'a trusted document cannot run as yet');
  }
  problems.push(...ambiguous(documents));
  if (mode !== 'off' && documents.length === 0 && problems.length === 0) {
    problems.push(`must name documents with DOCUMENTS_MODE=${mode}, or all others are untrusted`);
  }
  if (problems.length > 0) throw new ConfigError(problems.map((problem) => `DOCUMENTS: ${problem}`));

  return createPersistedDocuments({ trusted: documents, mode, maxPersisted, maxPersistedBytes, log });
}

/** Ids that stand for two texts. */
function ambiguous(documents: readonly PlacedDocument[]): string[] {
  const byId = Map.groupBy(documents, ({ id }) => id);
  return [...byId]
    .filter(([, named]) => new Set(named.map(({ text }) => text)).size > 1)
    .map(([id, named]) => {
      const places = named.map(({ place }) => place).join(', ');
      return `the id ${JSON.stringify(id)} stands for different documents: ${places}`;
    });
}
