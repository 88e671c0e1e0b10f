import { type ApolloServer, HeaderMap } from '@apollo/server';
import type { FastifyInstance, FastifyRequest } from 'fastify';

import type { PageLimits } from '../graph/connection.ts';
import { createContext, type OperationContext } from '../graph/context.ts';
import type { Identify } from './identity/identify.ts';
import type { Lifetimes } from './lifetime.ts';
import { RequestError } from './request-error.ts';

interface GraphqlOptions {
  readonly graph: ApolloServer<OperationContext>;
  readonly identify: Identify;
  readonly pages: PageLimits;
  readonly lifetimes: Lifetimes;
}

/** Serves GraphQL over HTTP at `/graphql`: queries by GET and POST, mutations by POST. */
export function registerGraphql(app: FastifyInstance, { graph, identify, pages, lifetimes }: GraphqlOptions): void {
  app.route({
    method: ['GET', 'POST'],
    url: '/graphql',
    async handler(request, reply) {
      const signal = lifetimes.begin(reply.raw);
      const { scope, session } = await identify(request, reply);
      const answer = await graph.executeHTTPGraphQLRequest({
        httpGraphQLRequest: {
          method: request.method,
          headers: toHeaderMap(request),
          search: new URL(request.url, 'http://gateway').search,
          body: request.body ?? {},
        },
        context: async () => createContext({ requestId: request.id, signal, scope, session, pages }),
      });

      reply.code(answer.status ?? 200);
      for (const [name, value] of answer.headers) reply.header(name, value);
      // Incremental delivery is not offered, so every answer is whole.
      return answer.body.kind === 'complete' ? answer.body.string : undefined;
    },
  });

  app.route({
    method: ['PUT', 'PATCH', 'DELETE', 'OPTIONS'],
    url: '/graphql',
    handler: () => {
      throw new RequestError(405, 'GraphQL is asked by GET or POST.', { allow: 'GET, POST' });
    },
  });
}

function toHeaderMap({ headers }: FastifyRequest): HeaderMap {
  const map = new HeaderMap();
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) map.set(name, Array.isArray(value) ? value.join(', ') : value);
  }
  return map;
}
