import { ApolloServer } from '@apollo/server';
import { ApolloServerPluginCacheControlDisabled } from '@apollo/server/plugin/disabled';
import fastifyApollo, { fastifyApolloDrainPlugin } from '@as-integrations/fastify';
import { fastify } from 'fastify';

import { type Context, resolvers, typeDefs } from '../graph.ts';
import { createContext, host, port } from './start.ts';

const app = fastify();
// Cache hints are unused here, and collecting them from every field is Apollo Server's largest
// cost.
const plugins = [fastifyApolloDrainPlugin(app), ApolloServerPluginCacheControlDisabled()];
const server = new ApolloServer<Context>({ typeDefs, resolvers, plugins });
await server.start();
await app.register(fastifyApollo(server), { context: async () => createContext() });
await app.listen({ port, host });
