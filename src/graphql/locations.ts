import type { ASTNode, DocumentNode, GraphQLError, SourceLocation } from 'graphql';

/** The highest number of locations in an error. Further selections of the field are left out. */
const MAX_LOCATIONS = 10;

/** Adds the lines and columns of nodes to an error that was created without nodes. */
export type Locate = <E extends GraphQLError>(error: E, nodes: readonly ASTNode[]) => E;

/**
 * Creates a `Locate` for a document. It finds the line ends once. `GraphQLError` searches the text
 * from its start for each error with nodes.
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
