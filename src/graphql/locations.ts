import type { ASTNode, GraphQLError, Source, SourceLocation } from 'graphql';

/** A field that is selected more often has the places of the first ones in its errors. */
const MAX_LOCATIONS = 10;

/** Puts the lines and columns of nodes into an error that was created without nodes. */
export type Locate = <E extends GraphQLError>(error: E, nodes: readonly ASTNode[]) => E;

/**
 * Creates a `Locate` for an operation. It finds the line ends of a document once. The constructor of
 * `GraphQLError`, if it is given nodes, searches the document from its start for every error.
 */
export function createLocate(): Locate {
  const lineStarts = new Map<Source, readonly number[]>();

  const locationOf = (source: Source, position: number): SourceLocation => {
    const starts = lineStarts.get(source) ?? findLineStarts(source.body);
    lineStarts.set(source, starts);
    let line = 0;
    for (let after = starts.length; after - line > 1; ) {
      const middle = (line + after) >> 1;
      if ((starts[middle] ?? 0) <= position) line = middle;
      else after = middle;
    }
    return { line: line + 1, column: position + 1 - (starts[line] ?? 0) };
  };

  return (error, nodes) => {
    if (error.locations !== undefined) return error;
    const locations: SourceLocation[] = [];
    for (const { loc } of nodes.slice(0, MAX_LOCATIONS)) {
      if (loc) locations.push(locationOf(loc.source, loc.start));
    }
    return locations.length === 0 ? error : Object.assign(error, { locations });
  };
}

const findLineStarts = (text: string): readonly number[] => [
  0,
  ...text.matchAll(/\r\n|[\n\r]/g).map((end) => end.index + end[0].length),
];
