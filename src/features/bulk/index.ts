import {
  GraphQLBoolean,
  GraphQLEnumType,
  type GraphQLField,
  type GraphQLFieldConfig,
  GraphQLID,
  GraphQLInputObjectType,
  GraphQLInt,
  GraphQLList,
  GraphQLNonNull,
  type GraphQLNullableType,
  GraphQLObjectType,
  type GraphQLSchema,
  GraphQLString,
  getNamedType,
  getNullableType,
  isInputObjectType,
  isObjectType,
} from 'graphql';

import { isJsonObject } from '../../core/json.ts';
import type { Log } from '../../core/log.ts';
import { type CostRule, passThrough, perRow } from '../../graphql/admission/cost.ts';
import type { OperationContext } from '../../graphql/context.ts';
import { withRootFields } from '../../graphql/schema.ts';
import { withConstraint, withCost } from '../../graphql/schema-metadata.ts';
import type { Feature } from '../feature.ts';
import { checkCount, type ItemResult, MAX_ITEMS, runBulk, STATUSES } from './run.ts';

/** Adds bulk mutations: each changes up to 100 instances and returns an outcome for each. */
export const bulk: Feature = {
  configure: () => ({
    open: ({ graph, log }) => graph.addStep('derived', (schema) => addBulkWrites(schema, log)),
  }),
};

/** Adds a bulk mutation for each mutation of one instance. */
function addBulkWrites(schema: GraphQLSchema, log: Log): GraphQLSchema {
  const mutations = Object.values(schema.getMutationType()?.getFields() ?? {});
  const shared = readSharedTypes(schema, mutations, log);
  const plurals = mutations.flatMap((single) => createBulk(single, shared));
  return plurals.length === 0
    ? schema
    : withRootFields(schema, 'mutation', Object.fromEntries(plurals));
}

/** Creates the types that all bulk mutations share, and collects the names in use. */
function readSharedTypes(schema: GraphQLSchema, mutations: readonly Mutation[], log: Log) {
  const types = Object.values(schema.getTypeMap());
  const forms = types.flatMap((type) =>
    isObjectType(type) && type.extensions.form ? [type.extensions.form] : [],
  );
  const taken = new Set([
    ...types.map(({ name }) => name),
    ...mutations.map(({ name }) => `Mutation.${name}`),
  ]);
  /** Returns a suffix of underscores, as short as possible, with which no name is in use yet. */
  const endOf = (...names: readonly string[]): string => {
    let end = '';
    while (names.some((name) => taken.has(name + end))) end += '_';
    return end;
  };
  const shared = (name: string, description: string) => ({ name: name + endOf(name), description });
  return {
    log,
    forms: new Map(forms.map((form) => [form.formId, form])),
    endOf,
    status: new GraphQLEnumType({
      ...shared('BulkStatus', 'What became of an item of a bulk write.'),
      values: {
        DONE: { description: 'The platform has made the change.' },
        FAILED: { description: 'The item does not fit, or the platform refused it: see `error`.' },
        UNKNOWN: {
          description:
            'It was sent and its answer was lost: read the instance before you send it again.',
        },
        NOT_SENT: {
          description: 'It has no effect. The same call with the same key sends what is left.',
        },
      },
    }),
    onError: new GraphQLEnumType({
      ...shared('BulkOnError', ON_ERROR),
      values: {
        CONTINUE: { description: 'Nothing: each is sent.' },
        STOP: {
          description:
            'What is not sent yet stays so. Where an item does not fit, nothing is sent at all.',
        },
      },
    }),
    error: new GraphQLObjectType({
      ...shared('BulkError', 'Why an item of a bulk write is not done.'),
      fields: {
        code: { type: required(GraphQLString), description: 'As in `errors[].extensions.code`.' },
        message: { type: required(GraphQLString), description: 'For people.' },
        violations: {
          type: listOf(schema.getType('JSONObject') as typeof GraphQLString),
          description: VIOLATIONS,
        },
        retryable: {
          type: required(GraphQLBoolean),
          description: 'Whether it may succeed when it is sent again.',
        },
        retryAfterMs: {
          type: GraphQLInt,
          description: 'Send it again after so many milliseconds; `null`: not known.',
        },
      },
    }),
  };
}

type Mutation = GraphQLField<unknown, OperationContext>;
type Field<Source = unknown> = GraphQLFieldConfig<Source, OperationContext>;

const ON_ERROR = 'What a failed item means for the others.';
const VIOLATIONS =
  'As in `errors[].extensions.violations`, with paths from the item on: `["values", "amount"]`.';
const required = <T extends GraphQLNullableType>(type: T) => new GraphQLNonNull(type);
const listOf = <T extends GraphQLNullableType>(type: T) =>
  required(new GraphQLList(required(type)));

/**
 * Returns the name and config of the bulk mutation for a mutation. Returns an empty list if its
 * items would have no fields, since GraphQL has no empty types.
 */
function createBulk(
  single: Mutation,
  { log, forms, endOf, ...types }: ReturnType<typeof readSharedTypes>,
) {
  const { change } = single.extensions;
  const singleInput = getNamedType(single.args[0]?.type);
  const singlePayload = getNamedType(single.type);
  if (!change || !isInputObjectType(singleInput) || !isObjectType(singlePayload)) return [];
  const { idempotencyKey: _, formId, ...itemFields } = singleInput.toConfig().fields;
  if (Object.keys(itemFields).length === 0) return [];

  const { many, title } = forms.get(change.formId ?? '') ?? {
    many: 'instances',
    title: 'one form',
  };
  const plural = change.word + capitalize(many);
  const PARTS = ['Input', 'Item', 'Payload', 'Result'] as const;
  const end = endOf(`Mutation.${plural}`, ...PARTS.map((part) => capitalize(plural) + part));
  const field = plural + end;
  const named = (part: (typeof PARTS)[number], what: string) => ({
    name: capitalize(plural) + part + end,
    description: `${what} \`${field}\`.`,
  });

  const item = new GraphQLInputObjectType({ ...named('Item', 'One item of'), fields: itemFields });
  const input = new GraphQLInputObjectType({
    ...named('Input', 'Input of'),
    fields: {
      ...(formId && { formId }),
      items: {
        type: listOf(item),
        description: `1 to ${MAX_ITEMS}.`,
        ...withConstraint(checkCount),
      },
      onError: { type: required(types.onError), defaultValue: 'CONTINUE', description: ON_ERROR },
      idempotencyKey: { type: GraphQLID, description: RESUME },
    },
  });
  const outputs: readonly (readonly [string, Field])[] = Object.entries(
    singlePayload.toConfig().fields,
  );
  const result = new GraphQLObjectType<ItemResult, OperationContext>({
    ...named('Result', 'What became of one item of'),
    fields: {
      status: { type: required(types.status), description: 'What became of it.' },
      ...Object.fromEntries(outputs.map(([name, output]) => [name, toNullable(output, name)])),
      error: { type: types.error, description: 'Why it is not done; `null` where it is.' },
    },
  });
  const count = (status: string) => ({
    type: required(GraphQLInt),
    description: `How many are \`${status}\`.`,
  });
  const payload = new GraphQLObjectType({
    ...named('Payload', 'Payload of'),
    fields: {
      results: {
        type: listOf(result),
        description: 'In the order of the items.',
        ...withCost(perRow),
      },
      ...Object.fromEntries(
        Object.entries(STATUSES).map(([name, status]) => [name, count(status)]),
      ),
    },
  });
  const bulk: Field = {
    type: payload,
    description: `\`${single.name}\` for 1 to ${MAX_ITEMS} instances of ${title}, each with an outcome of its own. ${ABOUT}`,
    args: { input: { type: required(input), description: 'The input of the mutation.' } },
    resolve: (_root, { input: given }, context) => runBulk(given, change, context, log),
    ...withCost(costOf(single), single.extensions),
  };
  return [[field, bulk] as const];
}

const capitalize = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1);

const ABOUT =
  'All are checked before the first is sent, and four are sent at a time. It is no transaction: what is done stays done.\n\nOne upstream call per item, and one list call for all whose `instance` is selected and not in the response to its change.';
const RESUME =
  'Identifies this call across retries, for example a UUID. Sent again with the same key while it is kept (ten minutes or more), it makes the changes that are not made yet, and no other. After that, read before you send it again.';

/** Adapts a payload field for one of several items: it is `null` if the item is not done. */
function toNullable({ resolve, ...config }: Field, name: string): Field<ItemResult> {
  return {
    ...config,
    type: getNullableType(config.type),
    description: `${config.description} \`null\` where the item is not done.`,
    resolve: ({ payload }, args, context) =>
      payload &&
      (resolve ? resolve(payload, args, context, undefined as never) : payload[name as never]),
    ...withCost(passThrough),
  };
}

/** Returns the cost of a bulk mutation: one change for each item. */
const costOf =
  (single: Mutation): CostRule =>
  (place, args, dialect) => {
    const { own, below } = single.extensions.cost?.(place, args, dialect) ?? {};
    const items = isJsonObject(args['input']) ? args['input']['items'] : undefined;
    // Without variables the number of items is unknown, so the plan counts the maximum.
    const size = Array.isArray(items) ? items.length : MAX_ITEMS;
    const all = { objects: 1, records: size, forms: 1, size, isFresh: below?.isFresh === true };
    return { ...(own && { own: { ...own, calls: size } }), below: all };
  };
