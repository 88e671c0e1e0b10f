import type { GraphQLSchema } from 'graphql';

import type { AppConfig } from './app-config.ts';
import { createEndedSessions } from './cache/ended-sessions.ts';
import { CacheStore } from './cache/store.ts';
import type { Signals } from './command.ts';
import { packageVersion } from './config/package.ts';
import type { Facts } from './core/facts.ts';
import type { Log } from './core/log.ts';
import { createObservers } from './core/observers.ts';
import type { GatewayParts, SharedState } from './feature.ts';
import { createPersistedDocuments } from './graphql/admission/persisted-documents.ts';
import { createSchemaManager } from './graphql/apollo-server.ts';
import { createOperationLog } from './graphql/operations.ts';
import { createRefusalLog } from './http/auth/callers.ts';
import { createOperatorServer } from './http/operator-server.ts';
import { findPlatform, NOWHERE, type Platform, tokenUrlOf } from './platform.ts';
import { createReload } from './reload/reload.ts';
import { createMemoryBuckets } from './upstream/call-buckets.ts';
import { createCallBudget } from './upstream/call-budget.ts';
import { createUpstreamFactory, openService } from './upstream/index.ts';

const NO_SIGNALS: Signals = { onHangup: () => undefined };

/** Gives the public schema as a gateway of these settings serves it; `isPartial` where definitions of forms are lacking. */
export async function readSchema(config: AppConfig, log: Log, from: 'platform' | 'settings'): Promise<GraphQLSchema> {
  await using resources = new AsyncDisposableStack();
  const platform = from === 'platform' ? await findPlatform(config, { log, resources }) : NOWHERE;
  const { graph } = await openParts(config, { platform, log, resources });
  return graph.current().schema;
}

interface OpenOptions {
  readonly platform: Platform;
  readonly log: Log;
  readonly resources: AsyncDisposableStack;
  readonly signals?: Signals | undefined;
}

/** Opens all that the graph is made of: what is shared, the platform, the cache, the features, the schema. */
export async function openParts(config: AppConfig, { platform, log, resources, signals = NO_SIGNALS }: OpenOptions) {
  const { settings, dialect, features, readAtMs, secretFiles } = config;
  const isProduction = settings.NODE_ENV === 'production';
  const isExplorable = settings.PLAYGROUND ?? !isProduction;
  const observers = createObservers();
  const core = {
    settings,
    limits: config.limits,
    dialect,
    version: packageVersion(),
    isExplorable,
    log,
    observers,
    signals,
    facts: { gauges: [], readiness: [], status: [] } satisfies Facts,
    graph: createSchemaManager({
      log,
      isIntrospectable: isExplorable,
      ids: () => observers.current()?.ids,
      list: dialect.list,
    }),
    operator: settings.METRICS_PORT === undefined ? undefined : createOperatorServer({ host: settings.HOST, log }),
    // Its functions are set once the server is there: features call them when requests come.
    http: { plugins: [], routes: [], answers: new Map(), load: notYet, isStopping: notYet, authenticate: notYet },
    defer: (close: () => Promise<void> | void) => resources.defer(close),
  };
  observers.add(createOperationLog(log, settings.LOG_LEVEL === 'debug'));
  observers.add(createRefusalLog(log));

  const shared: SharedState = {};
  for (const { share } of features) Object.assign(shared, await share?.({ ...core, platformUrl: platform.url }));
  const readKinds = features.flatMap(({ readKind }) => readKind ?? []);
  const upstream = createUpstreamFactory({
    baseUrl: platform.url,
    tokenUrl: tokenUrlOf(platform.url, dialect)?.href,
    transport: config.transport,
    variant: settings.UPSTREAM_AUTH === 'credentials' ? 'A' : 'B',
    dialect,
    timeoutMs: settings.UPSTREAM_TIMEOUT_MS,
    callBudget: createCallBudget(settings, readKinds, shared.callBuckets),
    tokenRenewal: shared.tokenRenewal?.(settings.UPSTREAM_TIMEOUT_MS),
    observers,
    onConnection(host, isLost) {
      if (isLost) log.warn(`connection to the ${host} lost`);
      else log.info(`connection to the ${host} restored`);
    },
    onList: (list, setting, rows) => log.warn({ list, rows }, `a list shows what the dialect should say: ${setting}`),
  });
  resources.defer(upstream.close);
  const service = platform.credentials && openService(upstream, platform.credentials, core);
  const store = new CacheStore({
    definitionsMs: settings.CACHE_DEFINITIONS_MS,
    instancesMs: settings.CACHE_INSTANCES_MS,
    staleIfErrorMs: settings.STALE_IF_ERROR_MS,
    maxBytes: config.limits.cacheBytes,
  });
  shared.shareInvalidations?.(store);
  const endedSessions = createEndedSessions(shared.sharedEndings);
  await shared.open?.();

  const callBuckets = shared.callBuckets ?? createMemoryBuckets();
  const documents = createPersistedDocuments(core);
  const files = createReload({ ...core, readAtMs, secretFiles });
  const own = { callBuckets, upstream, service, store, documents, files, endedSessions, shared };
  const parts: GatewayParts & typeof own = { ...core, ...own, authorization: {} };
  for (const { open } of features) await open?.(parts);
  await parts.graph.refresh();
  return parts;
}

function notYet(): never {
  throw new Error('The HTTP server is not there yet.');
}
