import {
  GraphQLError,
  GraphQLID,
  type GraphQLInputType,
  type GraphQLSchema,
  isInputObjectType,
  isListType,
  isNonNullType,
  typeFromAST,
  type VariableDefinitionNode,
} from 'graphql';

type Variables = Readonly<Record<string, unknown>>;

/**
 * Refuses ids that came as JSON numbers beyond ±(2^53 − 1): JSON has rounded them, and they would name something else.
 * GraphQL's own ID takes any integer, and cannot be given another rule without changing it for the whole process.
 *
 * @throws {GraphQLError} BAD_USER_INPUT that names the variable.
 */
export function checkIds(
  schema: GraphQLSchema,
  definitions: readonly VariableDefinitionNode[],
  variables: Variables,
): void {
  for (const { variable, type } of definitions) {
    const name = variable.name.value;
    // A type that is no input type has been refused by validation.
    const inputType = typeFromAST(schema, type as never) as GraphQLInputType | undefined;
    if (inputType !== undefined) check(inputType, variables[name], `$${name}`);
  }
}

function check(type: GraphQLInputType, value: unknown, place: string): void {
  if (isNonNullType(type)) check(type.ofType, value, place);
  else if (isListType(type)) checkList(type.ofType, value, place);
  else if (isInputObjectType(type) && typeof value === 'object' && value !== null) {
    for (const field of Object.values(type.getFields())) {
      check(field.type, (value as Variables)[field.name], `${place}.${field.name}`);
    }
  } else if (type === GraphQLID && typeof value === 'number' && !Number.isSafeInteger(value)) {
    const message = `The id ${place} is a number beyond ±(2^53 − 1), which JSON does not keep exactly; send it as a string.`;
    throw new GraphQLError(message, { extensions: { code: 'BAD_USER_INPUT', http: { status: 400 } } });
  }
}

// GraphQL takes a lone item for a list of one.
function checkList(type: GraphQLInputType, value: unknown, place: string): void {
  const items: readonly unknown[] = Array.isArray(value) ? value : [value];
  for (const [index, item] of items.entries()) check(type, item, `${place}[${index}]`);
}
