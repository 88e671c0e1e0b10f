import { type GraphQLAbstractType, type GraphQLObjectType, type GraphQLSchema, isObjectType } from 'graphql';

interface TypeOfOptions {
  readonly schema: GraphQLSchema;
  readonly context: unknown;
}

/**
 * Gives the type of an object that stands at an abstract type, as the type's own resolver tells at once.
 *
 * @throws {Error} where it tells no type of the schema that may stand there.
 */
export function typeOf(
  type: GraphQLAbstractType,
  source: unknown,
  { schema, context }: TypeOfOptions,
): GraphQLObjectType {
  const name = type.resolveType?.(source, context, undefined as never, type);
  const found = typeof name === 'string' ? schema.getType(name) : undefined;
  if (isObjectType(found) && schema.isSubType(type, found)) return found;
  throw new Error(`Abstract type "${type}" was resolved to a type "${name}" that does not exist inside the schema.`);
}
