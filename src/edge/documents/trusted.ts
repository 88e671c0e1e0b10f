import type { NamedDocument } from '../../graphql/documents/broken.ts';
import { withoutIgnored } from '../../graphql/documents/same-text.ts';
import { hashDocument, readHash } from './hash.ts';

/** A document that the operator has put there. */
export interface TrustedDocument {
  readonly text: string;
  /** How it may be asked for, besides by its hash. */
  readonly id: string;
}

/** The documents that the operator has put there. */
export interface Trusted {
  /** The text of a document, by an id of its own or by its hash. */
  byId(id: string): string | undefined;
  /** The document that a text is, spaces and comments aside. */
  equalTo(text: string): string | undefined;
  readonly all: readonly NamedDocument[];
}

/** Makes the set of trusted documents: none of two may have the same id and another text. */
export function createTrusted(documents: readonly TrustedDocument[]): Trusted {
  const byId = new Map(documents.map(({ id, text }) => [readHash(id) ?? id, text]));
  const byHash = new Map(documents.map(({ text }) => [hashDocument(text), text]));
  const byTokens = new Map(documents.map(({ text }) => [withoutIgnored(text), text]));
  const texts = new Set(byHash.values());

  return {
    byId: (id) => byId.get(id) ?? byHash.get(id),
    all: documents.map(({ id, text }) => ({ name: id, text })),
    equalTo: (text) => (texts.has(text) ? text : byTokens.get(withoutIgnored(text))),
  };
}
