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
import { type CostRule, passThrough, perRow, recordCalls } from '../../graphql/admission/cost.ts';
import type { OperationContext } from '../../graphql/context.ts';
import { withRootFields } from '../../graphql/schema.ts';
import { type FormMeaning, withConstraint, withCost } from '../../graphql/schema-metadata.ts';
import { INSTANCES } from '../../upstream/resources/instances.ts';
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

/** The types that all bulk mutations share. */
interface SharedTypes {
  readonly log: Log;
  /** The forms with types, by id. */
  readonly forms: ReadonlyMap<string, FormMeaning>;
  /** Returns a suffix of underscores, as short as possible, with which no name is in use yet. */
  endOf(...names: readonly string[]): string;
  readonly status: GraphQLEnumType;
  readonly onError: GraphQLEnumType;
  readonly error: GraphQLObjectType;
}

/** Creates the shared types, and collects the names in use. */
function readSharedTypes(
  schema: GraphQLSchema,
  mutations: readonly Mutation[],
  log: Log,
): SharedTypes {
  const types = Object.values(schema.getTypeMap());
  const forms = types.flatMap((type) =>
    isObjectType(type) && type.extensions.form ? [type.extensions.form] : [],
  );
  const taken = new Set([
    ...types.map(({ name }) => name),
    ...mutations.map(({ name }) => `Mutation.${name}`),
  ]);
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
      ...shared('BulkStatus', 'The outcome of an item of a bulk write.'),
      values: {
        DONE: { description: 'The platform has made the change.' },
        FAILED: { description: 'The item does not fit, or the platform refused it: see `error`.' },
        UNKNOWN: {
          description:
            'The item was sent, but its response was lost or does not confirm it. Read the instance before you send it again.',
        },
        NOT_SENT: {
          description: 'The item has no effect. Repeat the call with the same key to send it.',
        },
      },
    }),
    onError: new GraphQLEnumType({
      ...shared('BulkOnError', ON_ERROR),
      values: {
        CONTINUE: { description: 'Sends the other items.' },
        STOP: {
          description: 'Sends no further item. If an item is invalid, nothing is sent.',
        },
      },
    }),
    error: new GraphQLObjectType({
      ...shared('BulkError', 'The error of an item of a bulk write.'),
      fields: {
        code: { type: required(GraphQLString), description: 'As in `errors[].extensions.code`.' },
        message: {
          type: required(GraphQLString),
          description: 'A message for people, which may change.',
        },
        violations: {
          type: listOf(schema.getType('JSONObject') as typeof GraphQLString),
          description: VIOLATIONS,
        },
        retryable: {
          type: required(GraphQLBoolean),
          description: 'Whether the item may succeed when it is sent again.',
        },
        retryAfterMs: {
          type: GraphQLInt,
          description:
            'The time to wait before sending the item again, in milliseconds. `null` if unknown.',
        },
        current: {
          type: schema.getType('Instance') as GraphQLObjectType,
          description: 'Of a `CONFLICT`: the instance as it is now.',
          ...withCost(passThrough),
        },
      },
    }),
  };
}

type Mutation = GraphQLField<unknown, OperationContext>;
type Field<Source = unknown> = GraphQLFieldConfig<Source, OperationContext>;

const ON_ERROR = 'The effect of a failed item on the others.';
const VIOLATIONS =
  'As in `errors[].extensions.violations`, with paths from the item on: `["values", "amount"]`.';
const required = <T extends GraphQLNullableType>(type: T) => new GraphQLNonNull(type);
const listOf = <T extends GraphQLNullableType>(type: T) =>
  required(new GraphQLList(required(type)));

/**
 * Returns the name and config of the bulk mutation for a mutation. Returns an empty list if its
 * items would have no fields, since GraphQL has no empty types.
 */
function createBulk(single: Mutation, { log, forms, endOf, ...types }: SharedTypes) {
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
  const plural = change.verb + capitalize(many);
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
    ...named('Result', 'The outcome of one item of'),
    fields: {
      status: { type: required(types.status), description: 'The outcome.' },
      ...Object.fromEntries(outputs.map(([name, output]) => [name, toNullable(output, name)])),
      error: { type: types.error, description: 'The error; `null` for `DONE`.' },
    },
  });
  const count = (status: string) => ({
    type: required(GraphQLInt),
    description: `The number of items with the status \`${status}\`.`,
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
  'All items are checked before the first one is sent. Four are sent at a time. It is not a transaction: a finished change stays.\n\nOne upstream call per item, and one list call for all selected instances that the responses do not contain.';
const RESUME =
  'Identifies this call across retries, for example a UUID. A repeat with the same key makes only the missing changes, while the key is kept (ten minutes or more). After that, read before you send it again.';

/** Adapts a payload field for one of several items: it is `null` if the item is not done. */
function toNullable({ resolve, ...config }: Field, name: string): Field<ItemResult> {
  return {
    ...config,
    type: getNullableType(config.type),
    description: `${config.description} \`null\` if the item is not \`DONE\`.`,
    resolve: ({ payload }, args, context) =>
      payload &&
      (resolve ? resolve(payload, args, context, undefined as never) : payload[name as never]),
    ...withCost(passThrough),
  };
}

const isExpecting = (item: unknown): boolean => isJsonObject(item) && item['expected'] != null;

/** The cost of one change for each item. The instances of which values are expected are read together. */
const costOf =
  (single: Mutation): CostRule =>
  (place, args, dialect) => {
    const unknown = { input: { expected: {} } };
    const {
      checks: check,
      own,
      children,
    } = single.extensions.cost?.(place, unknown, dialect) ?? {};
    const items = isJsonObject(args['input']) ? args['input']['items'] : undefined;
    // Without variables the number of items is unknown, so the plan counts the maximum.
    const size = Array.isArray(items) ? items.length : MAX_ITEMS;
    const all = { objects: 1, records: size, forms: 1, size, isFresh: children?.isFresh === true };
    const records = Array.isArray(items) ? items.filter(isExpecting).length : MAX_ITEMS;
    const checks = check && recordCalls(INSTANCES, { ...all, records }, dialect);
    return {
      ...(checks && { checks }),
      ...(own && { own: { ...own, calls: size } }),
      children: all,
    };
  };
