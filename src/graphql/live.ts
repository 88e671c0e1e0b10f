import type { GraphQLSchema } from 'graphql';

import type { Graph } from './server.ts';

/** What answers GraphQL while its schema changes. */
export interface LiveGraph {
  /** What a request that comes now is answered by, to its end. */
  current(): Graph;
  /** Lets requests that come be answered by another schema, as soon as that is ready. */
  replace(schema: GraphQLSchema): Promise<void>;
  stop(): Promise<void>;
}

/** Makes a graph for a schema. `edition` tells it from all that were made before. */
type MakeGraph = (schema: GraphQLSchema, edition: number) => Graph;

/**
 * Starts a graph that can be replaced. Each has parsed, checked and compiled documents of its own, so that nothing is run
 * on one schema that was found valid on another. One that was replaced ends with the last request that it answers: it holds
 * nothing that would have to be closed.
 */
export async function startLiveGraph(make: MakeGraph, schema: GraphQLSchema): Promise<LiveGraph> {
  let edition = 0;
  const start = async (next: GraphQLSchema): Promise<Graph> => {
    const graph = make(next, edition++);
    await graph.server.start();
    return graph;
  };
  let current = await start(schema);

  return {
    current: () => current,
    async replace(next) {
      current = await start(next);
    },
    stop: () => current.server.stop(),
  };
}
