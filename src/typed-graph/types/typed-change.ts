import {
  type GraphQLFieldConfig,
  type GraphQLFieldConfigMap,
  type GraphQLInputFieldConfigMap,
  GraphQLInputObjectType,
  GraphQLNonNull,
  GraphQLObjectType,
} from 'graphql';

import type { OperationContext } from '../../graphql/context.ts';
import { capitalize } from '../names/words.ts';
import type { GenericChange } from './generic-change.ts';

/** A field of `Mutation`, with its name. */
export type MutationField = readonly [name: string, field: GraphQLFieldConfig<unknown, OperationContext>];

interface TypedChange {
  readonly name: string;
  readonly description: string;
  readonly input: GraphQLInputFieldConfigMap;
  readonly payload: GraphQLFieldConfigMap<unknown, OperationContext>;
  /** Says the input in the words of the generic mutation. @throws {GraphQLError} for what cannot be taken. */
  toGeneric(input: Readonly<Record<string, unknown>>): object;
}

/** Makes a mutation that runs a generic one: what it is done, repeated and priced like is written there alone. */
export function createChange(generic: GenericChange, change: TypedChange): MutationField {
  const { name, description, input, payload, toGeneric } = change;
  const inputType = new GraphQLInputObjectType({
    name: `${capitalize(name)}Input`,
    description: `What \`${name}\` takes.`,
    fields: input,
  });
  const payloadType = new GraphQLObjectType({
    name: `${capitalize(name)}Payload`,
    description: `What \`${name}\` gives.`,
    fields: payload,
  });
  return [
    name,
    {
      type: payloadType,
      description,
      args: { input: { type: new GraphQLNonNull(inputType), description: 'What is to be done.' } },
      resolve: (_root, { input: given }, context) => generic.run(toGeneric(given), context),
      ...generic.cost,
    },
  ];
}
