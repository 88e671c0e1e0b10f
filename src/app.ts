import type { GraphQLSchema } from 'graphql';
import type { z } from 'zod';

import { KEPT_MS } from './cache/change-outcome.ts';
import { createEndedSessions } from './cache/ended-sessions.ts';
import { CacheStore } from './cache/store.ts';
import type { Signals } from './command.ts';
import {
  type Config,
  checkSettings,
  createReport,
  GATEWAY_LIMITS,
  type GatewayLimits,
  type PlatformLogin,
} from './config/config.ts';
import { ConfigError, type Environment, loadSettings, readText } from './config/load.ts';
import { packageVersion } from './config/package.ts';
import { CORE_SETTINGS, type Settings } from './config/settings.ts';
import type { Facts } from './core/facts.ts';
import type { Log } from './core/log.ts';
import { createObservers } from './core/observers.ts';
import { coreFiles } from './core-files.ts';
import type { ConfiguredFeature, Feature, GatewayParts, SharedState } from './feature.ts';
import { audit } from './features/audit/index.ts';
import { bulk } from './features/bulk/index.ts';
import { extensions } from './features/extensions/index.ts';
import { live } from './features/live/index.ts';
import { mcp } from './features/mcp/index.ts';
import { metrics } from './features/metrics/index.ts';
import { playground } from './features/playground/index.ts';
import { replicas } from './features/replicas/index.ts';
import { roles } from './features/roles/index.ts';
import { sandbox } from './features/sandbox/index.ts';
import { status } from './features/status/index.ts';
import { subgraph } from './features/subgraph/index.ts';
import { traces } from './features/traces/index.ts';
import { typedGraph } from './features/typed-graph/index.ts';
import { createGauges } from './gauges.ts';
import type { NamedDocument } from './graphql/admission/documents.ts';
import { createPersistedDocuments, readTrusted, type TrustedOptions } from './graphql/admission/persisted-documents.ts';
import { createSchemaManager } from './graphql/apollo-server.ts';
import { createOperationLog } from './graphql/operations.ts';
import { leftOutOf } from './graphql/schema.ts';
import { createApiKeys, createRefusalLog } from './http/auth/callers.ts';
import { createAuthenticate } from './http/auth/identity.ts';
import { coreChecks } from './http/health.ts';
import { createOperatorServer } from './http/operator-server.ts';
import { createHttpServer } from './http/server.ts';
import { connectUpstream, findPlatform, NOWHERE, type Platform, toCredentials } from './platform.ts';
import { createReload } from './reload/reload.ts';
import { type Buckets, createMemoryBuckets, MINUTE_MS } from './upstream/call-buckets.ts';
import { type Dialect, readDialect } from './upstream/dialect.ts';
import { openService } from './upstream/index.ts';

/** The features, in any order. Each is a folder, and its lines here. */
// biome-ignore format: a line each.
export const FEATURES: readonly Feature[] = [
  sandbox,
  replicas,
  traces,
  metrics,
  status,
  typedGraph,
  extensions,
  bulk,
  subgraph,
  live,
  playground,
  mcp,
  audit,
  roles,
];

/** All settings: the core's, and those of features. */
export const ALL_SETTINGS: readonly z.ZodObject[] = [
  ...CORE_SETTINGS,
  ...FEATURES.flatMap(({ settings }) => settings ?? []),
];

/** Settings with which a second gateway runs beside one on the same machine. */
export const BESIDE_ANOTHER: Environment = Object.assign({}, ...FEATURES.map(({ besideAnother }) => besideAnother));

export interface AppConfig extends Config {
  readonly limits: GatewayLimits;
  readonly dialect: Dialect;
  readonly features: readonly ConfiguredFeature[];
  /** The files of secrets, by the names of their settings. */
  readonly secretFiles: ReadonlyMap<string, string>;
  /** When the settings and their files were read. */
  readonly readAtMs: number;
}

/** @throws {ConfigError} listing every problem of the settings and of the files that they name. */
export function readConfig(env: Environment): AppConfig {
  const readAtMs = Date.now();
  const { settings, secretFiles, problems } = loadSettings(env, ALL_SETTINGS);
  const report = createReport(problems);
  const config = checkSettings(settings, report);
  const dialect = report.file('UPSTREAM_DIALECT', settings.UPSTREAM_DIALECT, readDialect);
  const features = FEATURES.flatMap(({ configure }) => configure({ ...config, env, report }) ?? []);
  if (settings.IDEMPOTENCY_KEEP_MS > KEPT_MS && !features.some(({ share }) => share)) {
    report('IDEMPOTENCY_KEEP_MS', `must be ${KEPT_MS} without REDIS_URL: a process that ends forgets its keys`);
  }
  const needed = features.find(({ needsDocuments }) => needsDocuments)?.needsDocuments;
  if (settings.DOCUMENTS === undefined && needed && !features.some(({ hasDocuments }) => hasDocuments)) {
    report.missing('DOCUMENTS', needed);
  }
  if (dialect === undefined || problems.length > 0) throw new ConfigError(problems);
  return { ...config, limits: GATEWAY_LIMITS, dialect, features, secretFiles, readAtMs };
}

/** A gateway that listens. */
export interface Gateway {
  /** Its address, without a path. */
  readonly url: string;
  /** Where Prometheus metrics are served; `undefined` without `METRICS_PORT`. */
  readonly metricsUrl: string | undefined;
  /** Lines on the platform, for those who start the gateway. */
  readonly about: readonly string[];
  readonly isExplorable: boolean;
  /** Resolves when the platform gives a token. @throws {UpstreamError} when it gives none. */
  checkToken(): Promise<void>;
  /** Stops without losing a request, and closes everything that was opened. */
  close(): Promise<void>;
}

const NO_SIGNALS: Signals = { onHangup: () => undefined };

/**
 * Starts a gateway, and a platform where none is configured and a feature opens one. When it cannot, it closes what it had opened.
 *
 * @param lostLines how many lines of the log could not be written.
 */
export async function startGateway(
  config: AppConfig,
  log: Log,
  signals = NO_SIGNALS,
  lostLines = () => 0,
): Promise<Gateway> {
  await using resources = new AsyncDisposableStack();
  const platform = await findPlatform(config, { log, resources });
  const { parts, shared, ended, documents, files } = await openParts(config, { platform, log, resources, signals });
  const { settings, graph, observers, facts, operator, isExplorable, service, upstream, store, http } = parts;

  const apiKeys = config.callers.auth === 'key' ? createApiKeys(config.callers.keys) : undefined;
  const toOwn = (login: PlatformLogin) => toCredentials(config, login);
  const rules = documentRules(config);
  const useLogin = service && ((login: PlatformLogin) => service.change(toOwn(login)));
  for (const set of coreFiles({ ...parts, documents, config, apiKeys, rules, useLogin })) files.add(set);
  documents.replace(await readDocuments(config, parts));
  for (const { start } of config.features) await start?.(rules);
  const authenticate = createAuthenticate({
    ...config,
    ...parts,
    apiKeys,
    signIn: (login) => upstream.signIn(toOwn(login)),
    shareRun: shared.shareRuns?.(settings.UPSTREAM_TIMEOUT_MS, settings.IDEMPOTENCY_KEEP_MS),
    ended,
    onStop: parts.defer,
  });
  const checkToken =
    settings.IDENTITY === 'service' && service ? () => service.current().authenticate() : async () => undefined;
  // They stand before what features report.
  facts.readiness.unshift(...coreChecks(graph, checkToken));
  facts.gauges.unshift(...createGauges(parts, lostLines));
  facts.status.push(() =>
    leftOutOf(graph.current().schema).map((title) => ({ title, text: 'left out: its name is taken' })),
  );
  const server = await createHttpServer({
    config,
    graphql: {
      graph,
      authenticate,
      takeRequest: countRequests(settings, parts.callBuckets),
      received: store.received,
      documents,
      observers,
      answers: http.answers,
    },
    readiness: facts.readiness,
    log,
    plugins: http.plugins,
    routes: http.routes,
    isExplorable,
  });
  Object.assign(http, { authenticate, load: server.load, isStopping: server.isStopping });

  if (operator) {
    server.serveHealth(operator);
    parts.defer(() => operator.close());
  }
  parts.signals.onHangup(files.compare);
  // Keys are revoked, and metrics served, until the last request is answered.
  parts.defer(files.start());
  parts.defer(server.close);
  const url = await server.listen();
  const operatorUrl = await operator?.listen({ port: settings.METRICS_PORT ?? 0, host: settings.HOST });
  const opened = resources.move();
  const close = () => opened.disposeAsync();
  const metricsUrl = operatorUrl && `${operatorUrl}/metrics`;
  return { url, metricsUrl, about: platform.about, isExplorable, checkToken, close };
}

/** Gives what features check of trusted documents. */
export const documentRules = ({ features }: Pick<AppConfig, 'features'>) =>
  features.flatMap(({ checkDocuments }) => checkDocuments ?? []);

/** Reads the trusted documents as a start does. @throws {ConfigError} listing every problem of theirs. */
export async function readDocuments(
  { settings, features }: AppConfig,
  { graph, log }: Pick<GatewayParts, 'log'> & { readonly graph: TrustedOptions['graph'] },
): Promise<readonly NamedDocument[]> {
  const problems: string[] = [];
  const options = { settings, graph, rules: documentRules({ features }), log, read: readText };
  const documents = await readTrusted(options, (problem) => problems.push(`DOCUMENTS: ${problem}`));
  if (problems.length > 0) throw new ConfigError(problems);
  return documents;
}

/** Gives the public schema as a gateway of these settings serves it; `isPartial` where definitions of forms are lacking. */
export async function readSchema(config: AppConfig, log: Log, from: 'platform' | 'settings'): Promise<GraphQLSchema> {
  await using resources = new AsyncDisposableStack();
  const platform = from === 'platform' ? await findPlatform(config, { log, resources }) : NOWHERE;
  const { parts } = await openParts(config, { platform, log, resources });
  return parts.graph.current().schema;
}

interface OpenOptions {
  readonly platform: Platform;
  readonly log: Log;
  readonly resources: AsyncDisposableStack;
  readonly signals?: Signals | undefined;
}

/** Opens all that the graph is made of: what is shared, the platform, the cache, the features, the schema. */
async function openParts(config: AppConfig, { platform, log, resources, signals = NO_SIGNALS }: OpenOptions) {
  const { settings, dialect, features } = config;
  const isProduction = settings.NODE_ENV === 'production';
  const isExplorable = (settings.PLAYGROUND ?? (isProduction ? 'off' : 'on')) === 'on';
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
  const upstream = connectUpstream(platform.url, config, { shared, readKinds, observers, log });
  resources.defer(upstream.close);
  const service = platform.credentials && openService(upstream, platform.credentials, core);
  const store = new CacheStore({
    definitionsMs: settings.CACHE_DEFINITIONS_MS,
    instancesMs: settings.CACHE_INSTANCES_MS,
    staleIfErrorMs: settings.STALE_IF_ERROR_MS,
    maxBytes: config.limits.cacheBytes,
  });
  shared.shareInvalidations?.(store);
  const ended = createEndedSessions(shared.sharedEndings);
  await shared.open?.();

  const callBuckets = shared.callBuckets ?? createMemoryBuckets();
  const documents = createPersistedDocuments(core);
  const files = createReload({ ...core, readAtMs: config.readAtMs });
  const own = { callBuckets, upstream, service, store, documents, files };
  const parts: GatewayParts = { ...core, ...own, endedSessions: ended, authorization: {} };
  for (const { open } of features) await open?.(parts);
  await parts.graph.refresh();
  return { parts, shared, ended, documents, files };
}

function notYet(): never {
  throw new Error('The HTTP server is not there yet.');
}

const REQUESTS = { of: 'caller', per: 'minute' } as const;

/** Each caller may send the requests of a minute at once; then they come back evenly. */
function countRequests({ CALLER_REQUESTS_PER_MINUTE: limit }: Settings, buckets: Buckets) {
  if (limit === undefined) return undefined;
  const ofCaller = { limit: REQUESTS, max: limit, least: 0, callsPerMs: limit / MINUTE_MS };
  return (caller: string) => buckets.take([{ name: `requests:${caller}`, ...ofCaller }]);
}
