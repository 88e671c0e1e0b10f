import { setImmediate as nextTurn } from 'node:timers/promises';
import { type DocumentNode, GraphQLError, type GraphQLSchema, Kind, stripIgnoredCharacters, validate } from 'graphql';

import { parseWithinLimits } from './limits.ts';

/** A document after its check: parsed, or what is wrong with it, each with line and column where it has one. */
export type CheckedDocument = { readonly document: DocumentNode } | { readonly problems: readonly string[] };

/** Checks a document's text as a request's would be: by the limits, the grammar and the schema. */
export function checkDocument(text: string, schema: GraphQLSchema): CheckedDocument {
  const document = parseOrError(text);
  if (document instanceof GraphQLError) return { problems: [formatProblem(document)] };

  const operations = document.definitions.filter((node) => node.kind === Kind.OPERATION_DEFINITION);
  const errors = [
    ...validate(schema, document),
    ...operations
      .filter(({ operation }) => !schema.getRootType(operation))
      .map((node) => new GraphQLError(`There is no ${node.operation} here.`, { nodes: [node] })),
    ...(operations.length === 0 ? [new GraphQLError('It holds no operation.', { nodes: [document] })] : []),
  ];
  return errors.length === 0 ? { document } : { problems: errors.map(formatProblem) };
}

function parseOrError(text: string): DocumentNode | GraphQLError {
  try {
    return parseWithinLimits(text);
  } catch (error) {
    if (error instanceof GraphQLError) return error;
    throw error;
  }
}

/** Words an error for people: where it is, by line and column, and what it is. */
export function formatProblem({ message, locations }: GraphQLError): string {
  const { line, column } = locations?.[0] ?? { line: 1, column: 1 };
  return `${line}:${column}: ${message}`;
}

/** A document that clients may ask for by its name. */
export interface NamedDocument {
  readonly name: string;
  readonly text: string;
}

interface BrokenDocument {
  readonly name: string;
  readonly problems: readonly string[];
}

interface Replacement {
  readonly before: GraphQLSchema;
  readonly after: GraphQLSchema;
}

/** Gives the documents that one schema could run and the next cannot. Requests are served between two of them. */
export async function findBrokenDocuments(
  documents: Iterable<NamedDocument>,
  { before, after }: Replacement,
): Promise<readonly BrokenDocument[]> {
  const broken: BrokenDocument[] = [];
  for (const { name, text } of documents) {
    await nextTurn();
    const checked = checkDocument(text, after);
    if (!('problems' in checked)) continue;
    const wasValid = !('problems' in checkDocument(text, before));
    if (wasValid) broken.push({ name, problems: checked.problems });
  }
  return broken;
}

/**
 * A document without what means nothing: comments, commas, how it is spaced. Two documents of the same tokens give the same
 * text. `undefined` for what is no GraphQL.
 */
export function withoutIgnored(text: string): string | undefined {
  try {
    return stripIgnoredCharacters(text);
  } catch {
    return undefined;
  }
}
