import { RequestError } from '../request-error.ts';

/** What a request says of its document; nothing of it is checked yet. */
export interface AskedDocument {
  readonly query: unknown;
  readonly documentId: unknown;
  readonly extensions: unknown;
}

/** How a request names its document: by its text, by a name, or by its text together with its hash. */
export interface DocumentName {
  readonly text: string | undefined;
  readonly id: string | undefined;
  /** Whether the name is a hash as the Apollo protocol sends it, so that text and hash may come together. */
  readonly isHash: boolean;
}

const ID_MAX_LENGTH = 256;

/**
 * Reads how a request names its document.
 *
 * @throws {RequestError} 400 for names and texts that are none, and for two names.
 */
export function readName({ query, documentId, extensions }: AskedDocument): DocumentName {
  const persisted = isObject(extensions) ? (extensions['persistedQuery'] ?? undefined) : undefined;
  if (query != null && typeof query !== 'string') {
    throw new RequestError(400, '`query` must be a string: the document’s text.');
  }
  const text = query || undefined;
  if (documentId != null) {
    if (text !== undefined || persisted !== undefined) {
      throw new RequestError(400, 'Send `documentId` alone, without `query` and `persistedQuery`.');
    }
    return { text, id: readId(documentId, '`documentId`'), isHash: false };
  }
  if (persisted === undefined) return { text, id: undefined, isHash: false };
  if (!isObject(persisted) || persisted['version'] !== 1) {
    throw new RequestError(400, '`persistedQuery` must be an object of version 1.');
  }
  return { text, id: readId(persisted['sha256Hash'], '`sha256Hash`'), isHash: true };
}

function readId(id: unknown, what: string): string {
  if (typeof id === 'string' && id !== '' && id.length <= ID_MAX_LENGTH) return id;
  throw new RequestError(400, `${what} must be a string of 1 to ${ID_MAX_LENGTH} characters.`);
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
