import {
  type GraphQLFieldConfig,
  type GraphQLFieldConfigMap,
  type GraphQLInputFieldConfigMap,
  type GraphQLInputObjectType,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
} from 'graphql';

import type { OperationContext } from '../../graphql/context.ts';
import { withCost } from '../../graphql/cost/rule.ts';
import { RULES } from '../../graphql/cost/rules.ts';

/** A mutation of the generic graph, of which typed ones are made: they say the same in other words. */
export interface GenericChange {
  /** Runs it, with its input in generic words. */
  readonly run: (input: object, context: OperationContext) => unknown;
  readonly cost: ReturnType<typeof withCost> | undefined;
  readonly input: GraphQLInputFieldConfigMap;
  readonly payload: GraphQLFieldConfigMap<unknown, OperationContext>;
}

/** Takes a mutation from the generic graph. */
export function takeChange(schema: GraphQLSchema, name: string): GenericChange {
  const field: GraphQLFieldConfig<unknown, OperationContext> | undefined = schema.getMutationType()?.toConfig().fields[
    name
  ];
  const { resolve, args, type } = field ?? {};
  if (!resolve || !type) throw new Error(`The schema has no mutation ${name}.`);
  const payload = getNamedType(type) as GraphQLObjectType;
  return {
    run: (input, context) => resolve(undefined, { input }, context, undefined as never),
    cost: costOf('Mutation', name),
    input: (getNamedType(args?.['input']?.type) as GraphQLInputObjectType).toConfig().fields,
    payload: Object.fromEntries(
      Object.entries(payload.toConfig().fields).map(([member, config]) => [
        member,
        { ...config, ...costOf(payload.name, member) },
      ]),
    ),
  };
}

const costOf = (type: string, field: string) => {
  const rule = RULES[type]?.[field];
  return rule && withCost(rule);
};
