import { getHeapStatistics } from 'node:v8';
import { compile } from '@fastify/proxy-addr';

import { orUndefined } from '../core/errors.ts';
import { isJsonObject, type JsonObject } from '../core/json.ts';
import type { Report } from './load.ts';
import { listOf, MAKE_KEY } from './setting-types.ts';
import type { Settings } from './settings.ts';
import { readTransport, type Transport } from './transport.ts';

/** The settings after all checks. */
export interface Config {
  readonly settings: Settings;
  readonly callers: CallerConfig;
  /**
   * Keys for sessions and for data that replicas share. Without them, a key of this process is
   * used.
   */
  readonly sessionKeys: EncryptionKeys | undefined;
  readonly corsOrigins: readonly string[];
  /** Returns whether an address is a trusted proxy. Its `x-request-id` is accepted. */
  readonly isTrustedProxy: (address: string) => boolean;
  /** The gateway's own login. `undefined` without `UPSTREAM_URL`, or if only callers sign in. */
  readonly login: PlatformLogin | undefined;
  readonly transport: Transport;
}

const HEAP_SHARE = 1 / 64;

/** The limits of every gateway. */
export const GATEWAY_LIMITS = {
  /**
   * Milliseconds from the stop signal until requests in flight are aborted. Less than the 30 s of
   * orchestrators.
   */
  shutdownMs: 25_000,
  /**
   * The highest number of requests in flight. One caller may use half. With the largest bodies they
   * fit a container of 768 MB.
   */
  maxConcurrentRequests: 128,
  /** How late the event loop may be before that limit shrinks, in milliseconds. */
  lateMs: 100,
  /**
   * The deadline of a GraphQL request, as a number of consecutive calls that each take their full
   * timeout.
   */
  callsInARow: 3,
  /**
   * The memory limit of all caches: a small part of Node's heap limit, which depends on the machine
   * or container.
   */
  cacheBytes: Math.floor(getHeapStatistics().heap_size_limit * HEAP_SHARE),
};

export type GatewayLimits = Readonly<typeof GATEWAY_LIMITS>;

/** Returns the deadline of one GraphQL request in milliseconds. */
export const requestTimeoutOf = (
  { UPSTREAM_TIMEOUT_MS }: Settings,
  { callsInARow } = GATEWAY_LIMITS,
): number => callsInARow * UPSTREAM_TIMEOUT_MS;

/** How callers are authenticated with `IDENTITY=service`. */
export type CallerConfig =
  | { readonly auth: 'none' }
  | { readonly auth: 'jwt'; readonly jwksUrl: string }
  | { readonly auth: 'key'; readonly keys: readonly CallerKey[] };

/** An API key: its caller's name, and its hash in hexadecimal. */
export interface CallerKey {
  readonly name: string;
  readonly sha256: string;
}

/** Keys of 32 bytes. The first one encrypts, all decrypt. */
export type EncryptionKeys = readonly [Uint8Array, ...Uint8Array[]];

/** A user of the platform, or the complete body of `getToken` in variant A. */
export type PlatformLogin =
  | { readonly username: string; readonly password: string }
  | { readonly body: JsonObject };

/** Checks the core's settings together, and reports each problem. */
export function checkSettings(settings: Settings, report: Report): Config {
  checkPlatform(settings, report);
  checkMode(settings, report);
  return {
    settings,
    callers: readCallers(settings, report),
    sessionKeys: readSessionKeys(settings, report),
    corsOrigins: readOrigins(settings, report),
    isTrustedProxy: readProxies(settings, report),
    login: readLogin(settings, report),
    transport: readTransport(settings, report),
  };
}

function readProxies(
  { TRUSTED_PROXIES: list }: Settings,
  report: Report,
): Config['isTrustedProxy'] {
  try {
    const isTrusted = compile(list === undefined ? ['loopback'] : [...listOf(list)]);
    return (address) => isTrusted(address, 0);
  } catch {
    report('TRUSTED_PROXIES', 'must be IP addresses or subnets such as 10.0.0.0/8');
    return () => false;
  }
}

/** Refuses values similar to `production`, because they would enable the development defaults. */
function checkMode({ NODE_ENV: mode }: Settings, report: Report): void {
  if (/^prod/i.test(mode) && mode !== 'production')
    report(
      'NODE_ENV',
      `must be "production", or not begin with "prod", got ${JSON.stringify(mode)}`,
    );
}

/** The settings that need a platform. */
const NEED_PLATFORM = [
  ...([
    'UPSTREAM_USERNAME',
    'UPSTREAM_PASSWORD',
    'UPSTREAM_CREDENTIALS',
    'UPSTREAM_PROXY',
  ] as const),
  ...(['UPSTREAM_CA_FILE', 'UPSTREAM_CERT_FILE', 'UPSTREAM_HEADERS_FILE'] as const),
];

function checkPlatform(settings: Settings, report: Report): void {
  const { UPSTREAM_URL: url, UPSTREAM_AUTH, UPSTREAM_USERNAME, UPSTREAM_CREDENTIALS } = settings;
  const given = NEED_PLATFORM.filter((name) => settings[name] !== undefined);
  if (url === undefined && given.length > 0) {
    report.missing(
      'UPSTREAM_URL',
      `is not set, but ${given.join(', ')} is; set it, or unset the others`,
    );
  }
  if (url?.endsWith('/v1.0'))
    report('UPSTREAM_URL', 'must be without /v1.0, which every call adds');
  if (url?.includes('?')) report('UPSTREAM_URL', 'must be without a query');
  if (UPSTREAM_AUTH === 'basic' && UPSTREAM_USERNAME?.includes(':')) {
    report('UPSTREAM_USERNAME', 'must be without a colon, at which a Basic pair is split');
  }
  if (UPSTREAM_AUTH === 'basic' && UPSTREAM_CREDENTIALS !== undefined) {
    report('UPSTREAM_CREDENTIALS', 'is for UPSTREAM_AUTH=credentials; set that, or unset this');
  }
}

/**
 * Reads the gateway's own login. `service` mode needs one. In other modes it is optional, for
 * reading definitions.
 */
export function readLogin(settings: Settings, report: Report): PlatformLogin | undefined {
  const {
    UPSTREAM_USERNAME: username,
    UPSTREAM_PASSWORD: password,
    UPSTREAM_CREDENTIALS: credentials,
  } = settings;
  const isUsed = settings.IDENTITY === 'service' || (username ?? credentials) !== undefined;
  if (settings.UPSTREAM_URL === undefined || !isUsed) return undefined;
  const isBody = settings.UPSTREAM_AUTH === 'credentials';
  if (isBody && credentials !== undefined) return readBody(credentials, report);
  if (username !== undefined && password !== undefined) return { username, password };
  const instead = isBody ? ', or UPSTREAM_CREDENTIALS' : '';
  if (username === undefined)
    report.missing('UPSTREAM_USERNAME', `is needed with UPSTREAM_URL${instead}`);
  if (password === undefined)
    report.missing('UPSTREAM_PASSWORD', `is needed with UPSTREAM_URL${instead}`);
  return undefined;
}

function readBody(text: string, report: Report): PlatformLogin | undefined {
  // The parser's message would quote the secret.
  const body: unknown = orUndefined(() => JSON.parse(text));
  if (isJsonObject(body)) return { body };
  report('UPSTREAM_CREDENTIALS', 'must be a JSON object');
  return undefined;
}

function readCallers(settings: Settings, report: Report): CallerConfig {
  checkAnonymous(settings, report);
  const { CALLER_JWKS_URL: jwksUrl } = settings;
  if (settings.CALLER_AUTH === 'jwt') {
    if (jwksUrl !== undefined) return { auth: 'jwt', jwksUrl };
    report.missing('CALLER_JWKS_URL', 'is needed with CALLER_AUTH=jwt');
  }
  if (settings.CALLER_AUTH === 'key')
    return { auth: 'key', keys: readCallerKeys(settings.CALLER_KEYS, report) };
  return { auth: 'none' };
}

/** In production, anonymous callers must be configured explicitly. They cannot be counted. */
function checkAnonymous(settings: Settings, report: Report): void {
  const { IDENTITY, NODE_ENV, UPSTREAM_URL, CALLER_AUTH } = settings;
  const isAnonymous = IDENTITY === 'service' && (CALLER_AUTH ?? 'none') === 'none';
  const isExposed = isAnonymous && NODE_ENV === 'production' && UPSTREAM_URL !== undefined;
  if (isExposed && CALLER_AUTH === undefined) {
    report.missing(
      'CALLER_AUTH',
      'is required in production: jwt or key, or none if every caller may use the gateway',
    );
  }
  if (isAnonymous && settings.CALLER_REQUESTS_PER_MINUTE !== undefined) {
    report(
      'CALLER_REQUESTS_PER_MINUTE',
      'counts authenticated callers; set CALLER_AUTH to jwt or key, or unset this',
    );
  }
}

/**
 * Returns the readable entries of `CALLER_KEYS`, and reports each faulty one. Lines that begin with
 * `#` are comments. The word `none` alone admits no caller.
 */
export function readCallerKeys(text: string | undefined, report: Report): readonly CallerKey[] {
  const entries = listOf(text?.replaceAll(/^\s*#.*$/gm, ''));
  if (entries.length === 1 && entries[0] === 'none') return [];
  if (entries.length === 0)
    report.missing(
      'CALLER_KEYS',
      'is needed with CALLER_AUTH=key; the command "key NAME" makes one',
    );
  const keys = entries.flatMap((entry, index) => {
    const [, name, sha256] = /^([^:]+):([0-9a-f]{64})$/.exec(entry) ?? [];
    if (name !== undefined && sha256 !== undefined) return [{ name, sha256 }];
    report(
      'CALLER_KEYS',
      `entry ${index + 1} must be a name, a colon, and a SHA-256 in hexadecimal`,
    );
    return [];
  });
  const bySha256 = Map.groupBy(keys, ({ sha256 }) => sha256);
  for (const same of bySha256.values()) {
    const names = new Set(same.map(({ name }) => name));
    if (names.size > 1)
      report('CALLER_KEYS', `${[...names].join(' and ')} have the same key: each needs its own`);
  }
  return keys;
}

function readSessionKeys(settings: Settings, report: Report): EncryptionKeys | undefined {
  const keys = listOf(settings.SESSION_KEYS).map(
    (entry) => new Uint8Array(Buffer.from(entry, 'base64')),
  );
  const wrong = keys.findIndex(({ length }) => length !== 32);
  if (wrong !== -1)
    report('SESSION_KEYS', `entry ${wrong + 1} must be 32 bytes in base64 or base64url`);
  const [first, ...others] = keys;
  if (first !== undefined) return [first, ...others];
  if (settings.IDENTITY === 'user' && settings.NODE_ENV === 'production') {
    report.missing('SESSION_KEYS', `is needed with IDENTITY=user in production; ${MAKE_KEY}`);
  }
  return undefined;
}

/** Returns origins in the notation of browsers. The entries may have a trailing slash. */
function readOrigins({ CORS_ORIGINS }: Settings, report: Report): string[] {
  return listOf(CORS_ORIGINS).flatMap((entry) => {
    const url = URL.canParse(entry) ? new URL(entry) : undefined;
    if (url !== undefined && url.origin !== 'null' && url.href === `${url.origin}/`)
      return [url.origin];
    report('CORS_ORIGINS', `${JSON.stringify(entry)} is no origin such as https://app.example`);
    return [];
  });
}
