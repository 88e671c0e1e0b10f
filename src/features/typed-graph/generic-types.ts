import {
  GraphQLBoolean,
  type GraphQLEnumType,
  type GraphQLFieldConfig,
  type GraphQLFieldConfigArgumentMap,
  type GraphQLFieldConfigMap,
  GraphQLFloat,
  type GraphQLInputFieldConfigMap,
  type GraphQLInputObjectType,
  GraphQLInt,
  type GraphQLInterfaceType,
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLScalarType,
  type GraphQLSchema,
  GraphQLString,
  getNamedType,
} from 'graphql';
import type { CostRule } from '../../graphql/admission/cost.ts';
import type { OperationContext } from '../../graphql/context.ts';
import { DateScalar, Decimal, Long } from '../../graphql/scalars.ts';
import type { ChangeMeaning } from '../../graphql/schema-metadata.ts';
import type { Dialect } from '../../upstream/dialect.ts';
import type { InstanceRecord } from '../../upstream/records.ts';
import type { PlainKind } from './typed-form.ts';
import { createReaders, type ReadValueOf } from './values.ts';

/** A change of instances, as the mutations for it begin. */
export type ChangeWord = ChangeMeaning['word'];

/** The mutations of instances. */
export const CHANGES: readonly ChangeWord[] = ['create', 'replace', 'update', 'delete'];

/** The parts of the rest of the graph that typed forms need. */
export interface GenericTypes {
  readonly dialect: Dialect;
  readonly readValueOf: ReadValueOf;
  /** The interfaces of every instance. */
  readonly instance: GraphQLInterfaceType;
  readonly interfaces: readonly GraphQLInterfaceType[];
  /** The type of instances whose forms have none. */
  readonly genericInstance: GraphQLObjectType;
  /** The fields that every instance has. */
  readonly instanceFields: GraphQLFieldConfigMap<InstanceRecord, OperationContext>;
  readonly pageInfo: GraphQLObjectType;
  /** `undefined` where the platform ignores the order. */
  readonly sortDirection: GraphQLEnumType | undefined;
  /** The arguments of every list that say which range of it is meant. */
  readonly pageArgs: GraphQLFieldConfigArgumentMap;
  readonly scalars: Readonly<Record<PlainKind, GraphQLScalarType>>;
  readonly changes: Readonly<Record<ChangeWord, GenericChange>>;
}

/** Takes from a schema what typed forms need. */
export function readGenericTypes(schema: GraphQLSchema, dialect: Dialect): GenericTypes {
  const typeNamed = <T extends GraphQLNamedType>(name: string): T => {
    const type = schema.getType(name);
    if (type === undefined) throw new Error(`The schema has no type ${name}.`);
    return type as T;
  };
  const generic = typeNamed<GraphQLObjectType>('GenericInstance').toConfig();
  const list = schema.getQueryType()?.toConfig().fields['instances']?.args ?? {};
  const { formId: _, where: _where, orderBy: _orderBy, ...pageArgs } = list;
  return {
    dialect,
    readValueOf: createReaders(dialect),
    instance: typeNamed('Instance'),
    interfaces: generic.interfaces,
    genericInstance: typeNamed('GenericInstance'),
    instanceFields: generic.fields,
    pageInfo: typeNamed('PageInfo'),
    sortDirection: dialect.list.isSorted ? typeNamed('SortDirection') : undefined,
    pageArgs,
    scalars: {
      text: GraphQLString,
      int: GraphQLInt,
      long: Long,
      float: GraphQLFloat,
      decimal: Decimal,
      boolean: GraphQLBoolean,
      date: DateScalar,
      datetime: typeNamed('DateTime'),
      json: typeNamed('JSON'),
    },
    changes: {
      create: genericMutation(schema, 'createInstance'),
      replace: genericMutation(schema, 'replaceInstance'),
      update: genericMutation(schema, 'updateInstance'),
      delete: genericMutation(schema, 'deleteInstance'),
    },
  };
}

/** A mutation of the generic graph, of which typed ones are made: they say the same in other words. */
export interface GenericChange {
  /** Runs it, with its input in generic words. */
  readonly run: (input: object, context: OperationContext) => unknown;
  readonly cost: CostRule | undefined;
  readonly input: GraphQLInputFieldConfigMap;
  readonly payload: GraphQLFieldConfigMap<unknown, OperationContext>;
}

/** Takes a mutation from the generic graph. */
export function genericMutation(schema: GraphQLSchema, name: string): GenericChange {
  const field: GraphQLFieldConfig<unknown, OperationContext> | undefined = schema.getMutationType()?.toConfig().fields[
    name
  ];
  const { resolve, args, type, extensions } = field ?? {};
  if (!resolve || !type) throw new Error(`The schema has no mutation ${name}.`);
  const payload = getNamedType(type) as GraphQLObjectType;
  return {
    run: (input, context) => resolve(undefined, { input }, context, undefined as never),
    cost: extensions?.cost,
    input: (getNamedType(args?.['input']?.type) as GraphQLInputObjectType).toConfig().fields,
    payload: payload.toConfig().fields,
  };
}
