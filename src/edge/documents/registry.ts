import { LRUCache } from 'lru-cache';

import type { NamedDocument } from '../../graphql/documents/broken.ts';

/** Documents that clients sent with their hash, for all clients: a hash tells nothing to who has not the text. */
export interface Registry {
  get(hash: string): string | undefined;
  /** Keeps a document that was found valid. */
  keep(hash: string, text: string): void;
  /** Gives all, each by its hash. */
  all(): readonly NamedDocument[];
}

interface RegistryOptions {
  readonly maxDocuments: number;
  /** For all of them together; those that were not asked for longest go first. */
  readonly maxBytes: number;
}

/** What a character of a text may take in memory. */
const CHARACTER_BYTES = 2;

export function createRegistry({ maxDocuments, maxBytes }: RegistryOptions): Registry {
  const texts = new LRUCache<string, string>({
    max: maxDocuments,
    maxSize: maxBytes,
    sizeCalculation: (text, hash) => (text.length + hash.length) * CHARACTER_BYTES,
  });
  return {
    get: (hash) => texts.get(hash),
    keep(hash, text) {
      texts.set(hash, text);
    },
    all: () => [...texts.entries()].map(([name, text]) => ({ name, text })),
  };
}
