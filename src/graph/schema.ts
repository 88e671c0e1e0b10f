import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeExecutableSchema } from '@graphql-tools/schema';
import { type GraphQLSchema, lexicographicSortSchema, printSchema } from 'graphql';

import { resolvers } from './resolvers/index.ts';

const SDL_FOLDER = join(import.meta.dirname, '../../schema');

/** Makes the executable schema from the SDL beside `src/`. */
export function createSchema(): GraphQLSchema {
  const files = globSync('**/*.graphql', { cwd: SDL_FOLDER }).sort();
  const typeDefs = files.map((file) => readFileSync(join(SDL_FOLDER, file), 'utf8'));
  return makeExecutableSchema({ typeDefs, resolvers });
}

/** Prints a schema as one SDL document, in an order that does not move when a file does. */
export function printSdl(schema: GraphQLSchema): string {
  return `${printSchema(lexicographicSortSchema(schema))}\n`;
}
