import { randomUUID } from 'node:crypto';
import type { ApolloServer } from '@apollo/server';
import { type FastifyBaseLogger, type FastifyInstance, fastify } from 'fastify';

import type { PageLimits } from '../graph/connection.ts';
import type { OperationContext } from '../graph/context.ts';
import type { Log } from '../telemetry/log.ts';
import { registerBrowsers } from './browsers.ts';
import { checkRequest } from './check-request.ts';
import { registerErrorAnswers } from './error-answers.ts';
import { registerGraphql } from './graphql.ts';
import type { GraphqlRequestLimits } from './graphql-request.ts';
import { registerHealth } from './health.ts';
import type { Identify } from './identity/identify.ts';
import { createLifetimes } from './lifetime.ts';
import { registerPlayground } from './playground.ts';
import { createClientErrors } from './server/client-errors.ts';
import { createHttpServer } from './server/http-server.ts';
import type { ServerLimits } from './server/limits.ts';
import { parseJsonBody } from './strict-json.ts';

export interface EdgeOptions {
  /** Started already. */
  readonly graph: ApolloServer<OperationContext>;
  readonly identify: Identify;
  /** Rejects while the gateway cannot do its work. */
  readonly checkReady: () => Promise<void>;
  /** Origins whose pages may ask. */
  readonly corsOrigins: readonly string[];
  readonly pages: PageLimits;
  readonly log: Log;
  readonly bodyMaxBytes: number;
  readonly serverLimits: ServerLimits;
  /** The deadline of one GraphQL request. */
  readonly requestTimeoutMs: number;
  /** How much a request may hold. */
  readonly limits: GraphqlRequestLimits;
  /** Absent where the playground is off. */
  readonly playground?: { readonly folder: string; readonly sdl: string } | undefined;
}

/** Makes the HTTP front. It listens when told to. */
export async function createEdge(options: EdgeOptions): Promise<FastifyInstance> {
  const {
    graph,
    identify,
    checkReady,
    corsOrigins,
    pages,
    log,
    bodyMaxBytes,
    limits,
    serverLimits,
    requestTimeoutMs,
    playground,
  } = options;
  const app = fastify({
    // Fastify's own lines are worth reading only when something is wrong.
    loggerInstance: log.child({}, { level: log.isLevelEnabled('warn') ? 'warn' : log.level }) as FastifyBaseLogger,
    bodyLimit: bodyMaxBytes,
    serverFactory: (serve) => createHttpServer(serverLimits, serve),
    clientErrorHandler: createClientErrors(),
    forceCloseConnections: 'idle',
    // Ids are made here and never taken from a caller, who could forge another's.
    requestIdHeader: false,
    genReqId: () => randomUUID(),
  });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, async (_request: unknown, body: Buffer) =>
    parseJsonBody(body, limits.json),
  );
  app.addHook('onRequest', async (request, reply) => {
    reply.headers({ 'x-request-id': request.id, 'x-content-type-options': 'nosniff', 'cache-control': 'no-store' });
    reply.header('vary', 'Authorization, Cookie');
    checkRequest(request.raw);
  });
  registerErrorAnswers(app, bodyMaxBytes);
  registerHealth(app, checkReady);
  await registerBrowsers(app, corsOrigins);
  registerGraphql(app, { graph, identify, pages, limits, lifetimes: createLifetimes(requestTimeoutMs) });
  if (playground) await registerPlayground(app, playground);
  return app;
}
