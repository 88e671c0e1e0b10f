import {
  GraphQLBoolean,
  GraphQLEnumType,
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
import type { OperationContext } from '../../graphql/context.ts';
import { type CallGroup, type CostRule, recordCalls, rows, same, withCost } from '../../graphql/cost-rules.ts';
import type { ChangeMeaning, ChangeWord, FormMeaning } from '../../graphql/meanings.ts';
import { withRootFields } from '../../graphql/schema.ts';
import { countResults, type ItemResult, MAX_ITEMS, runBulk } from './run.ts';

/** Adds a bulk write for each mutation of one instance. */
export function addBulkWrites(schema: GraphQLSchema, log: Log): GraphQLSchema {
  const fields = schema.getMutationType()?.toConfig().fields ?? {};
  const basis = readBasis(schema, Object.keys(fields), log);
  const plurals = Object.values(fields).flatMap((single: Field) => {
    const change = single.extensions?.change;
    return change ? createBulk(single, change, basis) : [];
  });
  return plurals.length === 0 ? schema : withRootFields(schema, 'mutation', Object.fromEntries(plurals));
}

type Field = GraphQLFieldConfig<unknown, OperationContext>;

/** What all bulk writes share. */
function readBasis(schema: GraphQLSchema, mutations: readonly string[], log: Log) {
  const types = Object.values(schema.getTypeMap());
  const forms = new Map<string, FormMeaning>();
  for (const type of types) {
    if (isObjectType(type) && type.extensions.form) forms.set(type.extensions.form.formId, type.extensions.form);
  }
  const endOf = createNaming([...types.map(({ name }) => name), ...mutations.map((name) => `Mutation.${name}`)]);
  const shared = (name: string, description: string) => ({ name: name + endOf(name), description });
  return {
    log,
    forms,
    endOf,
    status: new GraphQLEnumType({
      ...shared('BulkStatus', 'What became of an item of a bulk write.'),
      values: {
        DONE: { description: 'The platform has made the change.' },
        FAILED: { description: 'The item does not fit, or the platform refused it: see `error`.' },
        UNKNOWN: { description: 'It was sent and its answer was lost: read the instance before you send it again.' },
        NOT_SENT: { description: 'It has no effect. The same call with the same key sends what is left.' },
      },
    }),
    onError: new GraphQLEnumType({
      ...shared('BulkOnError', 'What a failed item means for the others.'),
      values: {
        CONTINUE: { description: 'Nothing: each is sent.' },
        STOP: { description: 'What is not sent yet stays so. Where an item does not fit, nothing is sent at all.' },
      },
    }),
    error: new GraphQLObjectType({
      ...shared('BulkError', 'Why an item of a bulk write is not done.'),
      fields: {
        code: { type: required(GraphQLString), description: 'As in `errors[].extensions.code`.' },
        message: { type: required(GraphQLString), description: 'For people.' },
        violations: { type: listOf(schema.getType('JSONObject') as typeof GraphQLString), description: VIOLATIONS },
        retryable: {
          type: required(GraphQLBoolean),
          description: 'Whether the item may succeed when it is sent again.',
        },
        retryAfterMs: { type: GraphQLInt, description: 'Send it again after so many milliseconds; `null`: not known.' },
      },
    }),
  };
}

const VIOLATIONS =
  'Each with `path` from the item on, such as `["values", "amount"]`, `constraint`, `limit` and `message`.';
const required = <T extends GraphQLNullableType>(type: T) => new GraphQLNonNull(type);
const listOf = <T extends GraphQLNullableType>(type: T) => required(new GraphQLList(required(type)));

/** Makes what gives names their end: underscores where somebody has one of them. By names alone, so that replicas agree. */
function createNaming(names: readonly string[]) {
  const taken = new Set(names);
  return (...claims: readonly string[]): string => {
    let end = '';
    while (claims.some((name) => taken.has(name + end))) end += '_';
    for (const name of claims) taken.add(name + end);
    return end;
  };
}

/** Makes the bulk write of a mutation; none where an item would have no fields, since no type can be without any. */
function createBulk(single: Field, change: ChangeMeaning, { forms, endOf, ...basis }: ReturnType<typeof readBasis>) {
  const singleInput = getNamedType(single.args?.['input']?.type);
  const singlePayload = getNullableType(single.type);
  if (!isInputObjectType(singleInput) || !isObjectType(singlePayload)) return [];
  const { idempotencyKey: _, formId, ...itemFields } = singleInput.toConfig().fields;
  if (Object.keys(itemFields).length === 0) return [];

  const [does, source] = WORDS[change.word];
  const isRead = change.word === 'replace' || change.word === 'update';
  const { many, title } = forms.get(change.formId ?? '') ?? { many: 'instances', title: 'one form' };
  const plain = change.word + capitalize(many);
  const parts = { input: 'Input', item: 'Item', payload: 'Payload', result: 'Result' };
  const end = endOf(`Mutation.${plain}`, ...Object.values(parts).map((part) => capitalize(plain) + part));
  const field = plain + end;
  const part = (name: keyof typeof parts, description: string) => ({
    name: capitalize(plain) + parts[name] + end,
    description: `${description} \`${field}\`.`,
  });

  const item = new GraphQLInputObjectType({ ...part('item', 'One item of'), fields: itemFields });
  const input = new GraphQLInputObjectType({
    ...part('input', 'Input of'),
    fields: {
      ...(formId && { formId }),
      items: { type: listOf(item), description: `1 to ${MAX_ITEMS}.` },
      onError: {
        type: required(basis.onError),
        defaultValue: 'CONTINUE',
        description: 'What a failed item means for others.',
      },
      idempotencyKey: { type: GraphQLID, description: RESUME },
    },
  });
  const result = new GraphQLObjectType<ItemResult, OperationContext>({
    ...part('result', 'What became of one item of'),
    fields: {
      status: { type: required(basis.status), description: 'What became of it.' },
      ...toNullable(singlePayload, withCost(isRead ? readBack : same)),
      error: { type: basis.error, description: 'Why it is not done; `null` where it is.' },
    },
  });
  const count = (name: keyof ReturnType<typeof countResults>, status: string) => ({
    type: required(GraphQLInt),
    description: `How many items are \`${status}\`.`,
    resolve: (results: readonly ItemResult[]) => countResults(results)[name],
  });
  const payload = new GraphQLObjectType<readonly ItemResult[], OperationContext>({
    ...part('payload', 'Payload of'),
    fields: {
      results: {
        type: listOf(result),
        description: 'What became of each item, in the order of the items.',
        resolve: (results) => results,
        ...withCost(rows),
      },
      done: count('done', 'DONE'),
      failed: count('failed', 'FAILED'),
      unknown: count('unknown', 'UNKNOWN'),
      notSent: count('notSent', 'NOT_SENT'),
    },
  });
  const bulk: Field = {
    type: payload,
    description: `${does} of ${title}, 1 to ${MAX_ITEMS} in a call, each with an outcome of its own. ${ABOUT}\n\nSource: \`${source}\` (sic). One upstream call per item${change.word === 'delete' ? '' : READS}.`,
    args: { input: { type: required(input), description: 'The input of the mutation.' } },
    resolve: (_root, { input: given }, context) => runBulk(given, change, context, basis.log),
    ...withCost(costOf(change.word, source)),
  };
  return [[field, bulk] as const];
}

const capitalize = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1);

const ABOUT =
  'All are checked before the first is sent, and four are sent at a time. It is no transaction: what is done stays done.';
const RESUME =
  'Identifies this call across retries, for example a UUID. Sent again with the same key within ten minutes, it makes the changes that are not made yet, and no other. After that, read before you send it again.';

/** The fields of a payload for one item of many, which may not be done. */
function toNullable(payload: GraphQLObjectType, cost: ReturnType<typeof withCost>) {
  const fields = Object.entries(payload.toConfig().fields).map(([name, { resolve, ...config }]) => {
    const nullable: GraphQLFieldConfig<ItemResult, OperationContext> = {
      ...config,
      type: getNullableType(config.type),
      description: `${config.description} \`null\` where the item is not done.`,
      resolve: ({ payload: source }, args, context) =>
        source && (resolve ? resolve(source, args, context, undefined as never) : source[name as never]),
      ...cost,
    };
    return [name, nullable] as const;
  });
  return Object.fromEntries(fields);
}

const READS = ', and one list call for all whose `instance` is selected and not in the response to its change';

/** What each does, and the operation that it makes of each item. */
const WORDS: Readonly<Record<ChangeWord, readonly [does: string, source: CallGroup['operation']]>> = {
  create: ['Creates instances', 'createFormIntance'],
  replace: ['Replaces the values of instances', 'updateFormIntance'],
  update: ['Changes the named values of instances', 'updateValuesOfFormIntance'],
  delete: ['Deletes instances', 'deleteFormIntance'],
};

/** One call for each item. What is done already, by its key, is not done again. */
const costOf =
  (word: ChangeWord, operation: CallGroup['operation']): CostRule =>
  (_place, { input }) => {
    const { items, idempotencyKey } = isJsonObject(input) ? input : {};
    const size = Array.isArray(items) ? items.length : 0;
    const certain = Array.from({ length: idempotencyKey == null ? size : 0 }, (_, index) => `${operation} ${index}`);
    const below = { objects: 1, records: size, forms: 1, size, isFresh: word === 'create' };
    return { own: { operation, calls: size, certain }, below };
  };

/** The instances that were changed, read together, since their changes are answered without them. */
const readBack: CostRule = (place, _args, { dialect }) => ({ own: recordCalls(place, dialect), below: place });
