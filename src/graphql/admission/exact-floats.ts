import {
  type ASTNode,
  type ASTVisitor,
  type FloatValueNode,
  GraphQLError,
  GraphQLFloat,
  getNamedType,
  type IntValueNode,
  Kind,
  type ValidationContext,
} from 'graphql';

import { isHeldExactly } from '../../core/json.ts';
import type { Violation } from '../violations.ts';

type Ancestor = ASTNode | readonly ASTNode[];

/** Follows the name of a `Float` value, of literals and variables. */
export const NOT_HELD = 'must be a number that a double holds with all its digits';

/**
 * A rule of validation that refuses `Float` literals which a double does not hold with all their digits. graphql-js rounds
 * them, and reads 1e309 as `Infinity`, which JSON writes as `null`.
 */
export function exactFloats(context: ValidationContext): ASTVisitor {
  return { IntValue: check, FloatValue: check };

  function check(
    node: IntValueNode | FloatValueNode,
    _key: unknown,
    parent: Ancestor | undefined,
    _path: unknown,
    ancestors: readonly Ancestor[],
  ): void {
    if (getNamedType(context.getInputType()) !== GraphQLFloat) return;
    if (isHeldExactly(node.value, Number(node.value))) return;
    const around = parent ? [...ancestors, parent] : ancestors;
    const violation: Violation = { path: pathTo([...around, node]), constraint: 'kind', message: NOT_HELD };
    const extensions = { violations: [violation] };
    context.reportError(new GraphQLError(`This ${NOT_HELD}.`, { nodes: node, extensions }));
  }
}

/** The path of a literal: from its argument on, or from its variable if it is a default. */
function pathTo(nodes: readonly Ancestor[]): Violation['path'] {
  const path: (string | number)[] = [];
  for (const [index, node] of nodes.entries()) {
    if (!('kind' in node)) continue;
    if (node.kind === Kind.VARIABLE_DEFINITION) path.push(node.variable.name.value);
    if (node.kind === Kind.ARGUMENT || node.kind === Kind.OBJECT_FIELD) path.push(node.name.value);
    if (node.kind === Kind.LIST) path.push(node.values.findIndex((item) => item === nodes[index + 2]));
  }
  return path;
}
