import { createPublicKey } from 'node:crypto';
import type { Settings } from '../config/settings.ts';
import type { ApiKeyHash } from '../http/auth/callers.ts';
import { type Keys, listOf, readKeys } from './keys.ts';

/** How callers are known in `service` mode. */
export type Callers =
  | { readonly auth: 'none' }
  | { readonly auth: 'jwt'; readonly keys: { readonly jwksUrl: string } | { readonly publicKeyPem: string } }
  | { readonly auth: 'key'; readonly keys: readonly ApiKeyHash[] };

/** What the identity settings say, checked. */
export interface IdentityConfiguration {
  readonly callers: Callers;
  /** They seal sessions. `undefined` where none are set: then a key is made that ends with the process. */
  readonly sessionKeys: Keys | undefined;
  readonly corsOrigins: readonly string[];
  /** The hosts that requests may name; `undefined` where they are not set. */
  readonly hosts: readonly string[] | undefined;
}

/** Reads what belongs to identity, and adds to the problems. */
export function readIdentity(settings: Settings, problems: string[]): IdentityConfiguration {
  const { IDENTITY, NODE_ENV } = settings;
  checkSharing(settings, problems);
  const sessionKeys = readKeys('SESSION_KEYS', settings.SESSION_KEYS, problems);
  if (IDENTITY === 'user' && NODE_ENV === 'production' && settings.SESSION_KEYS === undefined) {
    problems.push('SESSION_KEYS: is needed with IDENTITY=user in production; "openssl rand -base64 32" makes a key');
  }
  checkRequestLimit(settings, problems);
  const hosts = settings.HOSTS === undefined ? undefined : listOf(settings.HOSTS);
  const corsOrigins = readOrigins(settings, problems);
  return { callers: readCallers(settings, problems), sessionKeys, corsOrigins, hosts };
}

/** What a cache gives to everybody must be everybody's. */
function checkSharing({ CACHE_CONTROL, IDENTITY, CALLER_AUTH = 'none' }: Settings, problems: string[]): void {
  if (CACHE_CONTROL !== 'public' || (IDENTITY === 'service' && CALLER_AUTH === 'none')) return;
  problems.push('CACHE_CONTROL: may be public only with IDENTITY=service and CALLER_AUTH=none');
}

/** Only authenticated callers are counted. */
function checkRequestLimit(
  { CALLER_REQUESTS_PER_MINUTE, IDENTITY, CALLER_AUTH = 'none' }: Settings,
  problems: string[],
) {
  const isKnown = IDENTITY === 'user' || (IDENTITY === 'service' && CALLER_AUTH !== 'none');
  if (CALLER_REQUESTS_PER_MINUTE === undefined || isKnown) return;
  problems.push(
    'CALLER_REQUESTS_PER_MINUTE: is for callers whom the gateway authenticates; set CALLER_AUTH to jwt or key, or unset this',
  );
}

function readCallers(settings: Settings, problems: string[]): Callers {
  const { IDENTITY, NODE_ENV, UPSTREAM_URL, CALLER_AUTH } = settings;
  const isExposed = IDENTITY === 'service' && NODE_ENV === 'production' && UPSTREAM_URL !== undefined;
  if (isExposed && CALLER_AUTH === undefined) {
    const why = 'or everybody who reaches the gateway asks with its credentials';
    problems.push(`CALLER_AUTH: must be said in production: jwt or key, ${why}; none says that this is meant`);
  }
  if (CALLER_AUTH === 'jwt') return readJwtCallers(settings, problems);
  if (CALLER_AUTH === 'key') return { auth: 'key', keys: readCallerKeys(settings.CALLER_KEYS, problems) };
  return { auth: 'none' };
}

function readJwtCallers(settings: Settings, problems: string[]): Callers {
  const { CALLER_JWKS_URL: jwksUrl, CALLER_JWT_PUBLIC_KEY: publicKeyPem } = settings;
  if (jwksUrl !== undefined) return { auth: 'jwt', keys: { jwksUrl } };
  if (publicKeyPem !== undefined && isPublicKey(publicKeyPem)) return { auth: 'jwt', keys: { publicKeyPem } };
  if (publicKeyPem !== undefined) problems.push('CALLER_JWT_PUBLIC_KEY: must be a public key in PEM (SPKI)');
  else problems.push('CALLER_JWKS_URL: is needed with CALLER_AUTH=jwt, or CALLER_JWT_PUBLIC_KEY');
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

function readCallerKeys(text: string | undefined, problems: string[]): ApiKeyHash[] {
  const entries = listOf(text);
  if (entries.length === 0)
    problems.push('CALLER_KEYS: is needed with CALLER_AUTH=key; "npm run -s key -- NAME" makes one');
  return entries.flatMap((entry, index) => {
    const [, name, sha256] = /^([^:]+):([0-9a-f]{64})$/.exec(entry) ?? [];
    if (name !== undefined && sha256 !== undefined) return [{ name, sha256 }];
    problems.push(`CALLER_KEYS: entry ${index + 1} must be a name, a colon, and a SHA-256 in hexadecimal`);
    return [];
  });
}

function readOrigins({ CORS_ORIGINS }: Settings, problems: string[]): string[] {
  const origins = listOf(CORS_ORIGINS);
  for (const origin of origins.filter((entry) => !URL.canParse(entry) || new URL(entry).origin !== entry)) {
    problems.push(`CORS_ORIGINS: ${JSON.stringify(origin)} is no origin such as https://app.example`);
  }
  return origins;
}
