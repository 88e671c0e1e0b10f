import type { GraphQLSchema } from 'graphql';

import { connectUpstream, findPlatform, openPublicSchema, readConfig } from '../app.ts';
import type { Environment } from '../config/load.ts';
import type { Log } from '../telemetry/log.ts';

interface SchemaSource {
  readonly env: Environment;
  /** A snapshot of definitions to read instead of asking the platform. */
  readonly snapshot: string | undefined;
  /** Gets a warning for each form that stays generic. */
  readonly log: Log;
}

/** The settings that the schema depends on. Who may call, and how much, need not be set to read it. */
const SETTINGS = /^(UPSTREAM|TYPED)_|^SANDBOX_DEFINITIONS$/;
/** A sandbox is started for its definitions alone, beside one that may be running. */
const ASIDE = { SANDBOX_FILE: ':memory:', SANDBOX_PORT: '0', SANDBOX_REQUEST_LIMIT: '0' };

/**
 * Gives the public schema as a gateway of these settings serves it, with the types of the platform's forms; those of the
 * sandbox where no platform is set.
 *
 * @throws {ConfigError} for settings that cannot be used.
 * @throws {Error} where the definitions cannot be read.
 */
export async function readSchema({ env, snapshot, log }: SchemaSource): Promise<GraphQLSchema> {
  const given = Object.fromEntries(Object.entries(env).filter(([name]) => SETTINGS.test(name)));
  if (snapshot !== undefined) return readSnapshotSchema(given, snapshot, log);
  const config = readConfig({ ...given, ...ASIDE });
  await using resources = new AsyncDisposableStack();
  const { url, credentials } = await findPlatform(config, resources);
  const upstream = connectUpstream(url, config);
  resources.defer(upstream.close);
  const { schema, isComplete } = await openPublicSchema(config, credentials && upstream.forService(credentials), log);
  if (isComplete) return schema;
  throw new Error('The platform does not tell its forms’ definitions, and TYPED_SNAPSHOT has none.');
}

async function readSnapshotSchema(env: Environment, file: string, log: Log): Promise<GraphQLSchema> {
  const { UPSTREAM_DIALECT, TYPED_FORMS, TYPED_RULES, TYPED_ALIASES } = env;
  const config = readConfig({ UPSTREAM_DIALECT, TYPED_FORMS, TYPED_RULES, TYPED_ALIASES, TYPED_SNAPSHOT: file });
  const { schema, isComplete } = await openPublicSchema(config, undefined, log);
  if (isComplete) return schema;
  throw new Error(`${file} is no snapshot of forms’ definitions.`);
}
