import type { ApolloServer, HTTPGraphQLResponse } from '@apollo/server';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

import { asksForChange } from '../graph/asks-for-change.ts';
import type { PageLimits } from '../graph/connection.ts';
import { createContext, type OperationContext } from '../graph/context.ts';
import { failureOf } from '../upstream/ending.ts';
import type { Front } from './front.ts';
import { type GraphqlRequestLimits, toGraphqlRequest } from './graphql-request.ts';
import type { Identify } from './identity/identify.ts';
import { RequestError } from './request-error.ts';
import { withRequestId } from './with-request-id.ts';

interface GraphqlOptions {
  readonly graph: ApolloServer<OperationContext>;
  readonly identify: Identify;
  readonly pages: PageLimits;
  readonly limits: GraphqlRequestLimits;
  readonly front: Front;
}

/** Serves GraphQL over HTTP at `/graphql`: queries by GET and POST, mutations by POST. */
export function registerGraphql(app: FastifyInstance, options: GraphqlOptions): void {
  const { graph, identify, pages, limits, front } = options;
  const { admission, lifetimes } = front;

  app.route({
    method: ['GET', 'POST'],
    url: '/graphql',
    async handler(request, reply) {
      if (!admission.confirm(request.raw, () => isChange(request))) {
        reply.hijack();
        return admission.refuse(request.raw, reply.raw);
      }
      return lifetimes.live(reply.raw, async (signal) => {
        const httpGraphQLRequest = toGraphqlRequest(request, limits);
        const { scope, session } = await identify(request, reply);
        const answer = await graph.executeHTTPGraphQLRequest({
          httpGraphQLRequest,
          context: async () =>
            createContext({ requestId: request.id, signal, scope, session, pages, maxCalls: limits.operation.calls }),
        });

        return send(answer, { request, reply, signal });
      });
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

interface Exchange {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly signal: AbortSignal;
}

/** Says status and headers of the graph's answer, and gives its text. */
function send({ status = 200, headers, body }: HTTPGraphQLResponse, { request, reply, signal }: Exchange): string {
  reply.code(status);
  for (const [name, value] of headers) reply.header(name, value);
  // Incremental delivery is not offered, so every answer is whole.
  const text = body.kind === 'complete' ? body.string : '';
  if (wasStopped(signal, text) && !isChange(request)) reply.code(503).header('retry-after', '1');
  return status >= 400 ? withRequestId(text, request.id) : text;
}

const isChange = ({ body }: FastifyRequest) =>
  asksForChange(typeof body === 'object' && body !== null && 'query' in body ? body.query : undefined);

/** Whether an answer lacks something because the gateway stops. */
const wasStopped = (signal: AbortSignal, text: string) =>
  signal.aborted && failureOf(signal.reason) === 'stopped' && text.includes('"SHUTTING_DOWN"');
