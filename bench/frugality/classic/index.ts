import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeExecutableSchema } from '@graphql-tools/schema';
import { graphql } from 'graphql';

import type { Ask } from '../operation.ts';
import { createReader } from './reader.ts';
import { resolvers } from './resolvers.ts';
import { withLoaders } from './with-loaders.ts';

const SDL_FOLDER = join(import.meta.dirname, '../../../schema');

/** Our graph as it is usually built, over the same platform: as it comes to mind, and with DataLoaders. */
export async function createClassics(origin: string): Promise<{ readonly naive: Ask; readonly loaders: Ask }> {
  const typeDefs = globSync('*.graphql', { cwd: SDL_FOLDER }).map((file) =>
    readFileSync(join(SDL_FOLDER, file), 'utf8'),
  );
  const schema = makeExecutableSchema({ typeDefs, resolvers });
  const reader = await createReader(origin);
  const run = (contextValue: object, source: string, variableValues: Readonly<Record<string, unknown>>) =>
    graphql({ schema, source, variableValues, contextValue });

  return {
    naive: (query, variables) => run(reader, query, variables),
    loaders: (query, variables) => run(withLoaders(reader), query, variables),
  };
}
