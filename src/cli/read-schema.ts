import { connectUpstream, findPlatform, openPublicSchema, readConfig } from '../app.ts';
import type { Environment } from '../config/load.ts';
import type { Log } from '../telemetry/log.ts';
import type { TypedSchema } from '../typed-graph/schema-reloader.ts';

type ReadSchema = Pick<TypedSchema, 'schema' | 'forms'>;

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
 * Gives the public schema as a gateway of these settings serves it, and the platform's forms that have types in it; those
 * of the sandbox where no platform is set.
 *
 * @throws {ConfigError} for settings that cannot be used.
 * @throws {Error} where the definitions cannot be read.
 */
export async function readTypedSchema({ env, snapshot, log }: SchemaSource): Promise<ReadSchema> {
  const given = Object.fromEntries(Object.entries(env).filter(([name]) => SETTINGS.test(name)));
  if (snapshot !== undefined) return readSnapshotSchema(given, snapshot, log);
  const config = readConfig({ ...given, ...ASIDE });
  await using resources = new AsyncDisposableStack();
  const { url, credentials } = await findPlatform(config, resources);
  const upstream = connectUpstream(url, config);
  resources.defer(upstream.close);
  const typed = await openPublicSchema(config, credentials && upstream.forService(credentials), { log });
  if (typed.isComplete) return typed;
  throw new Error('The platform does not tell its forms’ definitions, and TYPED_SNAPSHOT has none.');
}

/** Gives that schema alone. */
export const readSchema = async (source: SchemaSource) => (await readTypedSchema(source)).schema;

async function readSnapshotSchema(env: Environment, file: string, log: Log): Promise<ReadSchema> {
  const { UPSTREAM_DIALECT, TYPED_FORMS, TYPED_RULES, TYPED_ALIASES } = env;
  const config = readConfig({ UPSTREAM_DIALECT, TYPED_FORMS, TYPED_RULES, TYPED_ALIASES, TYPED_SNAPSHOT: file });
  const typed = await openPublicSchema(config, undefined, { log });
  if (typed.isComplete) return typed;
  throw new Error(`${file} is no snapshot of forms’ definitions.`);
}
