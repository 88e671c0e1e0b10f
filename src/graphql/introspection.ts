import {
  buildSchema,
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLNamedType,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  type GraphQLType,
  isAbstractType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
  isWrappingType,
  SchemaMetaFieldDef,
  TypeMetaFieldDef,
} from 'graphql';

import { oncePer } from '../core/once-per.ts';

/** Returns the schema that the caller may see. `undefined` if the caller sees an empty schema. */
export type VisibleTo = (context: unknown) => GraphQLSchema | undefined;

type Field = GraphQLField<unknown, unknown>;

const META_FIELDS: readonly Field[] = [SchemaMetaFieldDef, TypeMetaFieldDef];

/**
 * The schema for callers without access to ours. An error would not be a valid response to a valid
 * query.
 */
const EMPTY_SCHEMA = buildSchema('type Query { _: Boolean }');

/**
 * Returns `__schema` or `__type` with a resolver for the caller's visible schema. `undefined` for
 * other names. A caller without access gets an empty `__schema`, and `null` for each `__type`.
 */
export function introspectionField(name: string, visibleTo: VisibleTo): Field | undefined {
  const field = META_FIELDS.find((known) => known.name === name);
  if (field === undefined) return undefined;
  const resolve: Field['resolve'] = (source, args, context) => {
    const visible = visibleTo(context);
    if (visible === undefined) return field === SchemaMetaFieldDef ? EMPTY_SCHEMA : null;
    // Introspection reads no other member of `info`.
    return field.resolve?.(source, args, context, { schema: visible } as GraphQLResolveInfo);
  };
  return { ...field, resolve };
}

/** Tools add options to the standard query, and further levels of `ofType`. */
const TIMES_THE_STANDARD_QUERY = 2;

/** Returns the highest number of response fields below `__schema` and `__type`. */
export const maxSchemaFields = (visible: GraphQLSchema = EMPTY_SCHEMA): number =>
  TIMES_THE_STANDARD_QUERY * countSchemaFields(visible);

/** Counts the response fields of graphql-js's `getIntrospectionQuery()`. */
const countSchemaFields = oncePer((schema: GraphQLSchema) => {
  const roots = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()];
  let count = 5 + 2 * roots.filter(Boolean).length;
  for (const { args } of schema.getDirectives()) count += 4 + countInputs(args);
  for (const type of Object.values(schema.getTypeMap())) count += 8 + countMembers(type, schema);
  return count;
});

function countMembers(type: GraphQLNamedType, schema: GraphQLSchema): number {
  if (isInputObjectType(type)) return countInputs(Object.values(type.getFields()));
  if (isEnumType(type)) return 4 * type.getValues().length;
  let count = 0;
  if (isAbstractType(type)) count += 3 * schema.getPossibleTypes(type).length;
  if (!isObjectType(type) && !isInterfaceType(type)) return count;
  count += 3 * type.getInterfaces().length;
  for (const { type: fieldType, args } of Object.values(type.getFields())) {
    count += 6 + countLevels(fieldType) + countInputs(args);
  }
  return count;
}

function countInputs(inputs: readonly (GraphQLArgument | GraphQLInputField)[]): number {
  let count = 0;
  for (const { type } of inputs) count += 4 + countLevels(type);
  return count;
}

/** Each level of a type has `kind`, `name` and `ofType`. */
const countLevels = (type: GraphQLType): number =>
  3 + (isWrappingType(type) ? countLevels(type.ofType) : 0);
