import type { z } from 'zod';

import { KEPT_MS } from '../cache/idempotency.ts';
import {
  type Config,
  checkSettings,
  GATEWAY_LIMITS,
  type GatewayLimits,
} from '../config/config.ts';
import { ConfigError, type Environment, loadSettings } from '../config/load.ts';
import { CORE_SETTINGS } from '../config/settings.ts';
import type { ConfiguredFeature, Feature } from '../features/feature.ts';
import type { DocumentRule } from '../graphql/admission/trusted-documents.ts';
import { type LoadedAdapter, loadAdapter } from '../upstream/adapter/load.ts';
import { type Dialect, readDialect } from '../upstream/dialect.ts';

/** Returns all settings: of the core and of features. */
export const settingsOf = (features: readonly Feature[]): readonly z.ZodObject[] => [
  ...CORE_SETTINGS,
  ...features.flatMap(({ settings }) => settings ?? []),
];

export interface AppConfig extends Config {
  readonly limits: GatewayLimits;
  readonly dialect: Dialect;
  /** The dialect's adapter. `undefined` if the dialect has no adapter. */
  readonly adapter: LoadedAdapter | undefined;
  readonly features: readonly ConfiguredFeature[];
  /** The checks of features for trusted documents. */
  readonly rules: readonly DocumentRule[];
  /** The paths of secret files, by the names of their settings. */
  readonly secretFiles: ReadonlyMap<string, string>;
  /** When the settings and their files were read. */
  readonly readAtMs: number;
}

/**
 * Reads and checks all settings and their files.
 *
 * @throws {ConfigError} with all problems.
 */
export function readAppConfig(env: Environment, known: readonly Feature[]): AppConfig {
  const readAtMs = Date.now();
  const { settings, secretFiles, problems, report } = loadSettings(env, settingsOf(known));
  const config = checkSettings(settings, report);
  const dialect = report.file('UPSTREAM_DIALECT', settings.UPSTREAM_DIALECT, readDialect);
  const { UPSTREAM_DIALECT: dialectFile = '' } = settings;
  const adapter = loadAdapter(dialectFile, dialect?.adapter, (problem) =>
    report('UPSTREAM_DIALECT', `${dialectFile}: adapter: ${problem}`),
  );
  const features = known.flatMap(({ configure }) => configure({ ...config, env, report }) ?? []);
  if (settings.IDEMPOTENCY_KEEP_MS > KEPT_MS && !features.some(({ share }) => share)) {
    report(
      'IDEMPOTENCY_KEEP_MS',
      `must be ${KEPT_MS} without REDIS_URL: a process that ends forgets its keys`,
    );
  }
  const { PORT, METRICS_PORT } = settings;
  if (PORT !== 0 && METRICS_PORT === PORT) report('METRICS_PORT', 'must differ from PORT');
  const needed = features.find(({ needsDocuments }) => needsDocuments)?.needsDocuments;
  if (
    settings.DOCUMENTS === undefined &&
    needed &&
    !features.some(({ hasDocuments }) => hasDocuments)
  ) {
    report.missing('DOCUMENTS', needed);
  }
  if (dialect === undefined || problems.length > 0) throw new ConfigError(problems);
  const rules = features.flatMap(({ checkDocuments }) => checkDocuments ?? []);
  return {
    ...config,
    limits: GATEWAY_LIMITS,
    dialect,
    adapter,
    features,
    rules,
    secretFiles,
    readAtMs,
  };
}
