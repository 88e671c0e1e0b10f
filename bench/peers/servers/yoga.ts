import { createServer } from 'node:http';
import { createSchema, createYoga } from 'graphql-yoga';

import { resolvers, typeDefs } from '../graph.ts';
import { createContext, host, port } from './start.ts';

// It caches parsed and validated documents by itself.
const yoga = createYoga({
  schema: createSchema({ typeDefs, resolvers }),
  context: () => createContext(),
  graphiql: false,
  landingPage: false,
  logging: false,
});
createServer(yoga).listen(port, host);
