import { createEndedSessions, type EndedSessions } from '../cache/ended-sessions.ts';
import { CacheStore } from '../cache/store.ts';
import { type PlatformLogin, requestTimeoutOf } from '../config/config.ts';
import { packageVersion } from '../config/package.ts';
import type { Facts } from '../core/facts.ts';
import type { Log } from '../core/log.ts';
import { createObservers } from '../core/observers.ts';
import type { Signals } from '../features/command.ts';
import type { Gateway, SampleUser, SharedState } from '../features/feature.ts';
import {
  createPersistedDocuments,
  type PersistedDocuments,
} from '../graphql/admission/persisted-documents.ts';
import { createSchemaManager, type SchemaVersion } from '../graphql/apollo-server.ts';
import { createOperationLog } from '../graphql/operations.ts';
import { observeRefusedCallers } from '../http/auth/callers.ts';
import { Authorization } from '../http/auth/identity.ts';
import { credentialsOf } from '../http/auth/modes.ts';
import { createOperatorServer } from '../http/operator-server.ts';
import { createOverloadLimit, type OverloadLimit } from '../http/overload.ts';
import { createShutdown, type Shutdown } from '../http/shutdown.ts';
import { createReload, type Reload } from '../reload/reload.ts';
import { createAdapt } from '../upstream/adapter/adapt.ts';
import { createMemoryBuckets } from '../upstream/call-buckets.ts';
import { createCallBudget } from '../upstream/call-budget.ts';
import type { Dialect } from '../upstream/dialect.ts';
import { createUpstreamFactory, openService } from '../upstream/index.ts';
import type { Credentials } from '../upstream/sign-in.ts';
import type { AppConfig } from './config.ts';

/** The platform of a gateway. */
interface Platform {
  /** The interface's `{base_url}`. */
  readonly url: string;
  /** The gateway's own credentials. `undefined` if every caller sends credentials. */
  readonly credentials: Credentials | undefined;
  readonly sampleUsers: readonly SampleUser[];
  /** Lines that `start` prints about the platform. */
  readonly about: readonly string[];
  /** Whether a feature opened it. */
  readonly isEmbedded: boolean;
}

/** The platform of a gateway that makes no calls. */
const NOWHERE: Platform = {
  url: 'http://platform.invalid',
  credentials: undefined,
  sampleUsers: [],
  about: [],
  isEmbedded: false,
};

/**
 * Returns the configured platform, or opens the platform of a feature.
 *
 * @throws {Error} if there is neither.
 */
export async function findPlatform(
  config: AppConfig,
  log: Log,
  defer: Gateway['defer'],
): Promise<Platform> {
  const { settings, login, features } = config;
  if (settings.UPSTREAM_URL !== undefined) {
    return {
      url: settings.UPSTREAM_URL,
      credentials: login && toCredentials(config, login),
      sampleUsers: [],
      about: [],
      isEmbedded: false,
    };
  }
  const { openPlatform } = features.find((feature) => feature.openPlatform) ?? {};
  if (openPlatform === undefined) throw new Error('There is no platform: set UPSTREAM_URL.');
  const { url, user, users, about } = await openPlatform({ log, defer });
  const credentials = toCredentials(config, user);
  return { url, credentials, sampleUsers: users, about, isEmbedded: true };
}

/** Returns the credentials for `getToken`, from a user or from the configured body. */
export function toCredentials(
  { settings, dialect: { token } }: AppConfig,
  login: PlatformLogin,
): Credentials {
  if ('body' in login) return { variant: 'A', body: login.body };
  const { username, password } = login;
  if (settings.UPSTREAM_AUTH === 'basic') return { variant: 'B', username, password };
  return { variant: 'A', body: { [token.username]: username, [token.password]: password } };
}

/** Returns the address of `getToken`. `undefined` if it is at the platform's own base address. */
export function tokenUrlOf(baseUrl: string, { token: { url } }: Dialect): URL | undefined {
  return url === null ? undefined : new URL(url, `${baseUrl.replace(/\/+$/, '')}/`);
}

const NO_SIGNALS: Signals = { onHangup: () => undefined };

interface OpenOptions {
  readonly log: Log;
  /** Closes everything together with the gateway. */
  readonly resources: AsyncDisposableStack;
  readonly signals?: Signals | undefined;
  /**
   * The source of form definitions. With `settings` the platform is not called, so definitions are
   * known only if the settings name a file with them.
   */
  readonly definitionsFrom?: 'platform' | 'settings';
}

/**
 * A gateway without its HTTP server. `gateway` is for features, the other members are for the
 * server.
 */
interface OpenedGateway {
  readonly gateway: Gateway;
  /** Lines that `start` prints about the platform. */
  readonly about: readonly string[];
  /** The address of the platform that a feature has opened. */
  readonly embeddedUrl: string | undefined;
  readonly shared: SharedState;
  readonly documents: PersistedDocuments;
  readonly files: Reload;
  readonly endedSessions: EndedSessions;
  readonly overload: OverloadLimit;
  readonly shutdown: Shutdown;
}

/**
 * Returns the schema version that a gateway with these settings serves. Its schema is partial if form
 * definitions are missing.
 */
export async function readGraph(
  config: AppConfig,
  log: Log,
  definitionsFrom: 'platform' | 'settings',
): Promise<SchemaVersion> {
  await using resources = new AsyncDisposableStack();
  const { gateway } = await openGateway(config, { log, resources, definitionsFrom });
  return gateway.graph.current();
}

const withRequiredKept = ({ form, ...others }: Dialect): Dialect => ({
  ...others,
  form: { ...form, isRequiredKept: true },
});

/**
 * Opens everything except the HTTP server: shared state, platform, cache, limits, features and
 * schema.
 */
export async function openGateway(
  config: AppConfig,
  { log, resources, signals = NO_SIGNALS, definitionsFrom }: OpenOptions,
): Promise<OpenedGateway> {
  const { settings, limits, features, readAtMs, secretFiles } = config;
  const isProduction = settings.NODE_ENV === 'production';
  const isExplorable = settings.PLAYGROUND ?? !isProduction;
  const defer = (close: () => Promise<void> | void): void => resources.defer(close);

  const observers = createObservers();
  observers.add(createOperationLog(log, settings.LOG_LEVEL === 'debug'));
  observers.add(observeRefusedCallers(log));
  const facts: Facts = { gauges: [], readiness: [], status: [] };
  const graph = createSchemaManager({
    log,
    isIntrospectable: isExplorable,
    ids: () => observers.current()?.ids,
    list: config.dialect.list,
  });
  const operator =
    settings.METRICS_PORT === undefined
      ? undefined
      : createOperatorServer({ host: settings.HOST, log });

  const platform =
    definitionsFrom === 'settings' ? NOWHERE : await findPlatform(config, log, defer);
  // The embedded platform checks all that it stores.
  const dialect = platform.isEmbedded ? withRequiredKept(config.dialect) : config.dialect;
  const { share } = features.find((feature) => feature.share) ?? {};
  const shared = (await share?.({ log, facts, defer, platformUrl: platform.url })) ?? {};
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
    onList: (list, setting, rows) =>
      log.warn({ list, rows }, `a list differs from the dialect; set ${setting}`),
  });
  defer(upstream.close);
  const service =
    platform.credentials && openService(upstream, platform.credentials, { dialect, log });
  const store = new CacheStore({
    definitionsMs: settings.CACHE_DEFINITIONS_MS,
    instancesMs: settings.CACHE_INSTANCES_MS,
    staleIfErrorMs: settings.STALE_IF_ERROR_MS,
    maxBytes: limits.cacheBytes,
  });
  shared.shareInvalidations?.(store);
  const endedSessions = createEndedSessions(shared.sharedEndings);
  await shared.open?.();

  const documents = createPersistedDocuments({ settings, log, graph });
  const files = createReload({ readAtMs, secretFiles, facts, log });
  const shutdown = createShutdown({
    isProduction,
    timeoutMs: limits.shutdownMs,
    requestTimeoutMs: requestTimeoutOf(settings, limits),
  });
  const overload = createOverloadLimit({
    maxConcurrentRequests: limits.maxConcurrentRequests,
    lateMs: limits.lateMs,
    hasCallers: credentialsOf(settings) !== 'none',
  });

  const gateway: Gateway = {
    version: packageVersion(),
    settings,
    limits,
    dialect,
    isExplorable,
    log,
    observers,
    facts,
    signals,
    callBuckets: shared.callBuckets ?? createMemoryBuckets(),
    upstream,
    service,
    sampleUsers: platform.sampleUsers,
    documents,
    files,
    store,
    endedSessions,
    graph,
    authorization: new Authorization(),
    http: {
      plugins: [],
      routes: [],
      answers: new Map(),
      load: overload.usage,
      isStopping: shutdown.isStopping,
    },
    operator,
    defer,
  };
  for (const feature of features) await feature.open?.(gateway);
  await graph.refresh();
  return {
    gateway,
    about: platform.about,
    embeddedUrl: platform.isEmbedded ? platform.url : undefined,
    shared,
    documents,
    files,
    endedSessions,
    overload,
    shutdown,
  };
}
