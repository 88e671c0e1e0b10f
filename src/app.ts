import { join } from 'node:path';

import type { Sandbox } from '../sandbox/index.ts';
import { createEndedSessions } from './cache/ended-sessions.ts';
import { CacheStore } from './cache/store.ts';
import { type Config, type Login, loadConfig } from './config/config.ts';
import { type Environment, packageVersion } from './config/load.ts';
import type { Settings } from './config/settings.ts';
import type { Extensions } from './extensions/index.ts';
import { startSchemaManager } from './graphql/apollo-server.ts';
import { createOperationLog } from './graphql/operations.ts';
import { openDocuments } from './graphql/persisted-documents.ts';
import { createSchema } from './graphql/schema.ts';
import { createAuthenticate } from './http/auth/identity.ts';
import { serveMetrics } from './http/metrics-server.ts';
import { credentialsOf } from './http/playground.ts';
import { createHttpServer, type HttpServer } from './http/server.ts';
import { readStatus, type StatusSources } from './http/status.ts';
import type { Replicas } from './redis/index.ts';
import type { Log } from './telemetry/log.ts';
import type { Metrics } from './telemetry/metrics.ts';
import { createRequests, type Requests, type Tracer } from './telemetry/requests.ts';
import { type Aliases, readAliases } from './typed-graph/form-names.ts';
import { openTypedSchema, type SchemaReport, type TypedSchema } from './typed-graph/schema-reloader.ts';
import { type Dialect, readDialect } from './upstream/dialect.ts';
import { createUpstreamFactory, type Upstream, type UpstreamFactory } from './upstream/index.ts';
import { isJsonObject } from './upstream/json.ts';
import { type CallCounter, createCallBudget, createMemoryCounters, MINUTE_MS } from './upstream/rate-limit.ts';
import type { Credentials } from './upstream/sign-in.ts';

export type AppConfig = Config<Dialect, Aliases>;

/** A gateway that listens. */
export interface Gateway {
  /** Its address, without a path. */
  readonly url: string;
  /** Where Prometheus metrics are served; `undefined` without `METRICS_PORT`. */
  readonly metricsUrl: string | undefined;
  /** The embedded platform, where it is used. */
  readonly sandbox: RunningSandbox | undefined;
  readonly hasPlayground: boolean;
  /** Resolves when the gateway can do its work. @throws {UpstreamError} when the platform gives it no token. */
  checkReady(): Promise<void>;
  /** Stops without losing a request, and closes everything that was opened. */
  close(): Promise<void>;
}

/** A sandbox that listens. */
export interface RunningSandbox {
  /** The interface's `{base_url}`. */
  readonly url: string;
  readonly users: Sandbox['users'];
}

const PLAYGROUND_FOLDER = join(import.meta.dirname, '../playground/dist');
/** Definitions are read again after so many of their lifetimes in the cache, or this time where they are not cached. */
const WATCH_LIFETIMES = 5;
const WATCH_UNCACHED_MS = 300_000;

/** @throws {ConfigError} listing every problem of the settings and of the files that they name. */
export function readConfig(env: Environment): AppConfig {
  return loadConfig(env, {
    dialect(content) {
      const reading = readDialect(content);
      return 'dialect' in reading ? { value: reading.dialect } : reading;
    },
    aliases(content) {
      const reading = readAliases(content);
      return 'aliases' in reading ? { value: reading.aliases } : reading;
    },
  });
}

/**
 * Starts a gateway, and a sandbox where no platform is configured. When it cannot, it closes what it had opened.
 *
 * @param lostLines gives how many lines of the log could not be written.
 */
export async function startGateway(config: AppConfig, log: Log, lostLines?: () => number): Promise<Gateway> {
  await using resources = new AsyncDisposableStack();
  const gateway = await open(config, log, resources, lostLines);
  const opened = resources.move();
  return { ...gateway, close: () => opened.disposeAsync() };
}

async function open(
  config: AppConfig,
  log: Log,
  resources: AsyncDisposableStack,
  lostLines = () => 0,
): Promise<Omit<Gateway, 'close'>> {
  const { settings } = config;
  const isProduction = settings.NODE_ENV === 'production';
  const hasPlayground = (settings.PLAYGROUND ?? (isProduction ? 'off' : 'on')) === 'on';

  const metrics = settings.METRICS_PORT === undefined ? undefined : await loadMetrics();
  // Opened first, so that it is closed last: what ends the gateway is traced as well.
  const requests = createRequests(await openTracer(config, log, resources));
  const platform = await findPlatform(config, resources);
  const replicas = await createReplicas(platform.url, config, log);
  if (replicas) resources.defer(replicas.close);
  const upstream = connectUpstream(platform.url, config, { replicas, metrics, requests });
  resources.defer(upstream.close);
  const service = platform.credentials && upstream.forService(platform.credentials);

  const store = new CacheStore({
    definitionsMs: settings.CACHE_DEFINITIONS_MS,
    instancesMs: settings.CACHE_INSTANCES_MS,
    staleIfErrorMs: settings.STALE_IF_ERROR_MS,
    maxBytes: settings.CACHE_MAX_BYTES,
  });
  replicas?.shareInvalidations(store);
  const ended = createEndedSessions(replicas?.sharedEndings);
  await replicas?.open();

  const extensions = await loadExtensions(config, { log, metrics, requests });
  if (extensions) resources.defer(extensions.close);
  const typed = await openPublicSchema(config, service, { log, metrics, extensions });
  const documents = openDocuments(settings, { ...typed, log });
  const { missing } = typed;
  const isSchemaMissing = () => missing() !== undefined;
  const graph = await startSchemaManager(typed.schema, { log, isIntrospectable: hasPlayground, missing });
  resources.defer(graph.stop);

  const checkReady = settings.IDENTITY === 'service' && service ? service.authenticate : async () => undefined;
  const http = await createHttpServer({
    config,
    graphql: {
      graph,
      authenticate: createAuthenticate({
        ...config,
        upstream,
        service,
        signIn: (login) => upstream.signIn(toCredentials(config, login)),
        store,
        shareRun: replicas?.shareRuns(settings.UPSTREAM_TIMEOUT_MS),
        ended,
        log,
        onStop: (stop) => resources.defer(stop),
      }),
      callerRequests: countCallerRequests(settings, replicas),
      documents,
      logOperation: createOperationLog(log, metrics),
      requests,
    },
    health: {
      checkReady,
      isSchemaMissing,
      isSharing: replicas?.isSharing,
      leftOut: extensions?.leftOut,
    },
    log,
    onRefusal: metrics?.refusal,
    playground: hasPlayground
      ? { folder: PLAYGROUND_FOLDER, sdl: () => graph.current().sdl(), credentials: credentialsOf(settings) }
      : undefined,
  });
  const status = {
    version: packageVersion(),
    ...{ settings, upstream, store, checkReady, isSchemaMissing },
    load: http.load,
    isStopping: http.isStopping,
    schema: typed.report,
    leftOut: extensions?.leftOut,
    isSharing: replicas?.isSharing,
  };
  const metricsUrl = await publishMetrics(metrics, status, resources, () => {
    metrics?.watch(
      'caseway_cache_bytes',
      'Estimated memory of cached records and responses in bytes.',
      () => store.bytes,
    );
    metrics?.watch(
      'caseway_platform_answering',
      'Whether the platform answers: 0 from when the circuit breaker opens until a probe is answered, else 1.',
      () => Number(upstream.isAnswering()),
    );
    watchLimits(metrics, http, settings);
    metrics?.watch('caseway_log_lines_lost', 'Number of log lines that could not be written.', lostLines);
    watchDefinitions(metrics, typed.report);
    if (extensions) {
      const help = 'Parts of extensions that do not fit the graph and are left out; the log and /readyz name them.';
      metrics?.watch('caseway_extension_parts_left_out', help, () => extensions.leftOut().length);
    }
    if (replicas)
      metrics?.watch('caseway_redis_up', 'Whether Redis is available: 1 or 0.', () => Number(replicas.isSharing()));
  });
  // After the metrics, which are so served until the last request is answered.
  resources.defer(http.close);
  const watching = typed.watch({ manager: graph, documents: documents.all });
  resources.defer(watching.stop);
  const url = await http.listen();
  return { url, metricsUrl, sandbox: platform.sandbox, hasPlayground, checkReady };
}

interface Platform {
  /** The interface's `{base_url}`. */
  readonly url: string;
  /** The gateway's own; it may have none where callers bring theirs. */
  readonly credentials: Credentials | undefined;
  readonly sandbox: RunningSandbox | undefined;
}

/** The configured platform, or a sandbox that is started. @throws {Error} where there is neither. */
export async function findPlatform(config: AppConfig, resources: AsyncDisposableStack): Promise<Platform> {
  const { settings, login } = config;
  if (settings.UPSTREAM_URL !== undefined) {
    return { url: settings.UPSTREAM_URL, credentials: login && toCredentials(config, login), sandbox: undefined };
  }
  const { SANDBOX = settings.NODE_ENV === 'production' ? 'off' : 'on' } = settings;
  if (SANDBOX === 'off') {
    throw new Error('There is no platform: set UPSTREAM_URL, or SANDBOX=on for the embedded one with sample data.');
  }
  const sandbox = await startSandbox(settings, resources);
  const [user] = sandbox.users;
  if (user === undefined) throw new Error('The sandbox’s definitions name no user; add one to users.yaml.');
  return { url: sandbox.url, credentials: toCredentials(config, user), sandbox };
}

const SANDBOX_PACKAGES_MISSING =
  'The sandbox’s packages feelin and yaml are not installed: run "npm install" without --omit=optional, build the image’s target "sandbox", or set UPSTREAM_URL.';

/** Starts the embedded platform. */
export async function startSandbox(settings: Settings, resources: AsyncDisposableStack): Promise<RunningSandbox> {
  // Loaded only where it is used. Its packages are optional, and the image has none of them.
  const { createSandbox } = await import('../sandbox/index.ts').catch((cause: NodeJS.ErrnoException) => {
    if (cause.code !== 'ERR_MODULE_NOT_FOUND') throw cause;
    throw new Error(SANDBOX_PACKAGES_MISSING, { cause });
  });
  const { SANDBOX_DEFINITIONS: definitions } = settings;
  const sandbox = createSandbox({
    file: settings.SANDBOX_FILE,
    requestLimit: settings.SANDBOX_REQUEST_LIMIT,
    ...(definitions !== undefined && { definitions }),
  });
  resources.defer(sandbox.close);
  return { users: sandbox.users, url: await sandbox.listen({ port: settings.SANDBOX_PORT, host: '127.0.0.1' }) };
}

/** What `getToken` needs for a user, or the body that is configured. */
function toCredentials({ settings, dialect: { token } }: AppConfig, login: Login): Credentials {
  if ('body' in login) return { variant: 'A', body: isJsonObject(login.body) ? login.body : {} };
  const { username, password } = login;
  if (settings.UPSTREAM_AUTH === 'basic') {
    return { variant: 'B', username, password, grantType: settings.UPSTREAM_GRANT_TYPE };
  }
  return {
    variant: 'A',
    body: Object.fromEntries([
      [token.username, username],
      [token.password, password],
    ]),
  };
}

async function openTracer(
  { traces }: AppConfig,
  log: Log,
  resources: AsyncDisposableStack,
): Promise<Tracer | undefined> {
  if (traces === undefined) return undefined;
  const { createTracer } = await import('./telemetry/opentelemetry.ts');
  const tracer = await createTracer({ ...traces, version: packageVersion(), log });
  resources.defer(tracer.close);
  return tracer;
}

async function loadMetrics(): Promise<Metrics> {
  // Loaded only where it is used, as Redis is.
  const { createMetrics } = await import('./telemetry/metrics.ts');
  return createMetrics();
}

async function publishMetrics(
  metrics: Metrics | undefined,
  status: Omit<StatusSources, 'metrics'>,
  resources: AsyncDisposableStack,
  addGauges: () => void,
): Promise<string | undefined> {
  const { METRICS_PORT: port, HOST: host } = status.settings;
  if (metrics === undefined || port === undefined) return undefined;
  addGauges();
  const { url, close } = await serveMetrics(metrics, () => readStatus({ ...status, metrics }), { port, host });
  resources.defer(close);
  return `${url}/metrics`;
}

/** Adds gauges of the limits, and of what is used of them where no counter says so. */
function watchLimits(metrics: Metrics | undefined, { load }: HttpServer, settings: Settings): void {
  const budget = settings.UPSTREAM_CALLS_PER_MINUTE;
  metrics?.watch('caseway_requests_in_flight', 'Number of requests in flight.', () => load().inFlight);
  metrics?.watch(
    'caseway_requests_limit',
    'Current limit of requests in flight; below MAX_CONCURRENT_REQUESTS while the event loop is late.',
    () => load().limit,
  );
  metrics?.watch(
    'caseway_event_loop_delay_seconds',
    'Event loop delay in the last sample, in seconds; 0 while nothing is in flight.',
    () => load().delayMs / 1_000,
  );
  if (budget === undefined) return;
  metrics?.watch(
    'caseway_call_budget',
    'UPSTREAM_CALLS_PER_MINUTE in calls per minute, shared by all replicas.',
    () => budget,
  );
}

/** Adds gauges of the typed graph, where it has one. */
function watchDefinitions(metrics: Metrics | undefined, report: TypedSchema['report']): void {
  if (report().age === undefined) return;
  metrics?.watch('caseway_typed_forms', 'Forms with types of their own.', () => report().forms);
  metrics?.watch(
    'caseway_definitions_age_seconds',
    'Time since the form definitions were last read from the platform, in seconds; since the start before they are.',
    () => (report().age?.ms ?? 0) / 1_000,
  );
}

async function createReplicas(platformUrl: string, config: AppConfig, log: Log): Promise<Replicas | undefined> {
  const { settings, sessionKeys: keys } = config;
  if (settings.REDIS_URL === undefined || keys === undefined) return undefined;
  const redis = await import('./redis/index.ts');
  return redis.createReplicas({ platformUrl, url: settings.REDIS_URL, keys, log });
}

function countCallerRequests(
  { CALLER_REQUESTS_PER_MINUTE: limit }: Settings,
  replicas: Replicas | undefined,
): CallCounter | undefined {
  if (limit === undefined) return undefined;
  return replicas?.callerRequests(limit) ?? createMemoryCounters(MINUTE_MS)('requests', limit);
}

interface UpstreamParts {
  readonly replicas?: Replicas | undefined;
  readonly metrics?: Metrics | undefined;
  readonly requests?: Requests | undefined;
}

/** Connects to the platform at `baseUrl`. Nothing is sent before the first call. */
export function connectUpstream(
  baseUrl: string,
  { settings, dialect }: AppConfig,
  { replicas, metrics, requests }: UpstreamParts = {},
): UpstreamFactory {
  const limit = settings.UPSTREAM_CALLS_PER_MINUTE;
  return createUpstreamFactory({
    baseUrl,
    tokenUrl: settings.UPSTREAM_TOKEN_URL,
    variant: settings.UPSTREAM_AUTH === 'credentials' ? 'A' : 'B',
    dialect,
    timeoutMs: settings.UPSTREAM_TIMEOUT_MS,
    callBudget: limit === undefined ? undefined : (replicas?.callBudget(limit) ?? createCallBudget(limit)),
    sharedPause: replicas?.sharedPause,
    sharedRenewal:
      replicas && ((credentials) => replicas.tokenRenewal(JSON.stringify(credentials), settings.UPSTREAM_TIMEOUT_MS)),
    requests,
    onCall: metrics?.call,
  });
}

interface ExtensionParts {
  readonly log: Log;
  readonly metrics?: Metrics | undefined;
  readonly requests?: Requests | undefined;
}

/** The extensions that the settings name. @throws {ConfigError} naming each module that cannot be used. */
export async function loadExtensions({ settings }: AppConfig, parts: ExtensionParts): Promise<Extensions | undefined> {
  const { EXTENSIONS: path, NODE_ENV } = settings;
  if (path === undefined) return undefined;
  // Loaded only where there are any.
  const { openExtensions } = await import('./extensions/index.ts');
  return openExtensions(path, { ...parts, isProduction: NODE_ENV === 'production' });
}

interface SchemaParts {
  readonly log: Log;
  readonly metrics?: Metrics | undefined;
  readonly extensions?: Extensions | undefined;
}

/** What is reported of a schema without types of forms. */
const GENERIC: SchemaReport = { version: 1, forms: 0, problems: [], replacements: [] };

/** The public schema, with types for the forms that the settings name, and with extensions. */
export async function openPublicSchema(
  { settings, dialect, typed }: AppConfig,
  upstream: Upstream | undefined,
  { log, metrics, extensions }: SchemaParts,
): Promise<TypedSchema> {
  const extend = extensions?.extend ?? ((schema) => schema);
  if (typed === undefined) {
    const schema = extend(createSchema());
    return {
      schema,
      forms: [],
      isComplete: true,
      missing: () => undefined,
      report: () => GENERIC,
      watch: () => ({ stop: () => undefined }),
    };
  }
  const watchMs = settings.CACHE_DEFINITIONS_MS * WATCH_LIFETIMES || WATCH_UNCACHED_MS;
  const snapshotFile = settings.TYPED_SNAPSHOT;
  return openTypedSchema({ ...typed, dialect, snapshotFile, watchMs, upstream, extend, log, metrics });
}
