import {
  type GraphQLFieldConfig,
  type GraphQLFieldConfigArgumentMap,
  type GraphQLFieldConfigMap,
  type GraphQLInputObjectType,
  type GraphQLInterfaceType,
  GraphQLList,
  type GraphQLNamedType,
  GraphQLNonNull,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNamedType,
  isListType,
  isNonNullType,
} from 'graphql';
import type { OperationContext } from '../../graphql/context.ts';
import type { RootMeaning } from '../../graphql/schema-metadata.ts';
import type { Dialect } from '../../upstream/dialect.ts';
import type { InstanceRecord } from '../../upstream/records.ts';
import { createFieldTypes } from './field-types.ts';

/** The parts of the generic graph that typed forms use. */
export type GenericTypes = ReturnType<typeof readGenericTypes>;

/**
 * Reads from a schema the parts that typed forms use.
 *
 * @throws {Error} if a type or mutation is missing.
 */
export function readGenericTypes(schema: GraphQLSchema, dialect: Dialect) {
  const typeNamed = <T extends GraphQLNamedType>(name: string): T => {
    const type = schema.getType(name);
    if (type === undefined) throw new Error(`The schema has no type ${name}.`);
    return type as T;
  };
  const generic = typeNamed<GraphQLObjectType>('GenericInstance').toConfig();
  const fieldsOf = (name: string) =>
    typeNamed<GraphQLObjectType>(name).toConfig().fields as GraphQLFieldConfigMap<
      unknown,
      OperationContext
    >;
  const { instance: one, instances: many } = schema.getQueryType()?.toConfig().fields ?? {};
  const typeNames = new Map<string, string>();
  return {
    dialect,
    /** The names of the types of forms, by form id, once they are known. */
    typeNames,
    types: createFieldTypes(schema, dialect, typeNames),
    /** The interface of all instances, and the interfaces that their types implement. */
    instance: typeNamed<GraphQLInterfaceType>('Instance'),
    interfaces: generic.interfaces,
    /** The type of instances whose forms have no types of their own. */
    genericInstance: typeNamed<GraphQLObjectType>('GenericInstance'),
    /** The fields that every instance has. */
    instanceFields: generic.fields as GraphQLFieldConfigMap<InstanceRecord, OperationContext>,
    /** The fields of connections and edges of instances. */
    connectionFields: fieldsOf('InstanceConnection'),
    edgeFields: fieldsOf('InstanceEdge'),
    /** The fields of a sort key. `undefined` where the platform ignores the order. */
    order: dialect.list.isSorted
      ? typeNamed<GraphQLInputObjectType>('OrderInput').toConfig().fields
      : undefined,
    /** The root fields that read one instance, and a list of instances. */
    one: { description: one?.description ?? '', args: withoutFormId(one?.args) },
    many: { description: many?.description ?? '', args: withoutFormId(many?.args) },
    changes: {
      create: genericMutation(schema, 'createInstance'),
      replace: genericMutation(schema, 'replaceInstance'),
      update: genericMutation(schema, 'updateInstance'),
      delete: genericMutation(schema, 'deleteInstance'),
    },
  };
}

/** A field of `Query` or `Mutation`, with its name. */
export type RootField = readonly [
  name: string,
  field: GraphQLFieldConfig<unknown, OperationContext>,
];

const withoutFormId = ({ formId: _, ...args }: GraphQLFieldConfigArgumentMap = {}) => args;

export type GenericChange = ReturnType<typeof genericMutation>;

/**
 * Returns the parts of a generic mutation. Typed mutations are derived from it.
 *
 * @throws {Error} if the schema has no such mutation.
 */
export function genericMutation(schema: GraphQLSchema, name: string) {
  const field: GraphQLFieldConfig<unknown, OperationContext> | undefined = schema
    .getMutationType()
    ?.toConfig().fields[name];
  const { resolve, args, type, extensions, description } = field ?? {};
  if (!resolve || !type) throw new Error(`The schema has no mutation ${name}.`);
  const payload = getNamedType(type) as GraphQLObjectType;
  return {
    /** Runs the mutation with generic input. */
    run: (input: object, context: OperationContext, readPayload?: unknown): unknown =>
      resolve(undefined, { input }, context, readPayload as never),
    description: description ?? '',
    meaning: { ...extensions } as Partial<RootMeaning>,
    input: (getNamedType(args?.['input']?.type) as GraphQLInputObjectType).toConfig().fields,
    payload: payload.toConfig().fields as GraphQLFieldConfigMap<unknown, OperationContext>,
  };
}

/**
 * Returns the fields with their types replaced. `types` has the replacements by the name of the
 * generic type.
 */
export function withTypes(
  fields: GraphQLFieldConfigMap<unknown, OperationContext>,
  types: Readonly<Record<string, GraphQLObjectType>>,
): GraphQLFieldConfigMap<unknown, OperationContext> {
  const replace = (type: GraphQLOutputType): GraphQLOutputType => {
    if (isNonNullType(type)) return new GraphQLNonNull(replace(type.ofType));
    if (isListType(type)) return new GraphQLList(replace(type.ofType));
    return types[type.name] ?? type;
  };
  return Object.fromEntries(
    Object.entries(fields).map(([name, field]) => [name, { ...field, type: replace(field.type) }]),
  );
}
