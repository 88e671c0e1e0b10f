import {
  GraphQLError,
  type GraphQLInputType,
  type GraphQLSchema,
  typeFromAST,
  type VariableDefinitionNode,
} from 'graphql';

import { checkValue } from './check-value.ts';

/** What the variables of a request are checked against. */
export interface VariableRules {
  readonly schema: GraphQLSchema;
  readonly definitions: readonly VariableDefinitionNode[];
  /** In any one list. */
  readonly maxListItems: number;
}

/**
 * Refuses variables that do not fit their types, and says where and what was expected, never what came: GraphQL's own
 * words would quote it. Stricter than GraphQL in this: a variable that the operation does not define is refused, and an
 * id must be one that can be asked, exactly as it was meant.
 *
 * @throws {GraphQLError} BAD_USER_INPUT that names the place.
 */
export function checkVariables(values: object, { schema, definitions, maxListItems }: VariableRules): void {
  const given = new Map<string, unknown>(Object.entries(values));
  const names = definitions.map(({ variable }) => variable.name.value);
  // GraphQL keeps variables in an object, whose prototype this would change.
  if (names.includes('__proto__')) throw refuse('No variable can be named __proto__.');
  if ([...given.keys()].some((name) => !names.includes(name))) {
    throw refuse(`A variable was given that the operation does not define; it defines ${list(names)}.`);
  }
  for (const { variable, type, defaultValue } of definitions) {
    const name = variable.name.value;
    // A type that is no input type has been refused by validation.
    const inputType = typeFromAST(schema, type as never) as GraphQLInputType | undefined;
    const isLeftToDefault = defaultValue !== undefined && given.get(name) === undefined;
    if (inputType === undefined || isLeftToDefault) continue;
    checkValue(inputType, { value: given.get(name), place: `$${name}`, maxListItems });
  }
}

const list = (names: readonly string[]): string =>
  names.length === 0 ? 'none' : names.map((name) => `$${name}`).join(', ');

const refuse = (message: string) =>
  new GraphQLError(message, { extensions: { code: 'BAD_USER_INPUT', http: { status: 400 } } });
