import { createServer } from 'node:http';
import { createSchema, createYoga } from 'graphql-yoga';

import { type Context, resolvers, typeDefs } from '../graph.ts';
import { createContext, host, port } from './start.ts';

const yoga = createYoga<object, Context>({
  schema: createSchema({ typeDefs, resolvers }),
  context: () => createContext(),
  graphiql: false,
  logging: false,
});
createServer(yoga).listen(port, host);
