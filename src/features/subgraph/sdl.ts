import type { GraphQLFieldConfig, ObjectTypeDefinitionNode } from 'graphql';
import {
  GraphQLError,
  GraphQLNonNull,
  GraphQLObjectType,
  GraphQLSchema,
  GraphQLString,
  isObjectType,
  parse,
  print,
  visit,
} from 'graphql';

import { oncePer } from '../../core/once-per.ts';
import { passThrough } from '../../graphql/admission/cost.ts';
import type { OperationContext } from '../../graphql/context.ts';
import { missingTypesError } from '../../graphql/errors.ts';
import { printSdl } from '../../graphql/schema.ts';
import { withCost } from '../../graphql/schema-metadata.ts';
import type { Gateway } from '../feature.ts';
import { entityTypes } from './entities.ts';

/** Root fields that other subgraphs also have, or that a router cannot pass on. */
const LEFT_OUT: readonly string[] = [
  'node',
  'viewer',
  'signIn',
  'signOut',
  '_service',
  '_entities',
];
const LINK =
  'extend schema @link(url: "https://specs.apollo.dev/federation/v2.0", import: ["@key", "@shareable"])';
const [KEYED, SHARED] = parse('type Keyed @key(fields: "id") type Shared @shareable', {
  noLocation: true,
}).definitions as readonly ObjectTypeDefinitionNode[];

/**
 * Prints a schema as an Apollo Federation 2 subgraph. It leaves out the fields that cannot be
 * composed.
 */
export function printSubgraph(schema: GraphQLSchema): string {
  const entities = new Set(entityTypes(schema).map(({ name }) => name));
  const document = visit(parse(printSdl(withoutLeftOut(schema)), { noLocation: true }), {
    ObjectTypeDefinition(node) {
      const { value: name } = node.name;
      const like = entities.has(name) ? KEYED : name === 'PageInfo' ? SHARED : undefined;
      return like && { ...node, directives: like.directives };
    },
    // Composition does not support `@oneOf`. The gateway still checks these inputs.
    InputObjectTypeDefinition: (node) => ({ ...node, directives: [] }),
  });
  return `${LINK}\n\n${print(document)}\n`;
}

/**
 * Returns a schema with the queries and mutations that can be composed, and all types that they
 * reach.
 */
function withoutLeftOut(schema: GraphQLSchema): GraphQLSchema {
  const { query, mutation, types } = schema.toConfig();
  // Types that are reached only through an interface belong to the graph, too.
  const implementers = types.filter(
    (type) => isObjectType(type) && type.getInterfaces().length > 0,
  );
  return new GraphQLSchema({
    query: kept(query),
    mutation: kept(mutation),
    types: implementers,
    assumeValid: true,
  });
}

function kept(root: GraphQLObjectType | null | undefined): GraphQLObjectType | undefined {
  if (!root) return undefined;
  const { fields, ...config } = root.toConfig();
  const composed = Object.entries(fields).filter(([name]) => !LEFT_OUT.includes(name));
  return new GraphQLObjectType({ ...config, fields: Object.fromEntries(composed) });
}

const description =
  'This graph as a subgraph (Apollo Federation 2), as `npm run -s subgraph` prints it.';
const fields = { sdl: { type: new GraphQLNonNull(GraphQLString), description } };
const Service = new GraphQLObjectType({ name: '_Service', description, fields });
const NOT_SHOWN =
  'The schema is not shown, since PLAYGROUND is off: `npm run -s subgraph` prints it.';

/**
 * Creates `Query._service`, which returns the SDL to callers with permission to read the schema.
 */
export function createServiceField(
  schema: GraphQLSchema,
  { graph, isExplorable }: Gateway,
): GraphQLFieldConfig<unknown, OperationContext> {
  const toSdl = oncePer(printSubgraph);
  const sdl = (_args: unknown, { scope: { permissions } }: OperationContext): string => {
    const lack = graph.missing();
    // A registry would see missing types of forms as a change of the graph.
    if (lack) throw new GraphQLError(missingTypesError(lack).message, missingTypesError(lack));
    if (!isExplorable) throw new GraphQLError(NOT_SHOWN, { extensions: { code: 'FORBIDDEN' } });
    // Callers without permission were refused before.
    return toSdl(permissions?.schemaOf(schema) ?? schema);
  };
  const meaning = withCost(passThrough, { demand: () => ({ of: 'schema' }) });
  return { type: new GraphQLNonNull(Service), description, resolve: () => ({ sdl }), ...meaning };
}
