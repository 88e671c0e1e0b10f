import type { GraphQLSchema } from 'graphql';

import type { GraphqlServer } from './apollo-server.ts';

/** Answers GraphQL while its schema changes. */
export interface SchemaManager {
  /** What answers a request that comes now, to its end. */
  current(): GraphqlServer;
  /** Lets requests that come be answered by another schema, as soon as that is ready. */
  replace(schema: GraphQLSchema): Promise<void>;
  stop(): Promise<void>;
}

/** Starts a server for a schema. `version` tells it from all that were started before. */
type StartServer = (schema: GraphQLSchema, version: number) => Promise<GraphqlServer>;

/**
 * Starts a server that can be replaced. Each prepares operations of its own, so that nothing runs on one schema that was
 * found valid on another. One that was replaced ends with the last request that it answers: it holds nothing that would
 * have to be closed.
 */
export async function startSchemaManager(start: StartServer, schema: GraphQLSchema): Promise<SchemaManager> {
  let version = 0;
  let current = await start(schema, version);

  return {
    current: () => current,
    async replace(next) {
      const own = ++version;
      const server = await start(next, own);
      // Another schema may have come while this one was started.
      if (own === version) current = server;
    },
    stop: () => current.stop(),
  };
}
