import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeExecutableSchema } from '@graphql-tools/schema';
import { type GraphQLSchema, lexicographicSortSchema, printSchema } from 'graphql';

import { resolvers } from './resolvers/index.ts';
import { createAbstractTypes, type TypeOfInstance } from './resolvers/node.ts';

const SDL_FOLDER = join(import.meta.dirname, '../../schema');

/**
 * Makes the executable schema from the SDL beside `src/`.
 *
 * @param typeOf tells the name of an instance's type, where forms have types of their own.
 */
export function createSchema(typeOf: TypeOfInstance = () => 'GenericInstance'): GraphQLSchema {
  const files = globSync('**/*.graphql', { cwd: SDL_FOLDER }).sort();
  const typeDefs = files.map((file) => readFileSync(join(SDL_FOLDER, file), 'utf8'));
  return makeExecutableSchema({ typeDefs, resolvers: { ...resolvers, ...createAbstractTypes(typeOf) } });
}

/** Prints a schema as one SDL document, in an order that does not move when a file does. */
export function printSdl(schema: GraphQLSchema): string {
  return `${printSchema(lexicographicSortSchema(schema))}\n`;
}
