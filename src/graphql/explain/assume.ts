import {
  type GraphQLInputType,
  type GraphQLSchema,
  getNullableType,
  Kind,
  type OperationDefinitionNode,
  typeFromAST,
} from 'graphql';

import type { PageLimits } from '../connection.ts';

interface Assumed {
  /** The operation, with every variable optional. */
  readonly operation: OperationDefinitionNode;
  readonly variables: Readonly<Record<string, unknown>>;
  /** Those of them that were not given. */
  readonly assumed: Readonly<Record<string, unknown>>;
}

interface Given {
  readonly schema: GraphQLSchema;
  readonly variables: Readonly<Record<string, unknown>>;
  readonly pages: PageLimits;
}

/**
 * Gives values to the variables of an operation that have none, so that it costs as much as it can: numbers are the largest
 * page, ids are all different, and what is included or skipped by a variable is there. Where a page starts and what is
 * searched for are left out: they cost nothing.
 */
export function assumeVariables(operation: OperationDefinitionNode, { schema, variables, pages }: Given): Assumed {
  const definitions = operation.variableDefinitions ?? [];
  const missing = definitions.filter(
    ({ variable, defaultValue }) => defaultValue === undefined && !Object.hasOwn(variables, variable.name.value),
  );
  const assumed = Object.fromEntries(
    missing.flatMap(({ variable, type }, index): (readonly [string, unknown])[] => {
      // A document that was found valid has variables of input types.
      const inputType = getNullableType(typeFromAST(schema, type as never) as GraphQLInputType);
      if (String(inputType) === 'Int') return [[variable.name.value, pages.maxSize]];
      return String(inputType) === 'ID' ? [[variable.name.value, String(index + 1)]] : [];
    }),
  );
  const known = definitions.map(({ variable }) => variable.name.value);
  const given = Object.entries(variables).filter(([name]) => known.includes(name));
  const variableDefinitions = definitions.map((definition) => ({
    ...definition,
    type: definition.type.kind === Kind.NON_NULL_TYPE ? definition.type.type : definition.type,
  }));
  return {
    operation: { ...operation, variableDefinitions },
    variables: { ...Object.fromEntries(given), ...assumed },
    assumed,
  };
}
