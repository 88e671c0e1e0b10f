import type { ApolloServer } from '@apollo/server';
import type { FastifyInstance } from 'fastify';

import type { PageLimits } from '../graph/connection.ts';
import { createContext, type OperationContext } from '../graph/context.ts';
import { type GraphqlRequestLimits, toGraphqlRequest } from './graphql-request.ts';
import type { Identify } from './identity/identify.ts';
import type { Lifetimes } from './lifetime.ts';
import { RequestError } from './request-error.ts';

interface GraphqlOptions {
  readonly graph: ApolloServer<OperationContext>;
  readonly identify: Identify;
  readonly pages: PageLimits;
  readonly limits: GraphqlRequestLimits;
  readonly lifetimes: Lifetimes;
}

/** Serves GraphQL over HTTP at `/graphql`: queries by GET and POST, mutations by POST. */
export function registerGraphql(app: FastifyInstance, options: GraphqlOptions): void {
  const { graph, identify, pages, limits, lifetimes } = options;
  app.route({
    method: ['GET', 'POST'],
    url: '/graphql',
    async handler(request, reply) {
      const signal = lifetimes.begin(reply.raw);
      const httpGraphQLRequest = toGraphqlRequest(request, limits);
      const { scope, session } = await identify(request, reply);
      const answer = await graph.executeHTTPGraphQLRequest({
        httpGraphQLRequest,
        context: async () => createContext({ requestId: request.id, signal, scope, session, pages }),
      });

      reply.code(answer.status ?? 200);
      for (const [name, value] of answer.headers) reply.header(name, value);
      // Incremental delivery is not offered, so every answer is whole.
      return answer.body.kind === 'complete' ? answer.body.string : undefined;
    },
  });

  app.route({
    method: ['PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE'],
    url: '/graphql',
    handler: () => {
      throw new RequestError(405, 'GraphQL is asked by GET or POST.', { allow: 'GET, POST' });
    },
  });
}
