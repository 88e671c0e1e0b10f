import { hash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import {
  createLocalJWKSet,
  createRemoteJWKSet,
  errors,
  type JWTPayload,
  type JWTVerifyGetKey,
  type JWTVerifyOptions,
  jwtVerify,
} from 'jose';
import type { CallerKey } from '../../config/config.ts';
import type { Settings } from '../../config/settings.ts';
import { codeOrMessage } from '../../core/errors.ts';
import type { Log } from '../../core/log.ts';
import type { Observer } from '../../core/observers.ts';
import type { Viewer } from '../../graphql/context.ts';
import { RequestError } from '../errors.ts';
import { createRefusalLog } from '../refusal-log.ts';

/**
 * Returns the caller of a request.
 *
 * @throws {RequestError} 401 for an unknown caller. The message does not contain the reason.
 */
export type CheckCaller = (headers: IncomingHttpHeaders) => Viewer | Promise<Viewer>;

/** The accepted API keys. */
export interface ApiKeys {
  /** Returns the viewer of a request's key. @throws {RequestError} 401 for an unknown key. */
  check(headers: IncomingHttpHeaders): Viewer;
  /** Returns whether the key of a viewer is still accepted. */
  isKnown(viewer: Viewer): boolean;
  /** Replaces the accepted keys. A key that stays keeps its viewer object. */
  replace(keys: readonly CallerKey[]): void;
}

/**
 * Checks callers with `CALLER_AUTH=key`: they send a key in `x-api-key`. Only hashes of the keys
 * are kept.
 */
export function createApiKeys(keys: readonly CallerKey[]): ApiKeys {
  // Keys are long and random, so a lookup by hash has no useful timing side channel.
  let byHash: ReadonlyMap<string, Viewer> = new Map();
  let viewers: ReadonlySet<Viewer> = new Set();
  const find = ({ name, sha256 }: CallerKey): Viewer | undefined => {
    const viewer = byHash.get(sha256);
    return viewer?.name === name ? viewer : undefined;
  };
  const replace = (next: readonly CallerKey[]): void => {
    byHash = new Map(next.map((key) => [key.sha256, find(key) ?? { name: key.name }]));
    viewers = new Set(byHash.values());
  };
  replace(keys);
  return {
    check({ 'x-api-key': key }) {
      const viewer = typeof key === 'string' ? byHash.get(hashApiKey(key)) : undefined;
      if (viewer) return viewer;
      throw unknownCaller(key ? 'unknown key' : 'missing', 'ApiKey', API_KEY_HINT);
    },
    isKnown: (viewer) => viewers.has(viewer),
    replace,
  };
}

/** Returns the SHA-256 of a key in hexadecimal. */
export const hashApiKey = (key: string): string => hash('sha256', key, 'hex');

/** Only asymmetric algorithms. With a shared secret, each verifier could also create tokens. */
const ALGORITHMS = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
];

/** The accepted difference between the issuer's clock and ours, in seconds, for `exp` and `nbf`. */
const CLOCK_TOLERANCE = 5;

/**
 * Checks callers with `CALLER_AUTH=jwt`: they send a token of the operator's identity provider as
 * `Authorization: Bearer`.
 */
export function checkJwts(
  { CALLER_JWT_ISSUER, CALLER_JWT_AUDIENCE }: Settings,
  findKey: JWTVerifyGetKey,
): CheckCaller {
  const options: JWTVerifyOptions = {
    algorithms: ALGORITHMS,
    requiredClaims: ['exp', 'sub'],
    clockTolerance: CLOCK_TOLERANCE,
  };
  if (CALLER_JWT_ISSUER) options.issuer = CALLER_JWT_ISSUER;
  if (CALLER_JWT_AUDIENCE) options.audience = CALLER_JWT_AUDIENCE;

  return async (headers) => {
    const token = readBearer(headers);
    if (token === undefined)
      throw unknownCaller(headers.authorization ? 'malformed' : 'missing', 'Bearer', JWT_HINT);
    try {
      const { payload } = await verify(token, findKey, options);
      return toViewer(payload);
    } catch (error) {
      if (error instanceof RequestError) throw error;
      throw unknownCaller(reasonOf(error), 'Bearer error="invalid_token"', JWT_HINT);
    }
  };
}

/**
 * Verifies a token with the key of its `kid`. If several published keys match, tries each of them.
 *
 * @throws {JOSEError} if no key verifies the signature, or if a claim is wrong.
 */
async function verify(token: string, findKey: JWTVerifyGetKey, options: JWTVerifyOptions) {
  try {
    return await jwtVerify(token, findKey, options);
  } catch (error) {
    if (error instanceof errors.JWKSMultipleMatchingKeys)
      return verifyByEach(error, token, options);
    throw error;
  }
}

async function verifyByEach(
  keys: errors.JWKSMultipleMatchingKeys,
  token: string,
  options: JWTVerifyOptions,
) {
  for await (const key of keys) {
    try {
      return await jwtVerify(token, key, options);
    } catch (error) {
      // Claims are checked after the signature, so this was the right key.
      const isExpired = error instanceof errors.JWTExpired;
      if (isExpired || error instanceof errors.JWTClaimValidationFailed) throw error;
    }
  }
  throw new errors.JWSSignatureVerificationFailed();
}

/** Returns the token of `Authorization: Bearer`. `undefined` for other headers. */
export const readBearer = ({ authorization = '' }: IncomingHttpHeaders): string | undefined =>
  /^Bearer (\S+)$/i.exec(authorization)?.[1];

const RELOAD_MS = 600_000;
/** The shortest time between two reads of the keys because of unknown keys. */
const UNKNOWN_KEY_MS = 30_000;
const RETRY_AFTER_MS = 1_000;
const KEYS_ADVICE =
  'Check its host, port and certificate from here, and that it answers with a JSON Web Key Set; the last keys read stay in use.';
/** Errors of the token, not of reading the issuer's keys. */
const TOKEN_ERRORS = [errors.JWKSMultipleMatchingKeys, errors.JOSENotSupported];

/**
 * Creates a function that finds a token's key among the issuer's published keys (JWKS). The keys
 * are read on first use, every ten minutes, and for a token with an unknown key. If a read fails,
 * the previous keys are used. Without keys, callers get `CALLERS_UNKNOWN`.
 *
 * If the issuer publishes no key with the token's `kid`, the keys without a `kid` are used.
 *
 * @param defer registers a function that stops the reads.
 */
export function createPublishedKeys(
  url: string,
  log: Log,
  defer: (stop: () => void) => void,
): JWTVerifyGetKey {
  const cacheMaxAge = Number.POSITIVE_INFINITY;
  const keys = createRemoteJWKSet(new URL(url), { cacheMaxAge, cooldownDuration: UNKNOWN_KEY_MS });
  const fail = (error: unknown): void => {
    // `fetch` has the reason as its error's cause. The codes of jose are less exact than its messages.
    const fault = error instanceof Error && error.cause ? error.cause : error;
    const reason = fault instanceof errors.JOSEError ? fault.message : codeOrMessage(fault);
    log.warn({ reason, advice: KEYS_ADVICE }, 'CALLER_JWKS_URL cannot be read');
  };
  const timer = setInterval(() => keys.reload().catch(fail), RELOAD_MS).unref();
  defer(() => clearInterval(timer));

  return async (header, token) => {
    try {
      return await keys(header, token);
    } catch (error) {
      if (error instanceof errors.JWKSNoMatchingKey) {
        const { kid: _, ...anyKey } = header;
        const nameless = keys.jwks()?.keys.filter(({ kid }) => kid === undefined) ?? [];
        return createLocalJWKSet({ keys: nameless })(anyKey, token);
      }
      if (TOKEN_ERRORS.some((fault) => error instanceof fault)) throw error;
      fail(error);
      throw callersUnknown();
    }
  };
}

const callersUnknown = () =>
  new RequestError(
    503,
    'Callers cannot be authenticated now: the token issuer’s keys are unavailable.',
    {
      code: 'CALLERS_UNKNOWN',
      retryAfterMs: RETRY_AFTER_MS,
    },
  );

const API_KEY_HINT = 'send an API key as "x-api-key: KEY"';
const JWT_HINT = 'send a valid token of its identity provider as "Authorization: Bearer TOKEN"';

const unknownCaller = (reason: string, scheme: string, hint: string) =>
  new RequestError(401, `Authentication required: ${hint}.`, {
    cause: reason,
    headers: { 'www-authenticate': scheme },
  });

function toViewer(claims: JWTPayload): Viewer {
  const { sub: name, iat, exp } = claims;
  if (typeof name !== 'string' || !name)
    throw new errors.JWTClaimValidationFailed('no text', claims, 'sub');
  return { name, since: toDate(iat), until: toDate(exp), claims };
}

const toDate = (seconds: number | undefined) =>
  seconds === undefined ? undefined : new Date(seconds * 1_000);

/** The reasons by claim or by jose's code. Other errors become `malformed`. */
const REASONS: Readonly<Record<string, string>> = {
  aud: 'audience',
  exp: 'expired',
  iss: 'issuer',
  nbf: 'not yet valid',
  sub: 'subject',
  ERR_JOSE_ALG_NOT_ALLOWED: 'algorithm',
  ERR_JOSE_NOT_SUPPORTED: 'algorithm',
  ERR_JWE_DECRYPTION_FAILED: 'signature',
  ERR_JWKS_NO_MATCHING_KEY: 'unknown key',
  ERR_JWS_SIGNATURE_VERIFICATION_FAILED: 'signature',
};

/**
 * Returns why a token or session is refused. The word is from a small set and contains no part of
 * the token.
 */
export function reasonOf(error: unknown): string {
  // Web Crypto throws this if the token's algorithm does not match its key.
  if (!(error instanceof errors.JOSEError)) return 'algorithm';
  const { claim = error.code } = error as Partial<errors.JWTExpired>;
  return REASONS[claim] ?? 'malformed';
}

/** Creates an observer that logs refused callers. */
export function observeRefusedCallers(log: Log): Observer {
  const logRefusal = createRefusalLog(log);
  return {
    callerRefused: (reason, ids) =>
      logRefusal('UNAUTHENTICATED', { ...ids, reason }, 'caller not let in'),
  };
}
