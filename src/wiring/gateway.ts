import { join } from 'node:path';
import type { Settings } from '../config/settings.ts';
import { startServer } from '../graphql/apollo-server.ts';
import { checkDocument } from '../graphql/documents.ts';
import { createOperationLog } from '../graphql/operation-log.ts';
import { startSchemaManager } from '../graphql/schema-manager.ts';
import { createHttpServer } from '../http/server.ts';
import type { Log } from '../telemetry/log.ts';
import { openCache } from './cache.ts';
import { type Closers, createClosers } from './closers.ts';
import type { Configuration } from './configuration.ts';
import { wireDocuments } from './documents.ts';
import { toHttpOptions } from './http.ts';
import { wireIdentity } from './identity.ts';
import { openMetrics, publishMetrics } from './metrics.ts';
import { findPlatform } from './platform.ts';
import { joinReplicas } from './replicas.ts';
import type { RunningSandbox } from './sandbox.ts';
import { openTypedGraph } from './typed.ts';
import { openUpstream, toSelf } from './upstream.ts';

/** A gateway that listens. */
export interface Gateway {
  /** Where it can be asked, without a path. */
  readonly url: string;
  /** Where its figures are read; `undefined` where they are not. */
  readonly metricsUrl: string | undefined;
  /** The platform that came with it, where no other is configured. */
  readonly sandbox: RunningSandbox | undefined;
  /** Whether the playground is served. */
  readonly isExplorable: boolean;
  /** Resolves when the gateway can do its work. @throws {UpstreamError} when the platform gives it no token. */
  checkReady(): Promise<void>;
  /** Takes no new request, finishes those under way, and closes all that was opened. */
  close(): Promise<void>;
}

const PLAYGROUND_FOLDER = join(import.meta.dirname, '../../playground/dist');

/** Starts a gateway, and a sandbox where no platform is configured. When it cannot, it closes what it had opened. */
export async function startGateway(configuration: Configuration, log: Log): Promise<Gateway> {
  const closers = createClosers();
  try {
    return await open(configuration, log, closers);
  } catch (error) {
    await closers.closeAll();
    throw error;
  }
}

async function open(configuration: Configuration, log: Log, closers: Closers): Promise<Gateway> {
  const { settings } = configuration;
  const metrics = await openMetrics(settings);
  const platform = await findPlatform(configuration, closers);
  const replicas = await joinReplicas(platform.url, configuration, log, closers);
  const factory = openUpstream(platform.url, configuration, { replicas, metrics, closers });
  const store = openCache(settings);
  replicas?.shareInvalidations(store);
  const metricsUrl = await publishMetrics(metrics, settings, { store, replicas }, closers);
  await replicas?.open();
  const own = toSelf(factory, platform.credentials);
  const { authenticate, checkReady } = wireIdentity(configuration, { factory, store, own, log, closers });
  const { schema, isWhole, follow } = await openTypedGraph(configuration, { upstream: own?.upstream, log });
  const documents = wireDocuments(settings, { isWhole, log, check: (text) => checkDocument(text, schema) });

  const isExplorable = isOnBesidesProduction(settings.PLAYGROUND, settings);
  const graph = await startSchemaManager(
    (next, version) => startServer({ schema: next, version, log, isIntrospectable: isExplorable }),
    schema,
  );
  closers.add(graph.stop);

  const http = await createHttpServer({
    graphql: {
      graph,
      authenticate,
      pages: { defaultSize: settings.PAGE_SIZE, maxSize: settings.PAGE_SIZE_MAX },
      maxCalls: settings.COST_MAX_CALLS,
      documents,
      logOperation: createOperationLog(log, metrics),
      cachePolicy: settings.CACHE_CONTROL,
      isExplaining: isOnBesidesProduction(settings.EXPLAIN, settings),
      callerRequestsPerMinute: settings.CALLER_REQUESTS_PER_MINUTE,
    },
    health: { checkReady, isSharing: replicas?.isSharing },
    log,
    ...toHttpOptions(configuration),
    playground: isExplorable ? { folder: PLAYGROUND_FOLDER, sdl: () => graph.current().sdl() } : undefined,
  });
  closers.add(http.close);
  closers.add(follow({ graph, documents: documents.all }).stop);
  const url = await http.listen({ port: settings.PORT, host: settings.HOST });
  return { url, metricsUrl, sandbox: platform.sandbox, isExplorable, checkReady, close: closers.closeAll };
}

/** What a setting says, and where it says nothing: on, but off in production. */
const isOnBesidesProduction = (setting: 'on' | 'off' | undefined, { NODE_ENV }: Settings): boolean =>
  setting === undefined ? NODE_ENV !== 'production' : setting === 'on';
