import { createIdempotencyStore } from '../cache/idempotency.ts';
import type { Environment } from '../config/load.ts';
import type { Log } from '../core/log.ts';
import { audit } from '../features/audit/index.ts';
import { bulk } from '../features/bulk/index.ts';
import type { Signals } from '../features/command.ts';
import { extensions } from '../features/extensions/index.ts';
import type { Feature, SampleUser } from '../features/feature.ts';
import { live } from '../features/live/index.ts';
import { mcp } from '../features/mcp/index.ts';
import { metrics } from '../features/metrics/index.ts';
import { playground } from '../features/playground/index.ts';
import { replicas } from '../features/replicas/index.ts';
import { roles } from '../features/roles/index.ts';
import { sandbox } from '../features/sandbox/index.ts';
import { status } from '../features/status/index.ts';
import { subgraph } from '../features/subgraph/index.ts';
import { traces } from '../features/traces/index.ts';
import { typedGraph } from '../features/typed-graph/index.ts';
import { createApiKeys } from '../http/auth/callers.ts';
import { openIdentity } from '../http/auth/modes.ts';
import { listenAt } from '../http/listen.ts';
import { createHttpServer } from '../http/server.ts';
import { type AppConfig, readAppConfig, settingsOf } from './config.ts';
import { addCoreFiles, readDocuments } from './files.ts';
import { addCoreFacts } from './gauges.ts';
import { openGateway, toCredentials } from './open.ts';

/** The features, in any order. Each one is a folder and its lines in this file. */
// biome-ignore format: one feature per line.
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

/** All settings: of the core and of features. */
export const ALL_SETTINGS = settingsOf(FEATURES);

/** Settings for a second gateway on the same machine. */
export const BESIDE_ANOTHER: Environment = { PORT: '0', SANDBOX_FILE: ':memory:' };

/**
 * Reads and checks all settings and their files.
 *
 * @throws {ConfigError} with all problems.
 */
export const readConfig = (env: Environment): AppConfig => readAppConfig(env, FEATURES);

/** A listening gateway. */
export interface RunningGateway {
  /** The URL without a path. */
  readonly url: string;
  /** The URL of the Prometheus metrics. `undefined` without `METRICS_PORT`. */
  readonly metricsUrl: string | undefined;
  /** Lines that `start` prints about the platform. */
  readonly about: readonly string[];
  /** The base URL of the embedded platform. `undefined` with `UPSTREAM_URL`. */
  readonly sandboxUrl: string | undefined;
  /** The users to offer to a developer. */
  readonly sampleUsers: readonly SampleUser[];
  readonly isExplorable: boolean;
  /** Resolves if the platform issues a token. @throws {UpstreamError} if it does not. */
  checkToken(): Promise<void>;
  /** Stops without losing a request, and closes everything that was opened. */
  close(): Promise<void>;
}

/**
 * Starts a gateway. Also starts a platform if `UPSTREAM_URL` is not set and a feature has one. If
 * the start fails, everything that was opened is closed.
 *
 * @param countLostLines returns the number of log lines that could not be written.
 */
export async function startGateway(
  config: AppConfig,
  log: Log,
  signals?: Signals,
  countLostLines = () => 0,
): Promise<RunningGateway> {
  await using resources = new AsyncDisposableStack();
  const opened = await openGateway(config, { log, resources, signals });
  const { gateway, shared, documents, files, endedSessions } = opened;
  const {
    settings,
    observers,
    facts,
    graph,
    upstream,
    service,
    store,
    callBuckets,
    http,
    operator,
    defer,
  } = gateway;
  const { callers } = config;

  const apiKeys = callers.auth === 'key' ? createApiKeys(callers.keys) : undefined;
  addCoreFiles(files, {
    settings,
    secretFiles: config.secretFiles,
    rules: config.rules,
    log,
    graph,
    apiKeys,
    useLogin: service && ((login) => service.change(toCredentials(config, login))),
    loginProblem: service?.problem,
    upstream,
    documents,
  });
  documents.replace(await readDocuments({ settings, log, graph, rules: config.rules }));
  for (const { start } of config.features) await start?.(config.rules, gateway);

  const { IDEMPOTENCY_KEEP_MS: keptMs } = settings;
  const identity = openIdentity({
    settings,
    callers,
    apiKeys,
    authorization: gateway.authorization,
    sessionKeys: config.sessionKeys,
    upstream,
    service,
    signIn: (login) => upstream.signIn(toCredentials(config, login)),
    store,
    changes: createIdempotencyStore({
      share: shared.shareRuns?.(settings.UPSTREAM_TIMEOUT_MS, keptMs),
      keptMs,
    }),
    endedSessions,
    log,
    observers,
    defer,
  });
  const { authenticate, checkToken } = identity;
  addCoreFacts(gateway, checkToken, countLostLines);
  const server = await createHttpServer({
    settings,
    limits: gateway.limits,
    corsOrigins: config.corsOrigins,
    isTrustedProxy: config.isTrustedProxy,
    isExplorable: gateway.isExplorable,
    overload: opened.overload,
    shutdown: opened.shutdown,
    authenticate,
    graph,
    documents,
    observers,
    store,
    facts,
    callBuckets,
    log,
    plugins: http.plugins,
    routes: http.routes,
    answers: http.answers,
  });

  if (operator) {
    server.serveHealth(operator);
    defer(() => operator.close());
  }
  gateway.signals.onHangup(files.compare);
  // API keys can be revoked, and metrics are served, until the last request is answered.
  defer(files.start());
  defer(server.close);
  const url = await server.listen();
  const operatorUrl =
    operator &&
    (await listenAt('METRICS_PORT', settings.HOST, (host) =>
      operator.listen({ port: settings.METRICS_PORT ?? 0, host }),
    ));
  const running = resources.move();
  return {
    url,
    metricsUrl: operatorUrl && `${operatorUrl}/metrics`,
    about: opened.about,
    sandboxUrl: opened.embeddedUrl,
    sampleUsers: gateway.sampleUsers,
    isExplorable: gateway.isExplorable,
    checkToken,
    close: () => running.disposeAsync(),
  };
}
