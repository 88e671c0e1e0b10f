import { boolean, double, type GeneratorValue, integer, nat } from 'fast-check';
import {
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLInputType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNamedType,
  isCompositeType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isObjectType,
} from 'graphql';

/** A query with its variables. */
export interface RandomQuery {
  readonly query: string;
  readonly variables: Readonly<Record<string, unknown>>;
}

const DEPTH = 4;
/** Asked elsewhere, and of no form. */
const LEFT_OUT = ['rule', 'viewer'];
const DAYS = ['2026-01-31', '2024-02-29'];

/** One of some values. */
export const oneOf = <T>(gen: GeneratorValue, ...options: readonly T[]): T =>
  options[gen(nat, options.length - 1)] as T;

/** Makes a valid query of a schema: any of its fields at any depth, with any arguments, as variables. */
export function makeQuery(schema: GraphQLSchema, gen: GeneratorValue): RandomQuery {
  const variables: Record<string, unknown> = {};
  const definitions: string[] = [];
  let names = 0;

  const toArgument = ({ name, type }: GraphQLArgument): string[] => {
    if (!isNonNullType(type) && gen(boolean)) return [];
    const variable = `v${names++}`;
    variables[variable] = toValue(type, gen);
    definitions.push(`$${variable}: ${type}`);
    return [`${name}: $${variable}`];
  };
  const toField = ({ name, args, type }: GraphQLField<unknown, unknown>, depth: number): string => {
    const given = args.flatMap(toArgument);
    return `f${names++}: ${name}${given.length > 0 ? `(${given.join(', ')})` : ''} ${toSelections(type, depth)}`;
  };
  const toSelections = (type: GraphQLOutputType, depth: number): string => {
    const inner = getNamedType(type);
    if (!isCompositeType(inner)) return '';
    const types = isObjectType(inner) ? [inner] : schema.getPossibleTypes(inner);
    const some = Array.from({ length: gen(integer, { min: 1, max: 2 }) }, () => oneOf(gen, ...types));
    const parts = some.map((one) => `... on ${one.name} ${toSet(one, depth - 1)}`);
    return `{ __typename ${parts.join(' ')} }`;
  };
  const toSet = (type: GraphQLObjectType, depth: number): string => {
    const all = Object.values(type.getFields()).filter(({ name }) => !LEFT_OUT.includes(name));
    const fields = depth > 0 ? all : all.filter((field) => !isCompositeType(getNamedType(field.type)));
    if (fields.length === 0) return '{ __typename }';
    const some = Array.from({ length: gen(integer, { min: 1, max: 3 }) }, () => toField(oneOf(gen, ...fields), depth));
    return `{ ${some.join(' ')} }`;
  };

  const root = schema.getQueryType();
  const selections = root ? toSet(root, DEPTH) : '';
  const head = definitions.length > 0 ? ` (${definitions.join(', ')})` : '';
  return { query: `query${head} ${selections}`, variables };
}

/** Any value of an input type, as JSON. */
export function toValue(type: GraphQLInputType, gen: GeneratorValue): unknown {
  if (isNonNullType(type)) return toValue(type.ofType, gen);
  if (isListType(type)) return Array.from({ length: gen(nat, 2) }, () => toValue(type.ofType, gen));
  if (isEnumType(type)) return oneOf(gen, ...type.getValues().map(({ name }) => name));
  if (isInputObjectType(type)) {
    const all = Object.values(type.getFields());
    const given = type.isOneOf
      ? [all[gen(nat, all.length - 1)] as GraphQLInputField]
      : all.filter((field) => isNonNullType(field.type) || gen(nat, 3) === 0);
    return Object.fromEntries(given.map((field) => [field.name, toValue(field.type, gen)]));
  }
  return SCALARS[type.name]?.(gen) ?? oneOf<unknown>(gen, 'a', 1, true, { a: [null] });
}

const SCALARS: Readonly<Record<string, (gen: GeneratorValue) => unknown>> = {
  Int: (gen) => gen(integer, { min: 1, max: 6 }),
  Float: (gen) => gen(double, { noNaN: true, noDefaultInfinity: true }),
  Boolean: (gen) => gen(boolean),
  ID: (gen) => oneOf(gen, '1', '2', '5', '9007199254740993', 'no id', ''),
  String: (gen) => oneOf(gen, 'a name', '', 'a,b', 'é', 'YXQ6Mg'),
  Decimal: (gen) => oneOf<unknown>(gen, '18650.00', '0.1', -3, 1e15),
  Long: (gen) => oneOf<unknown>(gen, '9223372036854775807', 7),
  Date: (gen) => oneOf(gen, ...DAYS),
  JSONObject: (gen) => oneOf<unknown>(gen, {}, { a: [null], b: { c: 1.5 } }),
  DateTime: (gen) => oneOf(gen, ...DAYS.map((day) => `${day}T12:00:00Z`)),
};
