import type { HTTPGraphQLResponse } from '@apollo/server';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

import { asksForChange } from '../graphql/asks-for-change.ts';
import type { PageLimits } from '../graphql/connection.ts';
import { createContext } from '../graphql/context.ts';
import type { Lane } from '../graphql/lane/index.ts';
import type { LiveGraph } from '../graphql/live.ts';
import { failureOf } from '../upstream/ending.ts';
import { type Keeping, offerToCaches } from './caching.ts';
import type { Documents, FoundDocument } from './documents/index.ts';
import { readExplain } from './explain.ts';
import type { Front } from './front.ts';
import { type GraphqlAsk, readAsk } from './graphql-request.ts';
import type { Identify } from './identity/identify.ts';
import type { JsonLimits } from './json-limits.ts';
import { createMediaTypes } from './media-types.ts';
import { RequestError } from './request-error.ts';
import { withRequestId } from './with-request-id.ts';

/** What is looked at before a request is handed to the graph. */
export interface GraphqlRequestLimits {
  readonly json: JsonLimits;
  /** Calls that an operation may make. */
  readonly operation: { readonly calls: number };
}

interface GraphqlOptions {
  readonly graph: LiveGraph;
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
  const mediaTypes = createMediaTypes();

  app.route({
    method: ['GET', 'POST'],
    url: '/graphql',
    async handler(request, reply) {
      const { server, lane } = graph.current();
      const isMeasured = (text: string) => lane?.knows(text) ?? false;
      const ask = readAsk(request, limits.json);
      const document = documents.find(ask, { requestId: request.id, isMeasured });
      const explain = readExplain(request.headers, isExplaining);
      if (!admission.confirm(request.raw, () => asksForChange(document.text, ask.operation?.operationName))) {
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
        const exchange = { request, reply, signal, document };
        const type = mediaTypes.get(request.headers.accept);
        const operation =
          explain || !type ? undefined : findShort(lane, ask, { text: document.text, method: request.method });
        const short =
          operation &&
          (await lane?.answer({ operation, variables: ask.operation?.variables ?? {}, context, scope, signal }));
        if (short) {
          reply.header('content-type', type);
          return offerToCaches(finish(short.body, exchange), { request, reply, keeping, meter: context.meter });
        }

        const answer = await server.executeHTTPGraphQLRequest({
          httpGraphQLRequest: ask.toRequest(document),
          context: async () => context,
        });
        if (answer.status === undefined) mediaTypes.learn(request.headers.accept, answer.headers.get('content-type'));
        const text = send(answer, exchange);
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

interface Short {
  readonly text: string | undefined;
  readonly method: string;
}

/** Gives the operation of a request that may go the short way. */
function findShort(lane: Lane | undefined, { operation }: GraphqlAsk, { text, method }: Short) {
  const found = operation && text !== undefined ? lane?.find({ text, ...operation }) : undefined;
  return method === 'POST' || found?.kind === 'query' ? found : undefined;
}

interface Exchange {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly signal: AbortSignal;
  readonly document: FoundDocument;
}

/** Says status and headers of the server's answer, and gives its text. */
function send({ status = 200, headers, body }: HTTPGraphQLResponse, exchange: Exchange): string {
  const { request, reply } = exchange;
  reply.code(status);
  for (const [name, value] of headers) reply.header(name, value);
  // Incremental delivery is not offered, so every answer is whole.
  const text = finish(body.kind === 'complete' ? body.string : '', exchange);
  return status >= 400 ? withRequestId(text, request.id) : text;
}

/** Gives an answer's body, and says so where it lacks something because the gateway stops. */
function finish<T extends string | Buffer>(body: T, { reply, signal, document }: Exchange): T {
  const isStopped = signal.aborted && failureOf(signal.reason) === 'stopped' && body.includes('"SHUTTING_DOWN"');
  if (isStopped && !asksForChange(document.text)) reply.code(503).header('retry-after', '1');
  return body;
}
