import {
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNamedType,
  isInputObjectType,
  isInterfaceType,
  isLeafType,
  isObjectType,
} from 'graphql';

import type { Sample } from './sample.ts';

/** How much of a form a sample shows: enough to see what it is like. */
const FIELDS_MAX = 7;

/** One sample for each form that has a type of its own: a page of its instances, whatever the platform's forms are. */
export function samplesOf(schema: GraphQLSchema): readonly Sample[] {
  return Object.values(schema.getQueryType()?.getFields() ?? {}).flatMap((field) => {
    const type = instanceIn(field.type);
    return type === undefined ? [] : [sampleOf(field, type)];
  });
}

function sampleOf(list: GraphQLField<unknown, unknown>, type: GraphQLObjectType): Sample {
  const name = `${list.name.charAt(0).toUpperCase()}${list.name.slice(1)}`;
  const query = `query ${name} {\n  ${list.name}(${orderOf(list)}first: 5) {\n    totalCount\n    nodes {\n${select(type)}    }\n  }\n}\n`;
  return {
    name,
    operation: titleOf(type),
    group: 'Forms, typed',
    kind: 'query',
    query,
  };
}

/** What people call a form: its description begins with that. */
const titleOf = ({ name, description }: GraphQLObjectType): string => description?.split(':')[0] ?? name;

/** The type of the instances in a connection of one form; `undefined` for any other type. */
function instanceIn(type: GraphQLOutputType): GraphQLObjectType | undefined {
  const connection = getNamedType(type);
  const nodes = isObjectType(connection) ? connection.getFields()['nodes'] : undefined;
  return nodes && ownType(nodes.type);
}

/** The type of a form's instances; `undefined` for all that is no form's own. */
function ownType(type: GraphQLOutputType): GraphQLObjectType | undefined {
  const named = getNamedType(type);
  const isForm = isObjectType(named) && named.getInterfaces().some(({ name }) => name === 'Instance');
  return isForm && named.name !== 'GenericInstance' ? named : undefined;
}

/** The fields that a form has beyond what every instance has. */
function ownFields(type: GraphQLObjectType): GraphQLField<unknown, unknown>[] {
  const shared = new Set(
    type.getInterfaces().flatMap((one) => (isInterfaceType(one) ? Object.keys(one.getFields()) : [])),
  );
  return Object.values(type.getFields()).filter(({ name }) => !shared.has(name));
}

function select(type: GraphQLObjectType): string {
  const fields = ownFields(type);
  const shown = fields.filter(({ type }) => instanceIn(type) === undefined).slice(0, FIELDS_MAX);
  const [back] = fields.filter(({ type }) => instanceIn(type) !== undefined);
  const lines = ['instanceId', ...shown.map(selectOne), ...(back ? [selectBack(back)] : [])];
  return lines.map((line) => `      ${line}\n`).join('');
}

function selectOne({ name, type }: GraphQLField<unknown, unknown>): string {
  if (isLeafType(getNamedType(type))) return name;
  return `${name} { ${namesOf(ownType(type))} }`;
}

/** What refers to an instance: a list of its own, so few of it. */
const selectBack = ({ name, type }: GraphQLField<unknown, unknown>): string =>
  `${name}(first: 2) { totalCount nodes { ${namesOf(instanceIn(type))} } }`;

/** Two fields to know an instance by. */
const namesOf = (type: GraphQLObjectType | undefined): string =>
  [
    'instanceId',
    ...(type ? ownFields(type) : []).filter(({ type }) => isLeafType(getNamedType(type))).map(({ name }) => name),
  ]
    .slice(0, 3)
    .join(' ');

/** The argument that orders by the first field that can be ordered by. */
function orderOf({ args }: GraphQLField<unknown, unknown>): string {
  const order = getNamedType(args.find(({ name }) => name === 'orderBy')?.type);
  const [first] = isInputObjectType(order) ? Object.keys(order.getFields()) : [];
  return first === undefined ? '' : `orderBy: [{ ${first}: ASC }], `;
}
