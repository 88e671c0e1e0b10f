import type { HTTPGraphQLResponse } from '@apollo/server';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

import type { GraphqlServer } from '../graphql/apollo-server.ts';
import type { PageLimits } from '../graphql/connections.ts';
import { createContext, type OperationContext } from '../graphql/context.ts';
import { findTextExcess } from '../graphql/limits.ts';
import type { LogOperation } from '../graphql/operation-log.ts';
import type { FoundDocument, PersistedDocuments } from '../graphql/persisted-documents.ts';
import { runOperation } from '../graphql/run-operation.ts';
import type { SchemaManager } from '../graphql/schema-manager.ts';
import { failureOfAbort } from '../upstream/abort.ts';
import { asksForChange } from './asks-for-change.ts';
import { type Keeping, offerToCaches } from './caching.ts';
import { readExplain } from './explain.ts';
import type { Front } from './front.ts';
import { type GraphqlAsk, readAsk } from './graphql-request.ts';
import type { Identify } from './identity/identify.ts';
import type { JsonLimits } from './json-limits.ts';
import { createMediaTypes, type MediaTypes } from './media-types.ts';
import { RequestError } from './request-error.ts';
import { withRequestId } from './with-request-id.ts';

/** What is looked at before a request is handed to the graph. */
export interface GraphqlRequestLimits {
  readonly json: JsonLimits;
  /** Calls that an operation may make. */
  readonly operation: { readonly calls: number };
}

interface GraphqlOptions {
  readonly graph: SchemaManager;
  readonly identify: Identify;
  readonly pages: PageLimits;
  readonly limits: GraphqlRequestLimits;
  readonly documents: PersistedDocuments;
  readonly logOperation: LogOperation;
  /** Who may keep the answers of queries by GET. */
  readonly keeping: Keeping;
  /** Whether clients may ask what their operations cost. */
  readonly isExplaining: boolean;
  readonly front: Front;
}

/** Serves GraphQL over HTTP at `/graphql`: queries by GET and POST, mutations by POST. */
export function registerGraphql(app: FastifyInstance, options: GraphqlOptions): void {
  const { graph, identify, pages, limits, documents, logOperation, keeping, isExplaining, front } = options;
  const { admission, lifetimes } = front;
  const mediaTypes = createMediaTypes();

  app.route({
    method: ['GET', 'POST'],
    url: '/graphql',
    async handler(request, reply) {
      const startedAtMs = performance.now();
      const server = graph.current();
      const ask = readAsk(request, limits.json);
      const document = documents.find(ask, request.id);
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
          onValid: document.onValid,
          explain,
        });
        const exchange = { request, reply, server, ask, document, context };
        const body = (await runDirectly(exchange, mediaTypes)) ?? (await runByServer(exchange, mediaTypes));
        if ('kind' in context.report) logOperation(context, startedAtMs);
        if (isStopped(signal, body) && context.report.kind !== 'mutation') reply.code(503).header('retry-after', '1');
        return offerToCaches(body, { request, reply, keeping, meter: context.stats });
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
  readonly server: GraphqlServer;
  readonly ask: GraphqlAsk;
  readonly document: FoundDocument;
  readonly context: OperationContext;
}

/** Runs an operation that the server has admitted before; `undefined` where the server has to look at the request. */
async function runDirectly(
  { request, reply, server, ask: { operation }, document: { text }, context }: Exchange,
  mediaTypes: MediaTypes,
): Promise<string | Buffer | undefined> {
  const type = mediaTypes.get(request.headers.accept);
  if (context.explain || type === undefined || operation === undefined || text === undefined) return undefined;
  const prepared = server.prepared.get(text, operation.operationName);
  if (prepared === undefined || (request.method === 'GET' && prepared.kind !== 'query')) return undefined;
  const answer = await runOperation(prepared, operation.variables, context);
  if ('refusal' in answer) return undefined;
  reply.header('content-type', type);
  return answer.body;
}

/** @throws {GraphQLError} for a document beyond the limits. */
async function runByServer(
  { request, reply, server, ask, document, context }: Exchange,
  mediaTypes: MediaTypes,
): Promise<string> {
  const excess = document.text === undefined ? undefined : findTextExcess(document.text);
  if (excess) throw excess;
  const answer = await server.execute(ask.toRequest(document), context);
  if (answer.status === undefined) mediaTypes.learn(request.headers.accept, answer.headers.get('content-type'));
  return send(answer, request, reply);
}

/** Says status and headers of the server's answer, and gives its text. */
function send(
  { status = 200, headers, body }: HTTPGraphQLResponse,
  request: FastifyRequest,
  reply: FastifyReply,
): string {
  reply.code(status);
  for (const [name, value] of headers) reply.header(name, value);
  // Incremental delivery is not offered, so every answer is whole.
  const text = body.kind === 'complete' ? body.string : '';
  return status >= 400 ? withRequestId(text, request.id) : text;
}

/** Whether an answer lacks something because the gateway stops. */
const isStopped = (signal: AbortSignal, body: string | Buffer): boolean =>
  signal.aborted && failureOfAbort(signal.reason) === 'stopped' && body.includes('"SHUTTING_DOWN"');
