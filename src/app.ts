import type { Sandbox } from '../sandbox/index.ts';
import { createEndedSessions } from './cache/ended-sessions.ts';
import { CacheStore } from './cache/store.ts';
import { type Config, type Login, loadConfig } from './config/config.ts';
import { type Environment, packageVersion } from './config/load.ts';
import type { Settings } from './config/settings.ts';
import { Facts } from './core/facts.ts';
import { isJsonObject } from './core/json.ts';
import type { Log } from './core/log.ts';
import { createObservers, type Observers } from './core/observers.ts';
import type { Feature, GatewayParts } from './feature.ts';
import type { Extensions } from './features/extensions/index.ts';
import { metrics } from './features/metrics/index.ts';
import { playground } from './features/playground/index.ts';
import type { Replicas } from './features/replicas/index.ts';
import { status } from './features/status/index.ts';
import { traces } from './features/traces/index.ts';
import { type Aliases, readAliases } from './features/typed-graph/form-names.ts';
import { openTypedSchema, type TypedSchema } from './features/typed-graph/schema-reloader.ts';
import { startSchemaManager } from './graphql/apollo-server.ts';
import { createOperationLog } from './graphql/operations.ts';
import { openDocuments } from './graphql/persisted-documents.ts';
import { createSchema } from './graphql/schema.ts';
import { createAuthenticate } from './http/auth/identity.ts';
import { createOperatorServer } from './http/operator-server.ts';
import { createHttpServer, type HttpServer } from './http/server.ts';
import { type Dialect, readDialect } from './upstream/dialect.ts';
import { createUpstreamFactory, type Upstream, type UpstreamFactory } from './upstream/index.ts';
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
  readonly isExplorable: boolean;
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

/** Capabilities that the gateway may go without, in the order of their work. */
// biome-ignore format: one line each.
const FEATURES: readonly Feature[] = [
  traces,
  metrics,
  status,
  playground,
];

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
  const isExplorable = (settings.PLAYGROUND ?? (isProduction ? 'off' : 'on')) === 'on';

  const observers = createObservers();
  observers.add(createOperationLog(log));
  const facts = new Facts();
  const platform = await findPlatform(config, resources, (cause) => log.error({ cause }, 'the sandbox failed'));
  const replicas = await createReplicas(platform.url, config, { log, facts });
  if (replicas) resources.defer(replicas.close);
  const upstream = connectUpstream(platform.url, config, { replicas, observers, log });
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

  const checkReady = settings.IDENTITY === 'service' && service ? service.authenticate : async () => undefined;
  const operator =
    settings.METRICS_PORT === undefined
      ? undefined
      : createOperatorServer({ port: settings.METRICS_PORT, host: settings.HOST });
  const plugins: GatewayParts['http']['plugins'] = [];
  const parts: GatewayParts = {
    version: packageVersion(),
    settings,
    traces: config.traces,
    log,
    observers,
    facts,
    upstream,
    store,
    isExplorable,
    http: {
      plugins,
      load: () => http.load(),
      isStopping: () => http.isStopping(),
      authenticate: (request, reply) => authenticate(request, reply),
      sdl: () => graph.current().sdl(),
    },
    operator,
    checkReady,
    isSchemaMissing: () => isSchemaMissing(),
    defer: (close) => resources.defer(close),
  };
  for (const feature of FEATURES) await feature.open(parts);

  const extensions = await loadExtensions(config, { log, observers, facts });
  if (extensions) resources.defer(extensions.close);
  const typed = await openPublicSchema(config, service, { log, facts, extensions });
  const documents = openDocuments(settings, { ...typed, log });
  const { missing } = typed;
  const isSchemaMissing = () => missing() !== undefined;
  const graph = await startSchemaManager(typed.schema, { log, isIntrospectable: isExplorable, missing });
  resources.defer(graph.stop);

  const authenticate = createAuthenticate({
    ...config,
    upstream,
    service,
    signIn: (login) => upstream.signIn(toCredentials(config, login)),
    store,
    shareRun: replicas?.shareRuns(settings.UPSTREAM_TIMEOUT_MS),
    ended,
    log,
    onStop: (stop) => resources.defer(stop),
  });
  const http = await createHttpServer({
    config,
    graphql: {
      graph,
      authenticate,
      callerRequests: countCallerRequests(settings, replicas),
      documents,
      observers,
    },
    health: {
      checkReady,
      isSchemaMissing,
      isSharing: replicas?.isSharing,
      leftOut: extensions?.leftOut,
    },
    log,
    onRefusal: observers.refusal,
    plugins,
    isExplorable,
  });
  reportLimits(facts, http, parts);
  facts.figures.push({
    name: 'caseway_log_lines_lost',
    help: 'Number of log lines that could not be written.',
    type: 'gauge',
    read: lostLines,
  });
  const metricsUrl = await operator?.listen();
  if (operator) resources.defer(operator.close);
  // After the metrics, which are so served until the last request is answered.
  resources.defer(http.close);
  const watching = typed.watch({ manager: graph, documents: documents.all });
  resources.defer(watching.stop);
  const url = await http.listen();
  return {
    url,
    metricsUrl: metricsUrl && `${metricsUrl}/metrics`,
    sandbox: platform.sandbox,
    isExplorable,
    checkReady,
  };
}

interface Platform {
  /** The interface's `{base_url}`. */
  readonly url: string;
  /** The gateway's own; it may have none where callers bring theirs. */
  readonly credentials: Credentials | undefined;
  readonly sandbox: RunningSandbox | undefined;
}

/** The configured platform, or a sandbox that is started. @throws {Error} where there is neither. */
export async function findPlatform(
  config: AppConfig,
  resources: AsyncDisposableStack,
  onSandboxError?: (cause: string) => void,
): Promise<Platform> {
  const { settings, login } = config;
  if (settings.UPSTREAM_URL !== undefined) {
    return { url: settings.UPSTREAM_URL, credentials: login && toCredentials(config, login), sandbox: undefined };
  }
  const { SANDBOX = settings.NODE_ENV === 'production' ? 'off' : 'on' } = settings;
  if (SANDBOX === 'off') {
    throw new Error('There is no platform: set UPSTREAM_URL, or SANDBOX=on for the embedded one with sample data.');
  }
  const sandbox = await startSandbox(settings, resources, onSandboxError);
  const [user] = sandbox.users;
  if (user === undefined) throw new Error('The sandbox’s definitions name no user; add one to users.yaml.');
  return { url: sandbox.url, credentials: toCredentials(config, user), sandbox };
}

const SANDBOX_PACKAGES_MISSING =
  'The sandbox’s packages feelin and yaml are not installed: run "npm install" without --omit=optional, build the image’s target "sandbox", or set UPSTREAM_URL.';

/** Starts the embedded platform. */
export async function startSandbox(
  settings: Settings,
  resources: AsyncDisposableStack,
  onError?: (cause: string) => void,
): Promise<RunningSandbox> {
  // Loaded only where it is used. Its packages are optional, and the image has none of them.
  const { createSandbox } = await import('../sandbox/index.ts').catch((cause: NodeJS.ErrnoException) => {
    if (cause.code !== 'ERR_MODULE_NOT_FOUND') throw cause;
    throw new Error(SANDBOX_PACKAGES_MISSING, { cause });
  });
  const { SANDBOX_DEFINITIONS: definitions } = settings;
  const sandbox = createSandbox({
    file: settings.SANDBOX_FILE,
    requestLimit: settings.SANDBOX_REQUEST_LIMIT,
    onAnswer({ operation, error }) {
      if (error instanceof Error) onError?.(`${operation}: ${'errstr' in error ? error.errstr : error.name}`);
    },
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

/** Reports the limits, and what is used of them. */
function reportLimits(
  { figures }: Facts,
  { load }: HttpServer,
  { settings, store, upstream }: Pick<GatewayParts, 'settings' | 'store' | 'upstream'>,
): void {
  const gauge = (name: string, help: string, read: () => number) => figures.push({ name, help, type: 'gauge', read });
  gauge('caseway_cache_bytes', 'Estimated memory of cached records and responses in bytes.', () => store.bytes);
  gauge('caseway_requests_in_flight', 'Number of requests in flight.', () => load().inFlight);
  gauge(
    'caseway_requests_limit',
    'Current limit of requests in flight; below MAX_CONCURRENT_REQUESTS while the event loop is late.',
    () => load().limit,
  );
  gauge(
    'caseway_event_loop_delay_seconds',
    'Event loop delay in the last sample, in seconds; 0 while nothing is in flight.',
    () => load().delayMs / 1_000,
  );
  gauge(
    'caseway_platform_answering',
    'Whether the platform answers: 0 from when the circuit breaker opens until a probe is answered, else 1.',
    () => Number(upstream.isAnswering()),
  );
  const budget = settings.UPSTREAM_CALLS_PER_MINUTE;
  if (budget === undefined) return;
  gauge('caseway_call_budget', 'UPSTREAM_CALLS_PER_MINUTE in calls per minute, shared by all replicas.', () => budget);
}

async function createReplicas(
  platformUrl: string,
  config: AppConfig,
  parts: Pick<GatewayParts, 'log' | 'facts'>,
): Promise<Replicas | undefined> {
  const { settings, sessionKeys: keys } = config;
  if (settings.REDIS_URL === undefined || keys === undefined) return undefined;
  const redis = await import('./features/replicas/index.ts');
  return redis.createReplicas({ platformUrl, url: settings.REDIS_URL, keys, ...parts });
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
  readonly observers?: Observers | undefined;
  readonly log?: Log | undefined;
}

/** Connects to the platform at `baseUrl`. Nothing is sent before the first call. */
export function connectUpstream(
  baseUrl: string,
  { settings, dialect }: AppConfig,
  { replicas, observers, log }: UpstreamParts = {},
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
    observers,
    onConnection(host, isLost) {
      if (isLost) log?.warn(`connection to the ${host} lost`);
      else log?.info(`connection to the ${host} restored`);
    },
  });
}

interface ExtensionParts {
  readonly log: Log;
  readonly facts?: Facts | undefined;
  readonly observers?: Observers | undefined;
}

/** The extensions that the settings name. @throws {ConfigError} naming each module that cannot be used. */
export async function loadExtensions({ settings }: AppConfig, parts: ExtensionParts): Promise<Extensions | undefined> {
  const { EXTENSIONS: path, NODE_ENV } = settings;
  if (path === undefined) return undefined;
  // Loaded only where there are any.
  const { openExtensions } = await import('./features/extensions/index.ts');
  return openExtensions(path, { ...parts, isProduction: NODE_ENV === 'production' });
}

interface SchemaParts {
  readonly log: Log;
  readonly facts?: Facts | undefined;
  readonly extensions?: Extensions | undefined;
}

/** The public schema, with types for the forms that the settings name, and with extensions. */
export async function openPublicSchema(
  { settings, dialect, typed }: AppConfig,
  upstream: Upstream | undefined,
  { log, facts, extensions }: SchemaParts,
): Promise<TypedSchema> {
  const extend = extensions?.extend ?? ((schema) => schema);
  if (typed === undefined) {
    const schema = extend(createSchema());
    return { schema, forms: [], isComplete: true, missing: () => undefined, watch: () => ({ stop: () => undefined }) };
  }
  const watchMs = settings.CACHE_DEFINITIONS_MS * WATCH_LIFETIMES || WATCH_UNCACHED_MS;
  const snapshotFile = settings.TYPED_SNAPSHOT;
  return openTypedSchema({ ...typed, dialect, snapshotFile, watchMs, upstream, extend, log, facts });
}
