import { type AppConfig, readAppConfig, settingsOf } from './app-config.ts';
import { createIdempotencyStore } from './cache/idempotency.ts';
import type { Signals } from './command.ts';
import type { PlatformLogin } from './config/config.ts';
import type { Environment } from './config/load.ts';
import type { Log } from './core/log.ts';
import { addCoreFacts } from './core-facts.ts';
import { addCoreFiles, readDocuments } from './core-files.ts';
import type { Feature } from './feature.ts';
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
import { createApiKeys } from './http/auth/callers.ts';
import { openIdentity } from './http/auth/modes.ts';
import { createHttpServer } from './http/server.ts';
import { openParts, toCredentials } from './parts.ts';

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
export const ALL_SETTINGS = settingsOf(FEATURES);

/** Settings with which a second gateway runs beside one on the same machine. */
export const BESIDE_ANOTHER: Environment = Object.assign({}, ...FEATURES.map(({ besideAnother }) => besideAnother));

/** @throws {ConfigError} listing every problem of the settings and of the files that they name. */
export const readConfig = (env: Environment): AppConfig => readAppConfig(env, FEATURES);

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

/**
 * Starts a gateway, and a platform where none is configured and a feature opens one. When it cannot, it closes what it had opened.
 *
 * @param lostLines how many lines of the log could not be written.
 */
export async function startGateway(
  config: AppConfig,
  log: Log,
  signals?: Signals,
  lostLines = () => 0,
): Promise<Gateway> {
  await using resources = new AsyncDisposableStack();
  const parts = await openParts(config, { log, resources, signals });
  const { settings, limits, about, operator, service, upstream, http, shared, files } = parts;

  const apiKeys = config.callers.auth === 'key' ? createApiKeys(config.callers.keys) : undefined;
  const toOwn = (login: PlatformLogin) => toCredentials(config, login);
  const useLogin = service && ((login: PlatformLogin) => service.change(toOwn(login)));
  addCoreFiles(files, { ...config, ...parts, apiKeys, useLogin });
  parts.documents.replace(await readDocuments({ ...config, ...parts }));
  for (const { start } of config.features) await start?.(config.rules, parts);
  const { UPSTREAM_TIMEOUT_MS: deadlineMs, IDEMPOTENCY_KEEP_MS: keptMs } = settings;
  const identity = openIdentity({
    ...config,
    ...parts,
    apiKeys,
    signIn: (login) => upstream.signIn(toOwn(login)),
    changes: createIdempotencyStore({ share: shared.shareRuns?.(deadlineMs, keptMs), keptMs }),
  });
  const { authenticate, checkToken } = identity;
  addCoreFacts(parts, checkToken, lostLines);
  const { plugins, routes, answers } = http;
  const server = await createHttpServer({ ...config, ...parts, ...identity, limits, plugins, routes, answers });
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
  return { url, metricsUrl, about, isExplorable: parts.isExplorable, checkToken, close };
}
