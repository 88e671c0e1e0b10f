import type { ApolloServer, HTTPGraphQLResponse } from '@apollo/server';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

import { asksForChange } from '../graph/asks-for-change.ts';
import type { PageLimits } from '../graph/connection.ts';
import { createContext, type OperationContext } from '../graph/context.ts';
import { failureOf } from '../upstream/ending.ts';
import { type Keeping, offerToCaches } from './caching.ts';
import type { Documents, FoundDocument } from './documents/index.ts';
import { readExplain } from './explain.ts';
import type { Front } from './front.ts';
import { readAsk } from './graphql-request.ts';
import type { Identify } from './identity/identify.ts';
import type { JsonLimits } from './json-limits.ts';
import { RequestError } from './request-error.ts';
import { withRequestId } from './with-request-id.ts';

/** What is looked at before a request is handed to the graph. */
export interface GraphqlRequestLimits {
  readonly json: JsonLimits;
  /** Calls that an operation may make. */
  readonly operation: { readonly calls: number };
}

interface GraphqlOptions {
  readonly graph: ApolloServer<OperationContext>;
  readonly identify: Identify;
  readonly pages: PageLimits;
  readonly limits: GraphqlRequestLimits;
  readonly documents: Documents;
  /** Who may keep the answers of queries by GET. */
  readonly keeping: Keeping;
  /** Whether clients may ask what their operations cost. */
  readonly isExplaining: boolean;
  readonly front: Front;
}

/** Serves GraphQL over HTTP at `/graphql`: queries by GET and POST, mutations by POST. */
export function registerGraphql(app: FastifyInstance, options: GraphqlOptions): void {
  const { graph, identify, pages, limits, documents, keeping, isExplaining, front } = options;
  const { admission, lifetimes } = front;

  app.route({
    method: ['GET', 'POST'],
    url: '/graphql',
    async handler(request, reply) {
      const ask = readAsk(request, limits.json);
      const document = documents.find(ask, request.id);
      const explain = readExplain(request.headers, isExplaining);
      if (!admission.confirm(request.raw, () => asksForChange(document.text))) {
        reply.hijack();
        return admission.refuse(request.raw, reply.raw);
      }
      return lifetimes.live(reply.raw, async (signal) => {
        const { scope, session } = await identify(request, reply);
        const context = createContext({
          requestId: request.id,
          signal,
          scope,
          session,
          pages,
          maxCalls: limits.operation.calls,
          onAdmitted: document.onValid,
          explain,
        });
        const answer = await graph.executeHTTPGraphQLRequest({
          httpGraphQLRequest: ask.toRequest(document),
          context: async () => context,
        });

        const text = send(answer, { request, reply, signal, document });
        return offerToCaches(text, { request, reply, keeping, meter: context.meter });
      });
    },
  });

  app.route({
    method: ['PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE'],
    url: '/graphql',
    handler: () => {
      throw new RequestError(405, 'GraphQL is asked by GET or POST.', { headers: { allow: 'GET, POST' } });
    },
  });
}

interface Exchange {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly signal: AbortSignal;
  readonly document: FoundDocument;
}

/** Says status and headers of the graph's answer, and gives its text. */
function send(
  { status = 200, headers, body }: HTTPGraphQLResponse,
  { request, reply, signal, document }: Exchange,
): string {
  reply.code(status);
  for (const [name, value] of headers) reply.header(name, value);
  // Incremental delivery is not offered, so every answer is whole.
  const text = body.kind === 'complete' ? body.string : '';
  if (wasStopped(signal, text) && !asksForChange(document.text)) reply.code(503).header('retry-after', '1');
  return status >= 400 ? withRequestId(text, request.id) : text;
}

/** Whether an answer lacks something because the gateway stops. */
const wasStopped = (signal: AbortSignal, text: string) =>
  signal.aborted && failureOf(signal.reason) === 'stopped' && text.includes('"SHUTTING_DOWN"');
