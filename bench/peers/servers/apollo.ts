import { ApolloServer } from '@apollo/server';
import { startStandaloneServer } from '@apollo/server/standalone';

import type { Context } from '../graph/context.ts';
import { resolvers } from '../graph/resolvers.ts';
import { typeDefs } from '../graph/type-defs.ts';
import { createContext, host, port } from './start.ts';

// As its documentation starts it, with all that it brings.
const server = new ApolloServer<Context>({ typeDefs, resolvers });
await startStandaloneServer(server, { listen: { port, host }, context: async () => createContext() });
