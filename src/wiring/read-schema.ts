import type { Log } from '../telemetry/log.ts';
import type { Composed } from '../typed-graph/compose.ts';
import { createClosers } from './closers.ts';
import { readConfiguration } from './configuration.ts';
import { findPlatform } from './platform.ts';
import { openTypedGraph } from './typed.ts';
import { openUpstream, toSelf } from './upstream.ts';

interface SchemaSource {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** A snapshot of definitions to read instead of asking the platform. */
  readonly snapshot: string | undefined;
  /** Is told which forms stay generic, and why. */
  readonly log: Log;
}

/** What the schema depends on. Who may ask it, and how much, need not be set to read it. */
const SETTINGS = /^(UPSTREAM|TYPED)_|^SANDBOX_DEFINITIONS$/;
/** A sandbox is started for its definitions alone, beside one that may be running. */
const ASIDE = { SANDBOX_FILE: ':memory:', SANDBOX_PORT: '0', SANDBOX_REQUEST_LIMIT: '0' };

/**
 * Gives the public schema as a gateway of these settings serves it, with the types of the platform's forms; those of the
 * sandbox where no platform is set.
 *
 * @throws {ConfigError} for settings that do not fit.
 * @throws {Error} where nothing tells the forms' definitions.
 */
export async function readSchema({ env, snapshot, log }: SchemaSource): Promise<Composed['schema']> {
  const given = Object.fromEntries(Object.entries(env).filter(([name]) => SETTINGS.test(name)));
  if (snapshot !== undefined) return fromSnapshot(given, snapshot, log);
  const configuration = readConfiguration({ ...given, ...ASIDE });
  const closers = createClosers();
  try {
    const { url, credentials } = await findPlatform(configuration, closers);
    const factory = openUpstream(url, configuration, { replicas: undefined, metrics: undefined, closers });
    const { schema, isWhole } = await openTypedGraph(configuration, {
      upstream: toSelf(factory, credentials)?.upstream,
      log,
    });
    if (!isWhole) throw new Error('The platform does not tell its forms’ definitions, and TYPED_SNAPSHOT keeps none.');
    return schema;
  } finally {
    await closers.closeAll();
  }
}

async function fromSnapshot(env: SchemaSource['env'], file: string, log: Log): Promise<Composed['schema']> {
  const { UPSTREAM_DIALECT, TYPED_FORMS, TYPED_FORMS_EXCEPT, TYPED_RULES, TYPED_ALIASES } = env;
  const typed = { TYPED_FORMS, TYPED_FORMS_EXCEPT, TYPED_RULES, TYPED_ALIASES, TYPED_SNAPSHOT: file };
  const configuration = readConfiguration({ UPSTREAM_DIALECT, ...typed });
  const { schema, isWhole } = await openTypedGraph(configuration, { upstream: undefined, log });
  if (!isWhole) throw new Error(`${file} is no snapshot of forms’ definitions.`);
  return schema;
}
