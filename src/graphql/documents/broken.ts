import { setImmediate as turn } from 'node:timers/promises';
import type { GraphQLSchema } from 'graphql';

import type { DocumentLimits } from '../limits/document.ts';
import { checkDocument } from './check.ts';

/** A document that somebody may ask for by its name. */
export interface NamedDocument {
  readonly name: string;
  readonly text: string;
}

/** A document that could be run, and cannot any more. */
export interface BrokenDocument {
  readonly name: string;
  readonly problems: readonly string[];
}

interface Replacement {
  readonly before: GraphQLSchema;
  readonly after: GraphQLSchema;
  readonly limits: DocumentLimits;
}

/** Gives the documents that one schema could run and the next cannot. Others are served between two of them. */
export async function findBroken(
  documents: Iterable<NamedDocument>,
  { before, after, limits }: Replacement,
): Promise<readonly BrokenDocument[]> {
  const broken: BrokenDocument[] = [];
  for (const { name, text } of documents) {
    await turn();
    const checked = checkDocument(text, { schema: after, limits });
    if (!('problems' in checked)) continue;
    const wasRunning = !('problems' in checkDocument(text, { schema: before, limits }));
    if (wasRunning) broken.push({ name, problems: checked.problems });
  }
  return broken;
}
