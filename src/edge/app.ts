import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { type FastifyBaseLogger, type FastifyInstance, fastify } from 'fastify';

import type { PageLimits } from '../graphql/connections.ts';
import type { LogOperation } from '../graphql/operation-log.ts';
import type { PersistedDocuments } from '../graphql/persisted-documents.ts';
import type { SchemaManager } from '../graphql/schema-manager.ts';
import type { Log } from '../telemetry/log.ts';
import { registerBrowsers } from './browsers.ts';
import type { Keeping } from './caching.ts';
import { checkRequest } from './check-request.ts';
import { type DrainOptions, drain } from './drain.ts';
import { registerErrorAnswers } from './error-answers.ts';
import { createFront, type Front, type FrontOptions } from './front.ts';
import { type GraphqlRequestLimits, registerGraphql } from './graphql.ts';
import { registerHealth } from './health.ts';
import type { Identify } from './identity/identify.ts';
import { registerPlayground } from './playground.ts';
import { shared } from './server/listeners.ts';
import { parseJsonBody } from './strict-json.ts';

export interface EdgeOptions extends FrontOptions {
  /** Started already. */
  readonly graph: SchemaManager;
  readonly identify: Identify;
  /** Rejects while the gateway cannot do its work. */
  readonly checkReady: () => Promise<void>;
  /** Whether what replicas share is shared now; absent for a gateway that is alone. */
  readonly isSharing?: (() => boolean) | undefined;
  /** Origins whose pages may ask. */
  readonly corsOrigins: readonly string[];
  readonly pages: PageLimits;
  readonly log: Log;
  readonly drain: DrainOptions;
  /** How much a request may hold. */
  readonly limits: GraphqlRequestLimits;
  /** The documents that have names. */
  readonly documents: PersistedDocuments;
  readonly logOperation: LogOperation;
  /** Who may keep the answers of queries by GET. */
  readonly keeping: Keeping;
  /** Whether clients may ask what their operations cost. */
  readonly isExplaining: boolean;
  /** Absent where the playground is off. */
  readonly playground?: { readonly folder: string; readonly sdl: () => string } | undefined;
}

/** The HTTP front. */
export interface Edge {
  /** Gives the address, without a path. */
  listen(where: { readonly port: number; readonly host: string }): Promise<string>;
  /** Stops as `drain` says. */
  close(): Promise<void>;
}

/** Makes the HTTP front. It listens when told to. */
export async function createEdge(options: EdgeOptions): Promise<Edge> {
  const { graph, identify, checkReady, isSharing, corsOrigins, pages, log, bodyMaxBytes, limits, playground } = options;
  const front = createFront(options);
  const app = fastify({
    // Fastify's own lines are worth reading only when something is wrong.
    loggerInstance: log.child({}, { level: log.isLevelEnabled('warn') ? 'warn' : log.level }) as FastifyBaseLogger,
    bodyLimit: bodyMaxBytes,
    serverFactory: front.createServer,
    clientErrorHandler: front.clientErrors.answer,
    forceCloseConnections: 'idle',
    // Whoever still comes while the gateway stops is served, and told to go elsewhere next time.
    return503OnClosing: false,
    // Ids are made here and never taken from a caller, who could forge another's.
    requestIdHeader: false,
    genReqId: () => randomUUID(),
  });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser<Buffer>('application/json', { parseAs: 'buffer' }, (_request, body, done) => {
    done(null, parseJsonBody(body, limits.json));
  });
  // Hooks are called on every request, and one that returns a promise lets it wait for nothing.
  app.addHook('onRequest', (request, reply, done) => {
    reply.headers({ 'x-request-id': request.id, 'x-content-type-options': 'nosniff', 'cache-control': 'no-store' });
    reply.header('vary', 'Authorization, Cookie');
    checkRequest(request.raw);
    done();
  });
  replayPeeked(app, front);
  registerErrorAnswers(app, bodyMaxBytes);
  registerHealth(app, { checkReady, isSharing, isDraining: front.lifecycle.isDraining, lagMs: front.lagMs });
  await registerBrowsers(app, corsOrigins);
  const { documents, logOperation, keeping, isExplaining } = options;
  registerGraphql(app, { graph, identify, pages, limits, documents, logOperation, keeping, isExplaining, front });
  if (playground) await registerPlayground(app, playground);
  return {
    listen: async (where) => app.listen(await shared(where)),
    close: () => drain({ app, front, ...options.drain }),
  };
}

/** Gives bodies that were read already, to see whether their requests may come in, to whom they are meant for. */
function replayPeeked(app: FastifyInstance, { peek }: Front): void {
  app.addHook('preParsing', (request, _reply, payload, done) => {
    const body = peek.bodyOf(request.raw);
    done(null, body === undefined ? payload : Readable.from([body]));
  });
}
