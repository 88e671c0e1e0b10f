import { boolean, type GeneratorValue, integer, nat } from 'fast-check';
import {
  type GraphQLArgument,
  type GraphQLCompositeType,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLInterfaceType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
  GraphQLString,
  getNamedType,
  getNullableType,
  isAbstractType,
  isCompositeType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isUnionType,
} from 'graphql';

import { oneOf, toValue } from './random-json.ts';
import { type Asked, ECHO } from './reference.ts';

type Selectable = GraphQLObjectType | GraphQLInterfaceType;

const DEPTH = 4;
const ROOTS = ['query', 'query', 'query', 'mutation'] as const;
const CONDITIONS = ['$yes', '$yes', '$no', '$nothing', 'true', 'false'];

/** Values of arguments by name, which stand in most places. */
export type Known = Readonly<Record<string, readonly unknown[]>>;

/**
 * Creates a random valid document for a schema: fields at any depth, repeated, in named and inline
 * fragments, under conditions, with arguments as literals, variables or defaults, or without
 * arguments.
 */
export function makeDocument(schema: GraphQLSchema, known: Known, gen: GeneratorValue): Asked {
  const variables: Record<string, unknown> = { yes: true, no: false };
  const definitions = ['$yes: Boolean!', '$no: Boolean!'];
  const fragments: string[] = [];
  const used = new Set<string>();
  let names = 0;
  if (gen(boolean)) variables['nothing'] = null;

  const chance = (one: number) => gen(nat, one - 1) === 0;
  const declare = (type: string, value: unknown, fallback?: string): string => {
    const name = `v${names++}`;
    definitions.push(`$${name}: ${type}${fallback === undefined ? '' : ` = ${fallback}`}`);
    if (value !== undefined) variables[name] = value;
    return `$${name}`;
  };
  /** Literals hold variables now and then, which no default may. */
  const withVariables: Hole = (type, value) =>
    chance(8) ? declare(String(type), value) : undefined;
  /** No keys: a change with one happens once, so one of two answers would repeat it. */
  const withKnown = (name: string, value: unknown): unknown => {
    if (name === 'idempotencyKey' || (name === 'after' && !chance(6))) return null;
    // A field of a form may have the name of a known argument, and several values.
    const choices = typeof value === 'object' ? undefined : known[name];
    return choices && !chance(6) ? oneOf(gen, ...choices) : value;
  };
  const toGiven = ({ name, type }: GraphQLArgument): string => {
    const made = JSON.stringify({ [name]: toValue(type, gen) });
    const value = JSON.parse(made, withKnown)[name];
    switch (gen(nat, 5)) {
      case 0:
        return toLiteral(type, value, withVariables);
      case 1:
        return declare(String(type), undefined, toLiteral(type, value));
      // GraphQL admits a variable that may be null, for the sake of its default, where no null may
      // be.
      case 2:
        return declare(String(getNullableType(type)), null, toLiteral(type, value));
      case 3:
        return isNonNullType(type) ? declare(String(type), value) : 'null';
      default:
        return declare(String(type), value);
    }
  };
  const toArguments = (args: readonly GraphQLArgument[]): string => {
    const given = args.filter(({ name, type, defaultValue }) => {
      if (isNonNullType(type) && defaultValue === undefined) return true;
      return name in known ? !chance(3) : chance(3);
    });
    const texts = given.map((arg) => `${arg.name}: ${toGiven(arg)}`);
    return texts.length > 0 ? `(${texts.join(', ')})` : '';
  };
  const toCondition = (): string => {
    if (!chance(6)) return '';
    const condition = oneOf(gen, ...CONDITIONS);
    if (condition === '$nothing' && !used.has(condition))
      definitions.push('$nothing: Boolean = true');
    used.add(condition);
    return ` @${oneOf(gen, 'skip', 'include')}(if: ${condition})`;
  };
  const toField = (
    { name, args, type }: GraphQLField<unknown, unknown>,
    depth: number,
    within: Selectable,
  ): string => {
    const asked = `f${names++}: ${name}${toArguments(args)}`;
    const select = () => `${asked}${toCondition()} ${toSelections(type, depth)}`;
    if (!isCompositeType(getNamedType(type)) || !chance(6)) return select();
    return `${select()} ... on ${oneOf(gen, within, ...typesOf(within)).name} { ${select()} }`;
  };
  const toSelections = (type: GraphQLOutputType, depth: number): string => {
    const inner = getNamedType(type);
    if (!isCompositeType(inner)) return '';
    if (!isUnionType(inner) && (typesOf(inner).length === 1 || chance(2)))
      return toSet(inner, depth - 1);
    const some = Array.from({ length: gen(integer, { min: 1, max: 3 }) }, () =>
      oneOf(gen, ...typesOf(inner)),
    );
    return `{ __typename ${some.map((one) => toFragment(one, depth)).join(' ')} }`;
  };
  const typesOf = (type: GraphQLCompositeType) =>
    isAbstractType(type) ? schema.getPossibleTypes(type) : [type];
  const toFragment = (type: Selectable, depth: number): string => {
    const set = toSet(type, depth - 1);
    if (!chance(3)) return `... on ${type.name}${toCondition()} ${set}`;
    const name = `F${names++}`;
    fragments.push(`fragment ${name} on ${type.name} ${set}`);
    return `...${name}${toCondition()}${chance(4) ? ` ...${name}` : ''}`;
  };
  const toSet = (type: Selectable, depth: number): string => {
    const all = Object.values(type.getFields()).filter(({ name }) => !name.startsWith(ECHO));
    const fields =
      depth > 0 ? all : all.filter((field) => !isCompositeType(getNamedType(field.type)));
    if (fields.length === 0) return '{ __typename }';
    const some = Array.from({ length: gen(integer, { min: 1, max: 3 }) }, () =>
      depth > 0 && chance(8)
        ? toFragment(type, depth)
        : toField(oneOf(gen, ...fields), depth, type),
    );
    return `{ ${chance(3) ? '__typename ' : ''}${some.join(' ')} }`;
  };

  const kind = oneOf(gen, ...ROOTS);
  const root = kind === 'query' ? schema.getQueryType() : schema.getMutationType();
  const set = root ? toSet(root, DEPTH) : '{ __typename }';
  const asked =
    chance(4) && kind === 'query' ? set.replace('{', `{ ${toIntrospection(schema, gen)}`) : set;
  // Whatever is made above, no variable is unused.
  const all = asked.replace(
    '{',
    '{ yes: __typename @include(if: $yes) no: __typename @include(if: $no)',
  );
  return {
    query: [`${kind} Any(${definitions.join(', ')}) ${all}`, ...fragments].join('\n'),
    variables,
  };
}

function toIntrospection(schema: GraphQLSchema, gen: GeneratorValue): string {
  const name = oneOf(gen, ...Object.keys(schema.getTypeMap()), 'Nothing');
  return oneOf(
    gen,
    `t: __type(name: "${name}") { kind name description fields(includeDeprecated: $yes) { name type { name ofType { name } } args { defaultValue } } }`,
    `t: __type(name: "${name}") { possibleTypes { name @skip(if: $no) } inputFields { name type { kind } } enumValues { name } isOneOf }`,
    's: __schema { queryType { name } mutationType { name @include(if: $no) } directives { name locations } }',
  );
}

/** Returns the text that replaces a non-null value, or `undefined` to write the value itself. */
type Hole = (type: GraphQLInputType, value: unknown) => string | undefined;

export function toLiteral(
  type: GraphQLInputType,
  value: unknown,
  hole: Hole = () => undefined,
): string {
  if (isNonNullType(type)) return hole(type, value) ?? toLiteral(type.ofType, value, hole);
  if (value === null || value === undefined) return 'null';
  if (isListType(type)) {
    return `[${(value as readonly unknown[]).map((item) => toLiteral(type.ofType, item, hole)).join()}]`;
  }
  if (isEnumType(type)) return String(value);
  if (!isInputObjectType(type)) return toJsonLiteral(value);
  const fields = type.getFields();
  const members = Object.entries(value).map(([name, member]) =>
    [name, toLiteral(fields[name]?.type ?? GraphQLString, member, hole)].join(': '),
  );
  return `{${members.join()}}`;
}

/** JSON as GraphQL writes it: names without quotes. */
function toJsonLiteral(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(toJsonLiteral).join()}]`;
  return `{${Object.entries(value)
    .map(([name, member]) => `${name}: ${toJsonLiteral(member)}`)
    .join()}}`;
}
