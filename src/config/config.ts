import { createPublicKey } from 'node:crypto';
import { compile } from '@fastify/proxy-addr';

import { ConfigError, type Environment, loadSettings, readJsonFile } from './load.ts';
import type { Settings } from './settings.ts';

/** The settings, checked together, and the content of the files that they name. */
export interface Config<Dialect, Aliases> {
  readonly settings: Settings;
  readonly dialect: Dialect;
  readonly callers: CallerConfig;
  /** They encrypt sessions and what replicas share. Where none are set, a key of this process does. */
  readonly sessionKeys: Keys | undefined;
  readonly corsOrigins: readonly string[];
  /** The hosts that requests may name; `undefined` where they are not set. */
  readonly hosts: readonly string[] | undefined;
  /** Whether an address is that of a proxy whose `x-request-id` is taken over. */
  readonly isTrustedProxy: (address: string) => boolean;
  /** The login of the gateway itself; `undefined` with the sandbox, and where only callers sign in. */
  readonly login: Login | undefined;
  /** `undefined` where forms have no types of their own. */
  readonly typed: TypedConfig<Aliases> | undefined;
  /** How traces are sent; `undefined` where the environment asks for none. */
  readonly traces: TracesConfig | undefined;
}

/** What OpenTelemetry's own packages do not read of its variables. */
export interface TracesConfig {
  readonly protocol: 'http/protobuf' | 'http/json';
  /** `undefined` where the environment has one. */
  readonly exportTimeoutMs: number | undefined;
}

/** How callers are authenticated with `IDENTITY=service`. */
export type CallerConfig =
  | { readonly auth: 'none' }
  | { readonly auth: 'jwt'; readonly keys: { readonly jwksUrl: string } | { readonly publicKeyPem: string } }
  | { readonly auth: 'key'; readonly keys: readonly { readonly name: string; readonly sha256: string }[] };

/** Keys of 32 bytes: the first encrypts, all decrypt. */
export type Keys = readonly [Uint8Array, ...Uint8Array[]];

/** A user of the platform, or the whole body of `getToken` in variant A. */
export type Login =
  | { readonly username: string; readonly password: string }
  | { readonly body: Readonly<Record<string, unknown>> };

export interface TypedConfig<Aliases> {
  readonly isIncluded: (formId: string) => boolean;
  readonly aliases: Aliases | undefined;
  /** The rules that get mutations of their own, each once. */
  readonly rules: readonly { readonly component: string; readonly version: string }[];
}

/** Reads the content of a JSON file, or says what is wrong with it. */
type FileReader<T> = (content: unknown) => { readonly value: T } | { readonly problems: readonly string[] };

export interface FileReaders<Dialect, Aliases> {
  /** Reads `{}` where `UPSTREAM_DIALECT` is not set. */
  readonly dialect: FileReader<Dialect>;
  readonly aliases: FileReader<Aliases>;
}

/**
 * Reads the configuration from an environment.
 *
 * @throws {ConfigError} listing every problem of the settings and of the files that they name.
 */
export function loadConfig<Dialect, Aliases>(
  env: Environment,
  readers: FileReaders<Dialect, Aliases>,
): Config<Dialect, Aliases> {
  const { settings, problems } = loadSettings(env);
  const report: Report = (name, problem) => void problems.push(`${name}: ${problem}`);
  report.missing = (name, problem) => {
    // A file that cannot be read, or a value that is malformed, is a problem already.
    if (!problems.some((known) => new RegExp(`^${name}(_FILE)?:`).test(known))) report(name, problem);
  };
  checkPlatform(settings, report);
  const dialect = readFile('UPSTREAM_DIALECT', settings, readers.dialect, problems) ?? readers.dialect({});
  const aliases = readFile('TYPED_ALIASES', settings, readers.aliases, problems);
  const typed = readTyped(settings, report);
  const config = {
    settings,
    callers: readCallers(settings, report),
    sessionKeys: readSessionKeys(settings, report),
    corsOrigins: readOrigins(settings, report),
    hosts: settings.HOSTS === undefined ? undefined : listOf(settings.HOSTS),
    isTrustedProxy: readProxies(settings, report),
    login: readLogin(settings, typed !== undefined, report),
    typed: typed && { ...typed, aliases: aliases && 'value' in aliases ? aliases.value : undefined },
    traces: readTraces(env, report),
  };
  if (problems.length > 0 || !('value' in dialect)) throw new ConfigError(problems);
  return { ...config, dialect: dialect.value };
}

interface Report {
  (name: string, problem: string): void;
  /** For a setting that is needed: said only where nothing is said of it yet. */
  missing(name: string, problem: string): void;
}

function readProxies({ TRUSTED_PROXIES: list }: Settings, report: Report): Config<unknown, unknown>['isTrustedProxy'] {
  try {
    const isTrusted = compile(list === undefined ? ['loopback', 'linklocal', 'uniquelocal'] : [...listOf(list)]);
    return (address) => isTrusted(address, 0);
  } catch {
    report('TRUSTED_PROXIES', 'must be IP addresses or subnets such as 10.0.0.0/8');
    return () => false;
  }
}

function checkPlatform(settings: Settings, report: Report): void {
  const { UPSTREAM_URL: url, UPSTREAM_AUTH, UPSTREAM_USERNAME, UPSTREAM_CREDENTIALS } = settings;
  const meant = ['UPSTREAM_USERNAME', 'UPSTREAM_PASSWORD', 'UPSTREAM_CREDENTIALS', 'UPSTREAM_TOKEN_URL'] as const;
  const given = meant.filter((name) => settings[name] !== undefined);
  if (url === undefined && given.length > 0) {
    report.missing('UPSTREAM_URL', `is not set, but ${given.join(', ')} is; set it, or unset the others`);
  }
  if (url === undefined && settings.REDIS_URL !== undefined) {
    report('REDIS_URL', 'is for replicas in front of one platform; set UPSTREAM_URL, or unset this');
  }
  if (url !== undefined && settings.SANDBOX === 'on') {
    report('SANDBOX', 'is on, and UPSTREAM_URL is set; unset one of them');
  }
  if (url?.endsWith('/v1.0')) report('UPSTREAM_URL', 'must be without /v1.0, which every call adds');
  if (url?.includes('?')) report('UPSTREAM_URL', 'must be without a query');
  if (UPSTREAM_AUTH === 'basic' && UPSTREAM_USERNAME?.includes(':')) {
    report('UPSTREAM_USERNAME', 'must be without a colon, at which a Basic pair is split');
  }
  if (UPSTREAM_AUTH === 'basic' && UPSTREAM_CREDENTIALS !== undefined) {
    report('UPSTREAM_CREDENTIALS', 'is for UPSTREAM_AUTH=credentials; set that, or unset this');
  }
}

/** The gateway's own login is needed in `service` mode, and may be given in others to read definitions with. */
function readLogin(settings: Settings, isTyped: boolean, report: Report): Login | undefined {
  const isGiven = (settings.UPSTREAM_USERNAME ?? settings.UPSTREAM_CREDENTIALS) !== undefined;
  const isUsed = settings.IDENTITY === 'service' || (isTyped && isGiven);
  if (settings.UPSTREAM_URL === undefined || !isUsed) return undefined;
  const isBody = settings.UPSTREAM_AUTH === 'credentials' && settings.UPSTREAM_CREDENTIALS !== undefined;
  return isBody ? readBody(settings.UPSTREAM_CREDENTIALS, report) : readUser(settings, report);
}

function readBody(text = '', report: Report): Login | undefined {
  const body = parseQuietly(text);
  if (typeof body === 'object' && body !== null && !Array.isArray(body)) return { body: { ...body } };
  report('UPSTREAM_CREDENTIALS', 'must be a JSON object');
  return undefined;
}

function readUser(settings: Settings, report: Report): Login | undefined {
  const { UPSTREAM_USERNAME: username, UPSTREAM_PASSWORD: password } = settings;
  if (username !== undefined && password !== undefined) return { username, password };
  const instead = settings.UPSTREAM_AUTH === 'credentials' ? ', or UPSTREAM_CREDENTIALS' : '';
  if (username === undefined) report.missing('UPSTREAM_USERNAME', `is needed with UPSTREAM_URL${instead}`);
  if (password === undefined) report.missing('UPSTREAM_PASSWORD', `is needed with UPSTREAM_URL${instead}`);
  return undefined;
}

// The parser's message would quote the secret.
function parseQuietly(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Shorter than OpenTelemetry's ten seconds, so that an unreachable receiver does not delay the shutdown. */
const EXPORT_TIMEOUT_MS = 3_000;

/** Traces are enabled by the URL of a receiver, or by naming the exporter. An empty variable counts as unset. */
function readTraces(env: Environment, report: Report): TracesConfig | undefined {
  const find = (name: string) => env[`OTEL_EXPORTER_OTLP_TRACES_${name}`] || env[`OTEL_EXPORTER_OTLP_${name}`];
  const exporter = env['OTEL_TRACES_EXPORTER'] || (find('ENDPOINT') ? 'otlp' : 'none');
  if (exporter === 'none' || env['OTEL_SDK_DISABLED']?.toLowerCase() === 'true') return undefined;
  if (exporter !== 'otlp') report('OTEL_TRACES_EXPORTER', 'must be otlp or none');
  const protocol = find('PROTOCOL') || 'http/protobuf';
  const exportTimeoutMs = find('TIMEOUT') ? undefined : EXPORT_TIMEOUT_MS;
  if (protocol === 'http/protobuf' || protocol === 'http/json') return { protocol, exportTimeoutMs };
  report('OTEL_EXPORTER_OTLP_PROTOCOL', 'must be http/protobuf or http/json');
  return undefined;
}

function readCallers(settings: Settings, report: Report): CallerConfig {
  checkAnonymous(settings, report);
  if (settings.CALLER_AUTH === 'jwt') return readJwtKeys(settings, report);
  if (settings.CALLER_AUTH === 'key') return { auth: 'key', keys: readCallerKeys(settings, report) };
  return { auth: 'none' };
}

/** Callers who are not authenticated need care in production, cannot be counted, and alone may share answers. */
function checkAnonymous(settings: Settings, report: Report): void {
  const { IDENTITY, NODE_ENV, UPSTREAM_URL, CALLER_AUTH } = settings;
  const isAnonymous = IDENTITY === 'service' && (CALLER_AUTH ?? 'none') === 'none';
  const isExposed = isAnonymous && NODE_ENV === 'production' && UPSTREAM_URL !== undefined;
  if (isExposed && CALLER_AUTH === undefined) {
    report.missing(
      'CALLER_AUTH',
      'is required in production: jwt or key, or none where every caller may use the gateway',
    );
  }
  if (isAnonymous && settings.CALLER_REQUESTS_PER_MINUTE !== undefined) {
    report('CALLER_REQUESTS_PER_MINUTE', 'counts authenticated callers; set CALLER_AUTH to jwt or key, or unset this');
  }
  if (!isAnonymous && settings.CACHE_CONTROL === 'public') {
    report('CACHE_CONTROL', 'may be public only with IDENTITY=service and CALLER_AUTH=none');
  }
}

function readJwtKeys(settings: Settings, report: Report): CallerConfig {
  const { CALLER_JWKS_URL: jwksUrl, CALLER_JWT_PUBLIC_KEY: publicKeyPem } = settings;
  if (jwksUrl !== undefined) return { auth: 'jwt', keys: { jwksUrl } };
  if (publicKeyPem !== undefined && isPublicKey(publicKeyPem)) return { auth: 'jwt', keys: { publicKeyPem } };
  if (publicKeyPem !== undefined) report('CALLER_JWT_PUBLIC_KEY', 'must be a public key in PEM (SPKI)');
  else report.missing('CALLER_JWKS_URL', 'is needed with CALLER_AUTH=jwt, or CALLER_JWT_PUBLIC_KEY');
  return { auth: 'none' };
}

function isPublicKey(pem: string): boolean {
  try {
    // A private key would be taken as well, for the public one that is in it.
    return pem.includes('-----BEGIN PUBLIC KEY-----') && createPublicKey(pem).type === 'public';
  } catch {
    return false;
  }
}

function readCallerKeys({ CALLER_KEYS }: Settings, report: Report) {
  const entries = listOf(CALLER_KEYS);
  if (entries.length === 0)
    report.missing('CALLER_KEYS', 'is needed with CALLER_AUTH=key; the command "key NAME" makes one');
  return entries.flatMap((entry, index) => {
    const [, name, sha256] = /^([^:]+):([0-9a-f]{64})$/.exec(entry) ?? [];
    if (name !== undefined && sha256 !== undefined) return [{ name, sha256 }];
    report('CALLER_KEYS', `entry ${index + 1} must be a name, a colon, and a SHA-256 in hexadecimal`);
    return [];
  });
}

function readSessionKeys(settings: Settings, report: Report): Keys | undefined {
  const keys = listOf(settings.SESSION_KEYS).map((entry) => new Uint8Array(Buffer.from(entry, 'base64')));
  const wrong = keys.findIndex(({ length }) => length !== 32);
  if (wrong !== -1) report('SESSION_KEYS', `entry ${wrong + 1} must be 32 bytes in base64 or base64url`);
  const [first, ...others] = keys;
  if (first !== undefined) return [first, ...others];
  const reason =
    settings.IDENTITY === 'user' && settings.NODE_ENV === 'production' ? 'IDENTITY=user in production' : 'REDIS_URL';
  if (reason !== 'REDIS_URL' || settings.REDIS_URL !== undefined) {
    report.missing('SESSION_KEYS', `is needed with ${reason}; "openssl rand -base64 32" makes a key`);
  }
  return undefined;
}

/** Origins as browsers write them, from addresses with or without a closing slash. */
function readOrigins({ CORS_ORIGINS }: Settings, report: Report): string[] {
  return listOf(CORS_ORIGINS).flatMap((entry) => {
    const url = URL.canParse(entry) ? new URL(entry) : undefined;
    if (url !== undefined && url.origin !== 'null' && url.href === `${url.origin}/`) return [url.origin];
    report('CORS_ORIGINS', `${JSON.stringify(entry)} is no origin such as https://app.example`);
    return [];
  });
}

/** `!` before an id leaves a form out, `*` stands for any characters, and `none` alone for no form. */
function readTyped({ TYPED_FORMS = '*', TYPED_RULES }: Settings, report: Report) {
  const rules = [...new Set(listOf(TYPED_RULES))].flatMap((entry, index) => {
    // A component may hold another `@`.
    const [, component = '', version = ''] = /^(.+)@([^@]+)$/.exec(entry) ?? [];
    if (version !== '') return [{ component, version }];
    report('TYPED_RULES', `entry ${index + 1} must be a component and a version, as approval-level@1.0`);
    return [];
  });
  const entries = listOf(TYPED_FORMS);
  if (entries.length === 1 && entries[0] === 'none') return undefined;
  const excluded = entries.filter((entry) => entry.startsWith('!')).map((entry) => entry.slice(1));
  const included = entries.filter((entry) => !entry.startsWith('!'));
  const isListed = matcherOf(included.length === 0 ? ['*'] : included);
  const isExcluded = matcherOf(excluded);
  return { rules, isIncluded: (formId: string) => isListed(formId) && !isExcluded(formId) };
}

function matcherOf(patterns: readonly string[]): (id: string) => boolean {
  const expressions = patterns.map(
    (pattern) => new RegExp(`^${pattern.split('*').map(RegExp.escape).join('.*')}$`, 's'),
  );
  return (id) => expressions.some((expression) => expression.test(id));
}

/** `undefined` where the setting is not set, or where its file cannot be read, which is then a problem. */
function readFile<T>(
  name: 'UPSTREAM_DIALECT' | 'TYPED_ALIASES',
  { [name]: path }: Settings,
  read: FileReader<T>,
  problems: string[],
): ReturnType<FileReader<T>> | undefined {
  if (path === undefined) return undefined;
  const file = readJsonFile(path);
  const result = 'problem' in file ? { problems: [file.problem] } : read(file.value);
  if ('problems' in result) problems.push(...result.problems.map((problem) => `${name}: ${path}: ${problem}`));
  return result;
}

/** Entries with commas or ends of line between them. */
const listOf = (text = ''): string[] =>
  text
    .split(/[,\n]/)
    .map((entry) => entry.trim())
    .filter(Boolean);
