import type { ASTNode, DocumentNode, GraphQLError, SourceLocation } from 'graphql';

/** The errors of a field that is selected more often have the places of the first ones. */
const MAX_LOCATIONS = 10;

/** Puts the lines and columns of nodes into an error that was created without nodes. */
export type Locate = <E extends GraphQLError>(error: E, nodes: readonly ASTNode[]) => E;

/**
 * Creates a `Locate` for the nodes of a document. It finds the line ends of the document once. The
 * constructor of `GraphQLError`, if it is given nodes, searches the text from its start for every error.
 */
export function createLocate({ loc: whole }: DocumentNode): Locate {
  let lineStarts: readonly number[] | undefined;

  const locationOf = (position: number): SourceLocation => {
    lineStarts ??= findLineStarts(whole?.source.body ?? '');
    let line = 0;
    for (let after = lineStarts.length; after - line > 1; ) {
      const middle = (line + after) >> 1;
      if ((lineStarts[middle] ?? 0) <= position) line = middle;
      else after = middle;
    }
    return { line: line + 1, column: position + 1 - (lineStarts[line] ?? 0) };
  };

  return (error, nodes) => {
    const placed = nodes.slice(0, MAX_LOCATIONS).flatMap(({ loc }) => loc ?? []);
    if (error.locations !== undefined || placed.length === 0) return error;
    return Object.assign(error, { locations: placed.map(({ start }) => locationOf(start)) });
  };
}

const findLineStarts = (text: string): readonly number[] => [
  0,
  ...text.matchAll(/\r\n|[\n\r]/g).map((end) => end.index + end[0].length),
];
