import {
  DirectiveLocation,
  GraphQLDirective,
  type GraphQLFieldConfig,
  type GraphQLFieldConfigMap,
  GraphQLInt,
  GraphQLNonNull,
  GraphQLObjectType,
  GraphQLSchema,
  getDirectiveValues,
  getVariableValues,
  type OperationDefinitionNode,
} from 'graphql';

import type { ReadResource } from '../../cache/cache.ts';
import type { OperationContext } from '../../graphql/context.ts';
import { costRuleOf } from '../../graphql/cost-rules.ts';
import { requestError } from '../../graphql/errors.ts';

/** What one run has read; the first of it is what the field at the root read. */
export class ReadLog extends Map<string, ReadResource> {
  rootReads = 0;
}

/** Adds `Subscription`: the fields of `Query` that read instances, with the same arguments and types, and `@every`. */
export function addSubscription(schema: GraphQLSchema, leastMs: number): GraphQLSchema {
  const config = schema.toConfig();
  const queries: GraphQLFieldConfigMap<unknown, OperationContext> = config.query?.toConfig().fields ?? {};
  const reads = Object.entries(queries).filter(([, { extensions }]) => extensions?.read !== undefined);
  if (reads.length === 0 || config.subscription) return schema;
  const fields = Object.fromEntries(reads.map(([name, field]) => [name, toSubscriptionField(name, field)]));
  const subscription = new GraphQLObjectType({
    name: 'Subscription',
    description:
      'Live queries: each gives the state at once, and the whole answer again whenever it has changed. They run as `Query`’s fields of the same names.',
    fields,
  });
  return new GraphQLSchema({
    ...config,
    subscription,
    directives: [...config.directives, createEvery(leastMs)],
    assumeValid: true,
  });
}

type RootField = GraphQLFieldConfig<unknown, OperationContext>;

function toSubscriptionField(name: string, field: RootField): RootField {
  const { resolve, description, extensions, ...rest } = field;
  return {
    ...rest,
    description: `${description ?? ''}\n\nAgain whenever it has changed: the platform is polled by conditional requests.`,
    // GraphQL copies what has a prototype.
    extensions: Object.assign(Object.create(null), extensions, {
      cost: costRuleOf('Query', { name, extensions: extensions ?? {} }),
    }),
    async resolve(source, args, context, info) {
      try {
        return await resolve?.(source, args, context, info);
      } finally {
        const { reads } = context.stats;
        if (reads instanceof ReadLog) reads.rootReads = reads.size;
      }
    },
  };
}

const EVERY = 'every';
/** The longest interval that may be asked for: no stream lasts much longer. */
const MAX_SECONDS = 3_600;

const createEvery = (leastMs: number) =>
  new GraphQLDirective({
    name: EVERY,
    description: `How often the platform is asked whether the subscription’s answer has changed. Without it, and at least: every ${leastMs / 1_000} s.`,
    locations: [DirectiveLocation.SUBSCRIPTION],
    args: {
      seconds: { type: new GraphQLNonNull(GraphQLInt), description: `Seconds, at most ${MAX_SECONDS}.` },
    },
  });

/**
 * Gives the interval of an operation in milliseconds: what `@every` asks for, or the least.
 *
 * @throws {GraphQLError} where the variable of `@every` is `null`: one with a default passes the validation.
 */
export function intervalOf(
  schema: GraphQLSchema,
  definition: OperationDefinitionNode,
  { variables, leastMs }: { readonly variables: Readonly<Record<string, unknown>>; readonly leastMs: number },
): number {
  const directive = schema.getDirective(EVERY);
  if (!directive) return leastMs;
  const { coerced } = getVariableValues(schema, definition.variableDefinitions ?? [], { ...variables });
  try {
    const seconds = Number(getDirectiveValues(directive, definition, coerced)?.['seconds'] ?? 0);
    return Math.max(leastMs, Math.min(seconds, MAX_SECONDS) * 1_000);
  } catch {
    throw requestError(400, '`@every` needs a number of seconds, and its variable is null.');
  }
}
