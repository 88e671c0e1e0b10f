import {
  type DirectiveNode,
  type FieldNode,
  type GraphQLDirective,
  GraphQLError,
  type GraphQLField,
  getArgumentValues,
} from 'graphql';

type Variables = Readonly<Record<string, unknown>>;

/**
 * Gives the arguments of a field or a directive.
 *
 * @throws {GraphQLError} BAD_USER_INPUT where a variable says `null` and no `null` may be. Nobody can tell before: a variable
 *   with a default may be `null`, and may stand where no `null` may.
 */
export function givenArguments(
  definition: GraphQLField<unknown, unknown> | GraphQLDirective,
  node: FieldNode | DirectiveNode,
  variables?: Variables,
): Record<string, unknown> {
  try {
    return getArgumentValues(definition, node, variables);
  } catch (error) {
    if (!(error instanceof GraphQLError)) throw error;
    throw new GraphQLError(error.message, { nodes: error.nodes ?? null, extensions: { code: 'BAD_USER_INPUT' } });
  }
}
