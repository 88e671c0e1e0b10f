import { ApolloServer } from '@apollo/server';
import { startStandaloneServer } from '@apollo/server/standalone';

import { type Context, resolvers, typeDefs } from '../graph.ts';
import { createContext, host, port } from './start.ts';

// As its documentation starts it.
const server = new ApolloServer<Context>({ typeDefs, resolvers });
await startStandaloneServer(server, { listen: { port, host }, context: async () => createContext() });
