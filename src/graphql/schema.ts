import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeExecutableSchema } from '@graphql-tools/schema';
import {
  concatAST,
  type GraphQLFieldConfigMap,
  type GraphQLNamedType,
  GraphQLObjectType,
  GraphQLSchema,
  isEnumType,
  isInputObjectType,
  isIntrospectionType,
  isScalarType,
  isSpecifiedDirective,
  isSpecifiedScalarType,
  isUnionType,
  lexicographicSortSchema,
  type NameNode,
  type ObjectTypeDefinitionNode,
  parse,
  printSchema,
  printType,
  visit,
} from 'graphql';

import { PACKAGE_ROOT } from '../config/package.ts';
import type { OperationContext } from './context.ts';
import { addMeaning, CHANGE_INPUTS, resolvers } from './resolvers.ts';

const SDL_FOLDER = join(PACKAGE_ROOT, 'schema');

/**
 * Creates the executable schema of the generic graph from the SDL in `schema/`.
 *
 * @param isSorted whether the platform's lists are sorted by the requested order. If not, no
 *   field has `orderBy`.
 */
export function createSchema({ isSorted } = { isSorted: true }): GraphQLSchema {
  const files = globSync('**/*.graphql', { cwd: SDL_FOLDER }).sort();
  const sdl = concatAST(files.map((file) => parse(readFileSync(join(SDL_FOLDER, file), 'utf8'))));
  const document = isSorted ? sdl : visit(sdl, WITHOUT_ORDER);
  const fields = document.definitions.flatMap((node) =>
    'interfaces' in node && node.name.value === 'Instance' ? (node.fields ?? []) : [],
  );
  const keys = CHANGE_INPUTS.map((input) => `extend input ${input} ${KEY}`);
  const schema = makeExecutableSchema({
    typeDefs: [document, { ...GENERIC_INSTANCE, fields }, ...keys],
    resolvers,
    inheritResolversFromInterfaces: true,
  });
  addMeaning(schema);
  return schema;
}

/** Without fields: `createSchema` adds the fields of every instance, which SDL would repeat. */
const GENERIC_INSTANCE = parse(`
"An instance of a form that has no type of its own in this graph."
type GenericInstance implements Instance & Node
`).definitions[0] as ObjectTypeDefinitionNode;

const KEY = `{
  """
  Identifies this mutation across retries, for example a UUID. Repeated with the same key and input while it is kept (ten minutes or more), the
  mutation returns the first outcome, even an error, without a second effect; with another input it is BAD_USER_INPUT.
  """
  idempotencyKey: ID
}`;

const omitOrder = ({ name }: { readonly name: NameNode }) =>
  ['orderBy', 'OrderInput', 'SortDirection'].includes(name.value) ? null : undefined;
const WITHOUT_ORDER = {
  InputValueDefinition: omitOrder,
  InputObjectTypeDefinition: omitOrder,
  EnumTypeDefinition: omitOrder,
};

declare module 'graphql' {
  interface GraphQLSchemaExtensions {
    /**
     * Fields of features that are left out because their names are taken, for example `Query.node`.
     */
    readonly leftOut?: readonly string[];
  }
}

/**
 * Returns a schema with additional root fields. Fields with taken names are left out. The result is
 * not validated, because validation is slow for thousands of types.
 */
export function withRootFields(
  schema: GraphQLSchema,
  root: 'query' | 'mutation',
  fields: GraphQLFieldConfigMap<unknown, OperationContext>,
): GraphQLSchema {
  const { types, ...config } = schema.toConfig();
  const before = config[root];
  if (!before) throw new Error(`The schema has no ${root}.`);
  const own = before.toConfig();
  const isTaken = (name: string) => Object.hasOwn(own.fields, name);
  const taken = Object.keys(fields).filter(isTaken);
  const free = Object.entries(fields).filter(([name]) => !isTaken(name));
  const after = new GraphQLObjectType({
    ...own,
    fields: { ...own.fields, ...Object.fromEntries(free) },
  });
  const others = types.filter((type) => type !== before);
  const leftOut = [
    ...(config.extensions.leftOut ?? []),
    ...taken.map((name) => `${before.name}.${name}`),
  ];
  const extensions = { ...config.extensions, leftOut };
  return new GraphQLSchema({
    ...config,
    [root]: after,
    types: others,
    extensions,
    assumeValid: true,
  });
}

export const leftOutOf = (schema: GraphQLSchema | undefined): readonly string[] =>
  schema?.extensions.leftOut ?? [];

/**
 * Lets definitions without extensions share one empty object. GraphQL creates an object of 150
 * bytes for each, and 300 forms have a hundred thousand definitions.
 */
export function shareExtensions(schema: GraphQLSchema): void {
  for (const definition of Object.values(schema.getTypeMap()).flatMap(definitionsOf)) {
    if (Object.keys(definition.extensions).length === 0) definition.extensions = NO_EXTENSIONS;
  }
}

/** Returns a type of the graph and the definitions inside it. */
function definitionsOf(type: GraphQLNamedType): readonly { extensions: object }[] {
  if (isScalarType(type) || isIntrospectionType(type)) return [];
  if (isEnumType(type)) return [type, ...type.getValues()];
  if (isInputObjectType(type)) return [type, ...Object.values(type.getFields())];
  const fields = isUnionType(type) ? [] : Object.values(type.getFields());
  return [type, ...fields, ...fields.flatMap(({ args }) => args)];
}

const NO_EXTENSIONS = Object.freeze(Object.create(null));

/**
 * Prints a schema as one SDL document, sorted by name. Enum values stay in the platform's order.
 * The result does not depend on files.
 */
export function printSdl(schema: GraphQLSchema): string {
  const directives = schema.getDirectives().filter((directive) => !isSpecifiedDirective(directive));
  const types = Object.values(lexicographicSortSchema(schema).getTypeMap()).filter(
    (type) => !isSpecifiedScalarType(type) && !isIntrospectionType(type),
  );
  const printed = types.map((type) =>
    printType(isEnumType(type) ? (schema.getType(type.name) ?? type) : type),
  );
  return `${[printSchema(new GraphQLSchema({ directives })), ...printed].filter((text) => text !== '').join('\n\n')}\n`;
}
