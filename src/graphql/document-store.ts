import type { DocumentNode } from 'graphql';

/** A document costs far more as a tree than as a text, so what is kept is bounded by tokens as well. */
const MAX_TOKENS_IN_ALL = 60_000;

/** Keeps parsed documents, the least recently used go first. */
export interface DocumentStore {
  get(key: string): Promise<DocumentNode | undefined>;
  set(key: string, document: DocumentNode): Promise<void>;
  delete(key: string): Promise<boolean>;
  /** Whether a document was kept, and not only seen. */
  hasKept(document: DocumentNode): boolean;
}

/** How many documents that were seen once are remembered, by key alone. */
const MAX_SEEN = 10_000;

/**
 * Makes a store of at most so many documents, and of the tokens that some hundred usual documents have. A document is kept
 * when it comes for the second time: a flood of different ones leaves nothing behind, and drives nothing out.
 */
export function createDocumentStore(maxDocuments: number): DocumentStore {
  const documents = new Map<string, { readonly document: DocumentNode; readonly tokens: number }>();
  const seen = new Set<string>();
  const kept = new WeakSet<DocumentNode>();
  let tokensInAll = 0;

  const isKnown = (key: string): boolean => {
    if (seen.delete(key) || documents.has(key)) return true;
    seen.add(key);
    const [oldest = ''] = seen;
    if (seen.size > MAX_SEEN) seen.delete(oldest);
    return false;
  };

  const forget = (key: string): boolean => {
    tokensInAll -= documents.get(key)?.tokens ?? 0;
    return documents.delete(key);
  };

  return {
    async get(key) {
      const entry = documents.get(key);
      if (entry === undefined) return undefined;
      documents.delete(key);
      documents.set(key, entry);
      return entry.document;
    },
    async set(key, document) {
      if (!isKnown(key)) return;
      forget(key);
      const tokens = countTokens(document);
      documents.set(key, { document, tokens });
      kept.add(document);
      tokensInAll += tokens;
      for (const oldest of documents.keys()) {
        if (documents.size <= maxDocuments && tokensInAll <= MAX_TOKENS_IN_ALL) break;
        forget(oldest);
      }
    },
    delete: async (key) => forget(key),
    hasKept: (document) => kept.has(document),
  };
}

function countTokens({ loc }: DocumentNode): number {
  let count = 0;
  for (let token = loc?.startToken.next; token; token = token.next) count++;
  return count;
}
