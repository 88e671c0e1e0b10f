import {
  type GraphQLFieldConfig,
  type GraphQLFieldConfigArgumentMap,
  type GraphQLFieldConfigMap,
  type GraphQLInputFieldConfigMap,
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
import { createFieldTypes, type FieldTypes } from './field-types.ts';
import type { ChangeVerb } from './names.ts';

type Fields<Source = unknown> = GraphQLFieldConfigMap<Source, OperationContext>;

/** The parts of the generic graph that typed forms use. */
export interface GenericTypes {
  readonly dialect: Dialect;
  /** The names of the types of forms, by form id, once they are known. */
  readonly typeNames: Map<string, string>;
  readonly types: FieldTypes;
  /** The interface of all instances. */
  readonly instance: GraphQLInterfaceType;
  /** The interfaces that the types of instances implement. */
  readonly interfaces: readonly GraphQLInterfaceType[];
  /** The type of instances whose forms have no types of their own. */
  readonly genericInstance: GraphQLObjectType;
  /** The fields that every instance has. */
  readonly instanceFields: Fields<InstanceRecord>;
  /** The fields of a connection of instances. */
  readonly connectionFields: Fields;
  /** The fields of an edge of instances. */
  readonly edgeFields: Fields;
  /** The fields of a sort key. `undefined` where the platform ignores the order. */
  readonly order: GraphQLInputFieldConfigMap | undefined;
  /** The root field that reads one instance. */
  readonly one: GenericRead;
  /** The root field that reads a list of instances. */
  readonly many: GenericRead;
  readonly changes: Readonly<Record<ChangeVerb, GenericChange>>;
}

/** A root field that reads instances, without its argument `formId`. */
interface GenericRead {
  readonly description: string;
  readonly args: GraphQLFieldConfigArgumentMap;
}

/**
 * Reads from a schema the parts that typed forms use.
 *
 * @throws {Error} if a type or mutation is missing.
 */
export function readGenericTypes(schema: GraphQLSchema, dialect: Dialect): GenericTypes {
  const typeNamed = <T extends GraphQLNamedType>(name: string): T => {
    const type = schema.getType(name);
    if (type === undefined) throw new Error(`The schema has no type ${name}.`);
    return type as T;
  };
  const generic = typeNamed<GraphQLObjectType>('GenericInstance').toConfig();
  const fieldsOf = (name: string): Fields => typeNamed<GraphQLObjectType>(name).toConfig().fields;
  const { instance: one, instances: many } = schema.getQueryType()?.toConfig().fields ?? {};
  const typeNames = new Map<string, string>();
  return {
    dialect,
    typeNames,
    types: createFieldTypes(schema, dialect, typeNames),
    instance: typeNamed('Instance'),
    interfaces: generic.interfaces,
    genericInstance: typeNamed('GenericInstance'),
    instanceFields: generic.fields,
    connectionFields: fieldsOf('InstanceConnection'),
    edgeFields: fieldsOf('InstanceEdge'),
    order: dialect.list.isSorted
      ? typeNamed<GraphQLInputObjectType>('OrderInput').toConfig().fields
      : undefined,
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

/** A generic mutation, from which typed mutations are derived. */
export interface GenericChange {
  /** Runs the mutation with generic input. */
  run(input: object, context: OperationContext, readPayload?: unknown): unknown;
  readonly description: string;
  readonly meaning: Partial<RootMeaning>;
  /** The fields of its input. */
  readonly input: GraphQLInputFieldConfigMap;
  /** The fields of its payload. */
  readonly payload: Fields;
}

/** @throws {Error} if the schema has no such mutation. */
export function genericMutation(schema: GraphQLSchema, name: string): GenericChange {
  const field: GraphQLFieldConfig<unknown, OperationContext> | undefined = schema
    .getMutationType()
    ?.toConfig().fields[name];
  const { resolve, args, type, extensions, description } = field ?? {};
  if (!resolve || !type) throw new Error(`The schema has no mutation ${name}.`);
  const payload = getNamedType(type) as GraphQLObjectType;
  return {
    run: (input, context, readPayload) =>
      resolve(undefined, { input }, context, readPayload as never),
    description: description ?? '',
    meaning: { ...extensions },
    input: (getNamedType(args?.['input']?.type) as GraphQLInputObjectType).toConfig().fields,
    payload: payload.toConfig().fields,
  };
}

/**
 * Returns the fields with their types replaced. `types` has the replacements by the name of the
 * generic type.
 */
export function withTypes(
  fields: Fields,
  types: Readonly<Record<string, GraphQLObjectType>>,
): Fields {
  const replace = (type: GraphQLOutputType): GraphQLOutputType => {
    if (isNonNullType(type)) return new GraphQLNonNull(replace(type.ofType));
    if (isListType(type)) return new GraphQLList(replace(type.ofType));
    return types[type.name] ?? type;
  };
  return Object.fromEntries(
    Object.entries(fields).map(([name, field]) => [name, { ...field, type: replace(field.type) }]),
  );
}
