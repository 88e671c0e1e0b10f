import type { TrustedDocument } from '../graphql/persisted-documents.ts';
import { isJsonObject } from '../upstream/json.ts';

/** A trusted document and where it was read, which is told when it cannot run. */
export interface PlacedDocument extends TrustedDocument {
  readonly place: string;
}

interface Manifest {
  readonly documents: readonly PlacedDocument[];
  readonly problems: readonly string[];
}

/**
 * Reads a manifest of documents: an object of texts by id, as Relay and GraphQL Code Generator write it, or an object with
 * a list `operations` of `id` and `body`, as Apollo does.
 */
export function readManifest(json: string, place: string): Manifest {
  const manifest = parseOrUndefined(json);
  if (!isJsonObject(manifest)) return { documents: [], problems: [`${place}: must be a JSON object`] };
  const { operations } = manifest;
  const entries = Array.isArray(operations)
    ? operations.map((operation, index) => {
        const { id, body } = isJsonObject(operation) ? operation : {};
        return { id, text: body, member: `operations[${index}]` };
      })
    : Object.entries(manifest).map(([id, text]) => ({ id, text, member: JSON.stringify(id) }));

  const documents = entries.flatMap(({ id, text, member }) =>
    typeof id === 'string' && id !== '' && typeof text === 'string' ? [{ id, text, place: `${place}: ${member}` }] : [],
  );
  const problems = entries
    .filter(({ id, text }) => typeof id !== 'string' || id === '' || typeof text !== 'string')
    .map(({ member }) => `${place}: ${member} must be a document’s text under its id`);
  return { documents, problems };
}

function parseOrUndefined(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}
