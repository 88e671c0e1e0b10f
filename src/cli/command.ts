import { connectUpstream, findPlatform, loadExtensions, openPublicSchema, readConfig } from '../app.ts';
import type { Environment } from '../config/load.ts';
import { UpstreamError, type UpstreamFailure } from '../core/errors.ts';
import { createLog, type Log } from '../core/log.ts';
import type { Extensions } from '../features/extensions/index.ts';
import type { TypedSchema } from '../features/typed-graph/schema-reloader.ts';

/** What a command gets of its process. */
export interface CommandContext {
  readonly env: Environment;
  /** The words after the command's name. */
  readonly args: readonly string[];
  /** Its options, by name. */
  readonly options: Readonly<Record<string, string | boolean | undefined>>;
  /** Whether standard output is a terminal. */
  readonly isTerminal: boolean;
  /** Writes a line to standard output. */
  stdout(line: string): void;
  /** Writes a line to standard error. */
  stderr(line: string): void;
  /** Resolves when the process receives a signal to stop. */
  readonly stopped: Promise<void>;
}

export interface Command {
  readonly name: string;
  /** How many words it takes after its name; none where absent. */
  readonly maxArgs?: number;
  /** Its options besides `--help`. */
  readonly options?: Readonly<Record<string, { readonly type: 'string' | 'boolean' }>>;
  /** One line for `--help`. */
  readonly summary: string;
  /** What `--help` after its name prints; all commands and settings where absent. */
  readonly usage?: string;
  /** Runs until it is done or stopped. */
  run(context: CommandContext): Promise<void>;
}

/** Arguments or files that a command cannot use. Its message is for the person who gave them. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** The public schema, and the extensions in it. */
interface ReadSchema extends TypedSchema {
  readonly extensions: Extensions | undefined;
}

/** The settings that the schema depends on. Who may call, and how much, need not be set to read it. */
const SETTINGS = /^(UPSTREAM|TYPED)_|^(EXTENSIONS|SANDBOX_DEFINITIONS)$/;
/** A sandbox is started for its definitions alone, beside one that may be running. */
const ASIDE = { SANDBOX_FILE: ':memory:', SANDBOX_PORT: '0', SANDBOX_REQUEST_LIMIT: '0' };

/**
 * Gives the public schema as a gateway of these settings serves it, and the platform's forms that have types in it: those of
 * the file that `--snapshot` names, or of the sandbox where no platform is set. Warns of each form that stays generic.
 *
 * @throws {ConfigError} for settings that cannot be used.
 * @throws {Error} where the definitions cannot be read.
 */
export async function readSchema({ env, options: { snapshot }, stderr }: CommandContext): Promise<ReadSchema> {
  const log = createConsoleLog(stderr);
  const given = Object.fromEntries(Object.entries(env).filter(([name]) => SETTINGS.test(name)));
  if (snapshot !== undefined) return readSnapshotSchema(given, String(snapshot), log);
  const config = readConfig({ ...given, ...ASIDE });
  await using resources = new AsyncDisposableStack();
  const { url, credentials } = await findPlatform(config, resources);
  const upstream = connectUpstream(url, config);
  resources.defer(upstream.close);
  const extensions = await loadExtensions(config, { log });
  const typed = await openPublicSchema(config, credentials && upstream.forService(credentials), { log, extensions });
  if (typed.isComplete) return { ...typed, extensions };
  throw new Error('The platform’s form definitions are unavailable, and TYPED_SNAPSHOT has none.');
}

/** Gives the schema without forms' types. No call to the platform. */
export async function readGenericSchema({ env, stderr }: CommandContext): Promise<TypedSchema> {
  const log = createConsoleLog(stderr);
  const config = readConfig({ EXTENSIONS: env['EXTENSIONS'], TYPED_FORMS: 'none' });
  return openPublicSchema(config, undefined, { log, extensions: await loadExtensions(config, { log }) });
}

async function readSnapshotSchema(env: Environment, file: string, log: Log): Promise<ReadSchema> {
  const { UPSTREAM_DIALECT, TYPED_FORMS, TYPED_RULES, TYPED_ALIASES, EXTENSIONS } = env;
  const given = { UPSTREAM_DIALECT, TYPED_FORMS, TYPED_RULES, TYPED_ALIASES, EXTENSIONS };
  const config = readConfig({ ...given, TYPED_SNAPSHOT: file });
  const extensions = await loadExtensions(config, { log });
  const typed = await openPublicSchema(config, undefined, { log, extensions });
  if (typed.isComplete) return { ...typed, extensions };
  throw new Error(`${file} is not a snapshot of form definitions.`);
}

interface LogLine {
  readonly msg?: string;
  readonly form?: string;
  readonly field?: string;
  readonly reason?: string;
  /** Of an extension. */
  readonly file?: string;
  readonly place?: string;
}

/** A log that writes warnings as sentences to standard error, for commands. */
function createConsoleLog(stderr: CommandContext['stderr']): Log {
  return createLog('warn', { write: (line) => stderr(sentence(JSON.parse(line))) });
}

function sentence({ msg = 'an unknown problem', form, field, file, place, reason }: LogLine): string {
  const about = [form, field && `its field ${field}`, file, place].filter(Boolean).join(', ');
  return `Warning: ${msg}${about && ` (${about})`}${reason === undefined ? '' : `: ${reason.replace(/\.$/, '')}`}.`;
}

/** One line that says why the platform gives no token, and what to check. It holds no address and no secret. */
export function describePlatformProblem(error: unknown): string {
  const [what, check] = findPlatformProblem(error);
  return `the platform issues no token: ${what}; ${check}`;
}

/** What is wrong, with the code of the failed connection where there is one, and what to check. */
export function findPlatformProblem(error: unknown): Problem {
  const code = causeCode(error);
  const [what, check] = BY_CODE[code ?? ''] ?? byFailure(error, code);
  return [`${what}${code === undefined ? '' : ` (${code})`}`, check];
}

type Problem = readonly [what: string, check: string];

const UNKNOWN_HOST: Problem = ['its host name is unknown', 'check the name in UPSTREAM_URL and this machine’s DNS'];
const CERTIFICATE: Problem = [
  'its certificate is not trusted',
  'check the host name in UPSTREAM_URL; add a private CA with NODE_EXTRA_CA_CERTS',
];
const SLOW: Problem = ['it does not respond in time', 'check UPSTREAM_URL, the network, and UPSTREAM_TIMEOUT_MS'];

/** By the code that Node or undici gives a failed connection. */
const BY_CODE: Readonly<Record<string, Problem>> = {
  ENOTFOUND: UNKNOWN_HOST,
  EAI_AGAIN: UNKNOWN_HOST,
  ECONNREFUSED: [
    'its host refuses the connection',
    'check host and port in UPSTREAM_URL, and that the platform is running',
  ],
  ECONNRESET: ['it closed the connection', 'check that UPSTREAM_URL has the right scheme, http or https'],
  ERR_SSL_WRONG_VERSION_NUMBER: ['it does not speak TLS', 'check the scheme of UPSTREAM_URL, http or https'],
  ETIMEDOUT: SLOW,
  UND_ERR_CONNECT_TIMEOUT: SLOW,
  UND_ERR_HEADERS_TIMEOUT: SLOW,
  CERT_HAS_EXPIRED: ['its certificate has expired', 'it must be renewed on the platform'],
  ERR_TLS_CERT_ALTNAME_INVALID: ['its certificate is for another host', 'check the host name in UPSTREAM_URL'],
  DEPTH_ZERO_SELF_SIGNED_CERT: CERTIFICATE,
  SELF_SIGNED_CERT_IN_CHAIN: CERTIFICATE,
  UNABLE_TO_GET_ISSUER_CERT: CERTIFICATE,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: CERTIFICATE,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: CERTIFICATE,
};

const BY_FAILURE: Readonly<Partial<Record<UpstreamFailure, Problem>>> = {
  unauthenticated: [
    'it refuses the credentials',
    'check UPSTREAM_USERNAME, UPSTREAM_PASSWORD or UPSTREAM_CREDENTIALS, and UPSTREAM_AUTH',
  ],
  forbidden: ['it refuses the user, who may be locked', 'check the user of UPSTREAM_USERNAME at the platform'],
  'not-found': ['there is no token operation', 'check the path of UPSTREAM_URL, or set UPSTREAM_TOKEN_URL'],
  malformed: ['its response is unreadable', 'check UPSTREAM_URL, UPSTREAM_AUTH and UPSTREAM_DIALECT'],
  'rate-limited': ['its request limit is exceeded', 'the gateway retries automatically'],
  timeout: SLOW,
};

function byFailure(error: unknown, code: string | undefined): Problem {
  const isAbsent = error instanceof UpstreamError && error.status === 404;
  const failure = error instanceof UpstreamError ? (isAbsent ? 'not-found' : error.failure) : undefined;
  const known = failure && BY_FAILURE[failure];
  if (known) return known;
  const status = error instanceof UpstreamError && error.status !== undefined ? `HTTP ${error.status}` : undefined;
  const what = status ?? (code === undefined ? (failure ?? 'unknown error') : 'no connection');
  return [what, 'check UPSTREAM_URL and that the platform is running; the gateway retries automatically'];
}

/** The code of the innermost cause that has one. */
function causeCode(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const own = 'code' in error && typeof error.code === 'string' ? error.code : undefined;
  return causeCode(error.cause) ?? own;
}
