import { stripIgnoredCharacters } from 'graphql';

/**
 * A document without what means nothing: comments, commas, how it is spaced. Two documents that say the same by the same
 * tokens give the same text. `undefined` for what is no GraphQL.
 */
export function withoutIgnored(document: string): string | undefined {
  try {
    return stripIgnoredCharacters(document);
  } catch {
    return undefined;
  }
}
