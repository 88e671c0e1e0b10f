import type { GraphQLSchema } from 'graphql';

import { ALL_SETTINGS, BESIDE_ANOTHER, FEATURES, readConfig } from '../app.ts';
import type { CommandContext, SchemaOption } from '../command.ts';
import type { Environment } from '../config/load.ts';
import { factsOf } from '../config/setting-types.ts';
import { codeOf, UpstreamError, type UpstreamFailure } from '../core/errors.ts';
import { createLog, type Log } from '../core/log.ts';
import { readSchema } from '../parts.ts';

/** The schema options of all features. */
export const SCHEMA_OPTIONS: readonly SchemaOption[] = FEATURES.flatMap(({ schemaOption }) => schemaOption ?? []);

type SchemaSource = Pick<CommandContext, 'env' | 'options' | 'schemaOption' | 'stderr'>;

/** As `CommandContext` says. Who may call the gateway, and how much, need not be set. */
export async function readPublicSchema({ env, options, schemaOption, stderr }: SchemaSource): Promise<GraphQLSchema> {
  const given = ofSchema(env);
  const log = createConsoleLog(stderr);
  const option = SCHEMA_OPTIONS.find(({ name }) => name === schemaOption);
  if (option === undefined) {
    const schema = await readSchema(readConfig({ ...given, ...BESIDE_ANOTHER }), log, 'platform');
    if (!schema.extensions.isPartial) return schema;
    throw new Error('The platform’s form definitions are unavailable, and TYPED_SNAPSHOT has none.');
  }
  const value = String(options[option.name]);
  const config = readConfig({ ...withoutPlatform(given), ...option.toSettings(value) });
  const schema = await readSchema(config, log, 'settings');
  if (!schema.extensions.isPartial) return schema;
  throw new Error(`${value} is not a ${option.name} of form definitions.`);
}

/** Gives the schema without forms' types. No call to the platform. */
export function readGenericSchema({ env, stderr }: Pick<SchemaSource, 'env' | 'stderr'>): Promise<GraphQLSchema> {
  const config = readConfig({ ...withoutPlatform(ofSchema(env)), TYPED_FORMS: 'none' });
  return readSchema(config, createConsoleLog(stderr), 'settings');
}

const pick = (env: Environment, isPicked: (name: string) => boolean): Environment =>
  Object.fromEntries(Object.entries(env).filter(([name]) => isPicked(name)));

/** The platform's settings shape the schema as well: it is read there. */
function ofSchema(env: Environment): Environment {
  const names = ALL_SETTINGS.flatMap(factsOf).flatMap(({ name, isOfSchema }) => (isOfSchema ? name : []));
  return pick(env, (name) => name.startsWith('UPSTREAM_') || names.includes(name));
}

const withoutPlatform = (env: Environment): Environment =>
  pick(env, (name) => name === 'UPSTREAM_DIALECT' || !name.startsWith('UPSTREAM_'));

/** The file and place are those of an extension. */
interface LogLine extends Partial<Readonly<Record<'msg' | 'form' | 'field' | 'reason' | 'file' | 'place', string>>> {
  readonly types?: readonly string[];
}

/** A log that writes warnings as sentences to standard error, for commands. */
export function createConsoleLog(stderr: CommandContext['stderr']): Log {
  return createLog('warn', { write: (line) => stderr(sentence(JSON.parse(line))) });
}

function sentence({ msg = 'an unknown problem', form, field, file, place, types, reason }: LogLine): string {
  const about = [form, field && `its field ${field}`, file, place, types?.join(', ')].filter(Boolean).join(', ');
  return `Warning: ${msg}${about && ` (${about})`}${reason === undefined ? '' : `: ${reason.replace(/\.$/, '')}`}.`;
}

/** One line that says why the platform gives no token, and what to check. It holds no address and no secret. */
export function describePlatformProblem(error: unknown): string {
  const [what, check] = findPlatformProblem(error);
  return `the platform issues no token: ${what}; ${check}`;
}

/** The problem, with the code of the failed connection where there is one, and what to check. */
export function findPlatformProblem(error: unknown): PlatformProblem {
  const code = codeOf(error);
  const [what, check] = BY_CODE[code ?? ''] ?? byBeginning(code) ?? byFailure(error, code);
  return [`${what}${code === undefined ? '' : ` (${code})`}`, check];
}

type PlatformProblem = readonly [what: string, check: string];

const UNKNOWN_HOST: PlatformProblem = [
  'its host name is unknown',
  'check the name in UPSTREAM_URL and this machine’s DNS',
];
const CERTIFICATE: PlatformProblem = [
  'its certificate is not trusted',
  'check the host name in UPSTREAM_URL; add a private CA with UPSTREAM_CA_FILE',
];
const PROXY_PASSWORD: PlatformProblem = [
  'the proxy refuses its credentials',
  'check user name and password in UPSTREAM_PROXY',
];
const CLIENT_CERTIFICATE: PlatformProblem = [
  'it refuses the client certificate, or misses one',
  'check UPSTREAM_CERT_FILE',
];
const CLOSED: PlatformProblem = [
  'it closed the connection',
  'check the scheme of UPSTREAM_URL, http or https, and UPSTREAM_CERT_FILE where it wants a client certificate',
];
const SLOW: PlatformProblem = [
  'it does not respond in time',
  'check UPSTREAM_URL, the network, and UPSTREAM_TIMEOUT_MS',
];

/** By the code that Node or undici gives a failed connection. */
const BY_CODE: Readonly<Record<string, PlatformProblem>> = {
  ENOTFOUND: UNKNOWN_HOST,
  EAI_AGAIN: UNKNOWN_HOST,
  ECONNREFUSED: [
    'its host refuses the connection',
    'check host and port in UPSTREAM_URL, and that the platform is running',
  ],
  ECONNRESET: CLOSED,
  UND_ERR_SOCKET: CLOSED,
  ERR_SSL_WRONG_VERSION_NUMBER: ['it does not speak TLS', 'check the scheme of UPSTREAM_URL, http or https'],
  ETIMEDOUT: SLOW,
  UND_ERR_CONNECT_TIMEOUT: SLOW,
  UND_ERR_HEADERS_TIMEOUT: SLOW,
  PROXY_STATUS_401: PROXY_PASSWORD,
  PROXY_STATUS_407: PROXY_PASSWORD,
  CERT_HAS_EXPIRED: ['its certificate has expired', 'it must be renewed on the platform'],
  ERR_TLS_CERT_ALTNAME_INVALID: ['its certificate is for another host', 'check the host name in UPSTREAM_URL'],
  DEPTH_ZERO_SELF_SIGNED_CERT: CERTIFICATE,
  SELF_SIGNED_CERT_IN_CHAIN: CERTIFICATE,
  UNABLE_TO_GET_ISSUER_CERT: CERTIFICATE,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: CERTIFICATE,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: CERTIFICATE,
};

function byBeginning(code = ''): PlatformProblem | undefined {
  if (/^PROXY_STATUS_/.test(code))
    return ['the proxy refuses the tunnel', 'it must allow CONNECT to host and port of UPSTREAM_URL, and reach them'];
  if (/^PROXY_/.test(code))
    return [
      'the proxy cannot be reached, or is none',
      'check host and port in UPSTREAM_PROXY, and that the proxy is running',
    ];
  return /_ALERT_.*(CERTIFICATE|UNKNOWN_CA|HANDSHAKE)/.test(code) ? CLIENT_CERTIFICATE : undefined;
}

const BY_FAILURE: Readonly<Partial<Record<UpstreamFailure, PlatformProblem>>> = {
  unauthenticated: [
    'it refuses the credentials',
    'check UPSTREAM_USERNAME, UPSTREAM_PASSWORD or UPSTREAM_CREDENTIALS, UPSTREAM_AUTH, and UPSTREAM_HEADERS_FILE where an API manager wants headers',
  ],
  forbidden: ['it refuses the user, who may be locked', 'check the user of UPSTREAM_USERNAME at the platform'],
  'not-found': [
    'there is no token operation',
    'check the path of UPSTREAM_URL, or set token.url in the file of UPSTREAM_DIALECT',
  ],
  malformed: ['its response is unreadable', 'check UPSTREAM_URL, UPSTREAM_AUTH and UPSTREAM_DIALECT'],
  'rate-limited': ['its request limit is exceeded', 'the gateway retries automatically'],
  timeout: SLOW,
};

function byFailure(error: unknown, code: string | undefined): PlatformProblem {
  const isAbsent = error instanceof UpstreamError && error.status === 404;
  const failure = error instanceof UpstreamError ? (isAbsent ? 'not-found' : error.failure) : undefined;
  const known = failure && BY_FAILURE[failure];
  if (known) return known;
  const status = error instanceof UpstreamError && error.status !== undefined ? `HTTP ${error.status}` : undefined;
  const what = status ?? (code === undefined ? (failure ?? 'unknown error') : 'no connection');
  return [what, 'check UPSTREAM_URL and that the platform is running; the gateway retries automatically'];
}
