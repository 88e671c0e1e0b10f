import { type FieldNode, type GraphQLError, locatedError } from 'graphql';

import type { Piece } from './piece.ts';
import type { Run } from './run.ts';

/** The way to a value in the answer: from the inside out. */
export interface Path {
  readonly around: Path | undefined;
  readonly key: string | number;
}

/** A field of a document, where it is selected. */
export interface Site {
  /** All places of the document that ask for it. */
  readonly nodes: readonly [FieldNode, ...FieldNode[]];
  /** The type that it is a field of, and its name there, for messages. */
  readonly name: string;
  /** Whether `null` may stand for a value of it. */
  readonly isNullable: boolean;
}

/** Says where in the document and in the answer something went wrong. */
export function locate(thrown: unknown, { nodes }: Site, path: Path): GraphQLError {
  const keys: (string | number)[] = [];
  for (let place: Path | undefined = path; place; place = place.around) keys.unshift(place.key);
  return locatedError(thrown, nodes, keys);
}

/**
 * Gives what stands in the answer for a value that went wrong.
 *
 * @throws {GraphQLError} where nothing may: then what is around it has gone wrong as well.
 */
export function giveUp(run: Run, thrown: unknown, site: Site, path: Path): Piece {
  const error = locate(thrown, site, path);
  if (!site.isNullable) throw error;
  run.errors.push(error);
  return 'null';
}
