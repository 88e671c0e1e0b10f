import type { GraphQLSchema } from 'graphql';

import type { AppConfig } from './app-config.ts';
import { createEndedSessions } from './cache/ended-sessions.ts';
import { CacheStore } from './cache/store.ts';
import type { Signals } from './command.ts';
import type { PlatformLogin } from './config/config.ts';
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
import { createReload } from './reload/reload.ts';
import { createAdapt } from './upstream/adapter/adapt.ts';
import { createMemoryBuckets } from './upstream/call-buckets.ts';
import { createCallBudget } from './upstream/call-budget.ts';
import type { Dialect } from './upstream/dialect.ts';
import { createUpstreamFactory, openService } from './upstream/index.ts';
import type { Credentials } from './upstream/sign-in.ts';

/** Where forms, cases and rules are. */
interface Platform {
  /** The interface's `{base_url}`. */
  readonly url: string;
  /** The gateway's own; it may have none where callers bring theirs. */
  readonly credentials: Credentials | undefined;
  /** Lines for those who start the gateway. */
  readonly about: readonly string[];
}

/** No platform: nothing is called there. */
const NOWHERE: Platform = { url: 'http://platform.invalid', credentials: undefined, about: [] };

/** The configured platform, or the one that a feature opens. @throws {Error} where there is neither. */
export async function findPlatform(
  config: AppConfig,
  { log, resources }: Pick<OpenOptions, 'log' | 'resources'>,
): Promise<Platform> {
  const { settings, login, features } = config;
  if (settings.UPSTREAM_URL !== undefined) {
    return { url: settings.UPSTREAM_URL, credentials: login && toCredentials(config, login), about: [] };
  }
  const { openPlatform } = features.find((feature) => feature.openPlatform) ?? {};
  if (openPlatform === undefined) throw new Error('There is no platform: set UPSTREAM_URL.');
  const { url, user, about } = await openPlatform({ log, defer: (close) => resources.defer(close) });
  return { url, credentials: toCredentials(config, user), about };
}

/** The credentials of `getToken` for a user, or the body that is configured. */
export function toCredentials({ settings, dialect: { token } }: AppConfig, login: PlatformLogin): Credentials {
  if ('body' in login) return { variant: 'A', body: login.body };
  const { username, password } = login;
  if (settings.UPSTREAM_AUTH === 'basic') return { variant: 'B', username, password };
  return { variant: 'A', body: { [token.username]: username, [token.password]: password } };
}

/** The address of `getToken`; `undefined` where it is among the platform's operations. */
export function tokenUrlOf(baseUrl: string, { token: { url } }: Dialect): URL | undefined {
  return url === null ? undefined : new URL(url, `${baseUrl.replace(/\/+$/, '')}/`);
}

const NO_SIGNALS: Signals = { onHangup: () => undefined };

/** Gives the public schema as a gateway of these settings serves it; `isPartial` where definitions of forms are lacking. */
export async function readSchema(config: AppConfig, log: Log, from: 'platform' | 'settings'): Promise<GraphQLSchema> {
  await using resources = new AsyncDisposableStack();
  const { graph } = await openParts(config, { log, resources, from });
  return graph.current().schema;
}

interface OpenOptions {
  readonly log: Log;
  readonly resources: AsyncDisposableStack;
  readonly signals?: Signals | undefined;
  /** Where definitions of forms come from: without the platform, nothing is called. */
  readonly from?: 'platform' | 'settings';
}

/** Opens all that the graph is made of: what is shared, the platform, the cache, the features, the schema. */
export async function openParts(config: AppConfig, { log, resources, signals = NO_SIGNALS, from }: OpenOptions) {
  const platform = from === 'settings' ? NOWHERE : await findPlatform(config, { log, resources });
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
  const variant = settings.UPSTREAM_AUTH === 'credentials' ? 'A' : 'B';
  const upstream = createUpstreamFactory({
    baseUrl: platform.url,
    tokenUrl: tokenUrlOf(platform.url, dialect)?.href,
    transport: config.transport,
    variant,
    dialect,
    adapt: config.adapter && createAdapt(config.adapter, { variant, log, isProduction }),
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
  const { about } = platform;
  const own = { about, callBuckets, upstream, service, store, documents, files, endedSessions, shared };
  const parts: GatewayParts & typeof own = { ...core, ...own, authorization: {} };
  for (const { open } of features) await open?.(parts);
  await parts.graph.refresh();
  return parts;
}

function notYet(): never {
  throw new Error('The HTTP server is not there yet.');
}
