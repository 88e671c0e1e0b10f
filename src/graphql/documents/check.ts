import { type DocumentNode, GraphQLError, type GraphQLSchema, Kind, parse, validate } from 'graphql';

import { type DocumentLimits, findExcess } from '../limits/document.ts';

/** A document that was looked at: what it says, or what is wrong with it, each with line and column where it has one. */
export type Checked = { readonly document: DocumentNode } | { readonly problems: readonly string[] };

interface Rules {
  readonly schema: GraphQLSchema;
  readonly limits: DocumentLimits;
}

/** Checks a document's text as a request's would be: by the limits, the grammar and the schema. */
export function checkDocument(text: string, { schema, limits }: Rules): Checked {
  const excess = findExcess(text, limits);
  if (excess !== undefined) return { problems: [`1:1: ${excess}`] };
  const document = parseOr(text);
  if (document instanceof GraphQLError) return { problems: [wordProblem(document)] };

  const operations = document.definitions.filter((node) => node.kind === Kind.OPERATION_DEFINITION);
  const errors = [
    ...validate(schema, document),
    ...operations
      .filter(({ operation }) => !schema.getRootType(operation))
      .map((node) => new GraphQLError(`There is no ${node.operation} here.`, { nodes: [node] })),
    ...(operations.length === 0 ? [new GraphQLError('It holds no operation.', { nodes: [document] })] : []),
  ];
  return errors.length === 0 ? { document } : { problems: errors.map(wordProblem) };
}

function parseOr(text: string): DocumentNode | GraphQLError {
  try {
    return parse(text);
  } catch (error) {
    if (error instanceof GraphQLError) return error;
    throw error;
  }
}

/** Words an error for people: where it is, by line and column, and what it is. */
export function wordProblem({ message, locations }: GraphQLError): string {
  const { line, column } = locations?.[0] ?? { line: 1, column: 1 };
  return `${line}:${column}: ${message}`;
}
