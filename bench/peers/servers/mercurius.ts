import { fastify } from 'fastify';
import mercurius from 'mercurius';

import { resolvers, typeDefs } from '../graph.ts';
import { createContext, host, port } from './start.ts';

const app = fastify();
await app.register(mercurius.default, {
  schema: typeDefs,
  resolvers: resolvers as never,
  context: () => createContext() as never,
  // Compiles an operation when it comes for the second time.
  jit: 1,
});
await app.listen({ port, host });
