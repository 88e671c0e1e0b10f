import {
  type GraphQLField,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isLeafType,
  isListType,
  isObjectType,
  isRequiredInputField,
} from 'graphql';

import type { Fill, Sample } from './sample.ts';

/** The number of fields in a sample: enough to see the kind of form. */
const MAX_LEAVES = 5;
const MAX_REFERENCES = 2;
/** The key for caches, and the id for other operations. */
const IDS = ['id', 'instanceId'];

/**
 * Creates the samples of the typed graph. For each form: a page of its instances, a mutation that
 * creates an instance, and a subscription to its list if the gateway has live queries.
 */
export function typedSamples(schema: GraphQLSchema): readonly Sample[] {
  const lists = listsOf(schema.getQueryType());
  const subscriptions = listsOf(schema.getSubscriptionType()).map(({ field, type }) =>
    liveSample(field, type),
  );
  const queries = lists.map(({ field, type }) => listSample(field, type));
  const mutations = Object.values(schema.getMutationType()?.getFields() ?? {}).flatMap((field) => {
    const type = createdBy(field);
    const values = valuesOf(field);
    return type && values ? [createSample(field, { type, values, lists })] : [];
  });
  return [...queries, ...mutations, ...subscriptions];
}

/** A query field for a page of a form's instances. */
interface List {
  readonly field: Field;
  readonly type: GraphQLObjectType;
}

type Field = GraphQLField<unknown, unknown>;

const listsOf = (root: GraphQLObjectType | null | undefined): readonly List[] =>
  Object.values(root?.getFields() ?? {}).flatMap((field) => {
    const type = instanceIn(field.type);
    return type === undefined ? [] : [{ field, type }];
  });

function listSample(list: Field, type: GraphQLObjectType): Sample {
  const name = capitalize(list.name);
  const query = `query ${name} {
  ${list.name}(${orderOf(list)}first: 5) {
    totalCount
    nodes {
${indent(select(type), 6)}
    }
  }
}
`;
  return { name, operation: titleOf(type), group: 'Typed queries', kind: 'query', query };
}

/**
 * Creates a subscription to a page that is long enough to show an instance created by another
 * sample. It has values only, because each reference would be polled too.
 */
function liveSample(list: Field, type: GraphQLObjectType): Sample {
  const name = `Watch${capitalize(list.name)}`;
  const fields = [...IDS, ...leafNames(type).slice(0, MAX_LEAVES)];
  const query = `subscription ${name} @every(seconds: 10) {
  ${list.name}(${orderOf(list)}first: 20) {
    totalCount
    nodes {
${indent(fields, 6)}
    }
  }
}
`;
  return {
    name,
    operation: titleOf(type),
    group: 'Typed subscriptions',
    kind: 'subscription',
    query,
  };
}

interface Creation {
  readonly type: GraphQLObjectType;
  readonly values: GraphQLInputObjectType;
  readonly lists: readonly List[];
}

function createSample(mutation: Field, { type, values, lists }: Creation): Sample {
  const name = capitalize(mutation.name);
  const fields = Object.values(values.getFields());
  const required = fields.filter(isRequiredInputField);
  const shown = required.length > 0 ? required : fields.slice(0, 1);
  const inputs = shown.map((field) => {
    const target = ownType(type.getFields()[field.name]?.type);
    return { name: field.name, type: field.type, list: lists.find((list) => list.type === target) };
  });
  const references = inputs.flatMap(({ name, type, list }) => (list ? [{ name, type, list }] : []));
  const parameters = references.map(({ name, type }) => `$${name}: ${type}`).join(', ');
  const members = inputs.map(({ name, type, list }) => {
    const value = list ? `$${name}` : exampleOf(type, name);
    return `${name}: ${value}`;
  });
  const result = [...IDS, ...leafNames(type).slice(0, MAX_LEAVES)];
  const query = `mutation ${name}${parameters && `(${parameters})`} {
  ${mutation.name}(
    input: {
      values: {
${indent(members, 8)}
      }
    }
  ) {
    instance {
${indent(result, 6)}
    }
  }
}
`;
  const fill = references.length > 0 ? fillFrom(references) : undefined;
  return {
    name,
    operation: titleOf(type),
    group: 'Typed mutations',
    kind: 'mutation',
    query,
    fill,
  };
}

/** Creates the lookup of the first instances that the new instance can refer to. */
function fillFrom(references: readonly { readonly name: string; readonly list: List }[]): Fill {
  const selections = references.map(
    ({ name, list }) => `  ${name}: ${list.field.name}(first: 1) { nodes { ${name}: instanceId } }`,
  );
  const lists = new Set(references.map(({ list }) => list.field.name));
  return {
    variables: references.map(({ name }) => name),
    note: `Run looks up the first of ${[...lists].join(' and ')}.`,
    sources: [`query FirstInstances {\n${selections.join('\n')}\n}\n`],
  };
}

/** Returns the form's type if the mutation creates its instances, otherwise `undefined`. */
function createdBy({ type }: Field): GraphQLObjectType | undefined {
  const payload = getNamedType(type);
  return isObjectType(payload) ? ownType(payload.getFields()['instance']?.type) : undefined;
}

/**
 * Returns the input type of a new instance's values, or `undefined` for a mutation that changes an
 * instance.
 */
function valuesOf({ args }: Field): GraphQLInputObjectType | undefined {
  const input = getNamedType(args.find(({ name }) => name === 'input')?.type);
  if (!isInputObjectType(input) || 'instanceId' in input.getFields()) return undefined;
  const values = getNamedType(input.getFields()['values']?.type);
  return isInputObjectType(values) ? values : undefined;
}

const EXAMPLES: Readonly<Record<string, string>> = {
  Boolean: 'true',
  Date: '"2026-06-01"',
  DateTime: '"2026-06-01T09:00:00Z"',
  Decimal: '"12.50"',
  Float: '12.5',
  ID: '"1"',
  Int: '1',
  JSON: '{}',
  JSONObject: '{}',
  Long: '1',
};

/** Returns an example value of an input type, in GraphQL syntax. */
function exampleOf(type: GraphQLInputType, name: string): string {
  const nullable = getNullableType(type);
  if (isListType(nullable)) return `[${exampleOf(nullable.ofType, name)}]`;
  if (isEnumType(nullable)) return nullable.getValues()[0]?.name ?? 'null';
  if (/e-?mail/i.test(name)) return '"someone@example.org"';
  return EXAMPLES[getNamedType(nullable).name] ?? '"Example"';
}

/** Returns the title of a form: the beginning of its type's description. */
export const titleOf = ({ name, description }: GraphQLObjectType): string =>
  description?.split(':')[0] ?? name;

/**
 * Returns the type of the instances in one form's connection, or `undefined` for any other type.
 */
function instanceIn(type: GraphQLOutputType): GraphQLObjectType | undefined {
  const connection = getNamedType(type);
  const nodes = isObjectType(connection) ? connection.getFields()['nodes'] : undefined;
  return nodes && ownType(nodes.type);
}

/** Returns the type if it is one form's instance type, otherwise `undefined`. */
function ownType(type: GraphQLOutputType | undefined): GraphQLObjectType | undefined {
  const named = getNamedType(type);
  return isFormType(named) ? named : undefined;
}

/** Returns whether a type is the type of one form's instances. */
export function isFormType(type: GraphQLNamedType | undefined): type is GraphQLObjectType {
  if (!isObjectType(type) || type.name === 'GenericInstance') return false;
  return type.getInterfaces().some(({ name }) => name === 'Instance');
}

/** Returns the fields of a form that not every instance has. */
function ownFields(type: GraphQLObjectType): readonly Field[] {
  const shared = new Set(type.getInterfaces().flatMap((each) => Object.keys(each.getFields())));
  return Object.values(type.getFields()).filter(({ name }) => !shared.has(name));
}

/**
 * Selects the values of an instance and its references. References cost one call for each form,
 * however long the page is. If a form has no references, the sample selects the instances that
 * refer to it: a list, so one call for each instance.
 */
function select(type: GraphQLObjectType): readonly string[] {
  const fields = ownFields(type);
  const references = fields
    .filter(({ type }) => ownType(type) !== undefined)
    .slice(0, MAX_REFERENCES);
  const referring = fields.filter(({ type }) => instanceIn(type) !== undefined).slice(0, 1);
  return [
    ...IDS,
    ...leafNames(type).slice(0, MAX_LEAVES),
    ...(references.length > 0 ? references.map(selectReference) : referring.map(selectReferring)),
  ];
}

const selectReference = ({ name, type }: Field): string => `${name} { ${namesOf(ownType(type))} }`;

const selectReferring = ({ name, type }: Field): string =>
  `${name}(first: 2) { totalCount nodes { ${namesOf(instanceIn(type))} } }`;

/** Selects two fields that identify an instance. */
const namesOf = (type: GraphQLObjectType | undefined): string =>
  ['id', ...(type ? leafNames(type) : [])].slice(0, 3).join(' ');

/**
 * Returns the fields with values: first the fields that identify an instance to a person, then its
 * state.
 */
const leafNames = (type: GraphQLObjectType): readonly string[] =>
  ownFields(type)
    .filter(({ type }) => isLeafType(getNamedType(type)))
    .map(({ name }) => name)
    .toSorted((one, other) => rankOf(one) - rankOf(other));

function rankOf(name: string): number {
  const rank = TELLING.findIndex((pattern) => pattern.test(name));
  return rank === -1 ? TELLING.length : rank;
}

const TELLING = [/^(name|title|label|description|number)$/i, /^(status|state)$/i];

/** Returns the argument that orders by the first field besides the id. */
function orderOf({ args }: Field): string {
  const order = getNamedType(args.find(({ name }) => name === 'orderBy')?.type);
  const fields = isInputObjectType(order) ? getNamedType(order.getFields()['field']?.type) : null;
  const first = isEnumType(fields) ? (fields.getValues()[1] ?? fields.getValues()[0]) : undefined;
  return first ? `orderBy: [{ field: ${first.name}, direction: ASC }], ` : '';
}

const capitalize = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1);

const indent = (lines: readonly string[], spaces: number): string =>
  lines.map((line) => ' '.repeat(spaces) + line).join('\n');
