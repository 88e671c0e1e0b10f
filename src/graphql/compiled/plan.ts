import type { GraphQLObjectType, OperationDefinitionNode, SelectionSetNode } from 'graphql';

import { type CompiledField, compileField } from './field.ts';
import { append, createGap, type Gap, type Piece } from './piece.ts';
import type { Run } from './run.ts';
import { collectFields, type SelectionBasis } from './selections.ts';
import type { Path } from './site.ts';
import { typeOf } from './type-of.ts';
import type { Below } from './value.ts';

/** Gives the fields at the root of an operation, each ready to be written with all that is below it. */
export function compileFields(
  { selectionSet }: OperationDefinitionNode,
  root: GraphQLObjectType,
  basis: SelectionBasis,
): readonly CompiledField[] {
  let count = 0;
  const nextArgs = () => count++;

  const fieldsOf = (sets: readonly SelectionSetNode[], parent: GraphQLObjectType) =>
    [...collectFields(sets, parent, basis)].map(([key, nodes]) =>
      compileField(key, nodes, { parent, below, nextArgs }),
    );
  const below: Below = {
    typeOf: (type, source, { context }) => typeOf(type, source, { schema: basis.schema, context }),
    objects(type, { nodes, isNullable }) {
      const sets = nodes.flatMap(({ selectionSet: set }) => set ?? []);
      const fields = fieldsOf(sets, type);
      return (run, source, path) => writeFields(fields, { run, source, path, isNullable });
    },
  };
  return fieldsOf([selectionSet], root);
}

/** The object whose fields are written. */
interface Written {
  readonly run: Run;
  readonly source: unknown;
  /** `undefined` at the root. */
  readonly path: Path | undefined;
  readonly isNullable: boolean;
}

/** Writes an object. @throws {GraphQLError} where a field failed for which `null` may not stand. */
export function writeFields(fields: readonly CompiledField[], { run, source, path, isNullable }: Written): Piece {
  let text = '{';
  let gap: Gap | undefined;
  let separator = '';
  for (const { label, write } of fields) {
    const piece = write(run, source, path);
    text += separator + label;
    separator = ',';
    if (typeof piece === 'string') text += piece;
    else {
      gap = append(gap ?? createGap(isNullable), text, piece);
      text = '';
    }
  }
  return gap === undefined ? `${text}}` : append(gap, `${text}}`);
}
