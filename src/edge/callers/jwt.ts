import { createRemoteJWKSet, errors, importSPKI, type JWTPayload, type JWTVerifyGetKey, jwtVerify } from 'jose';

import { RequestError } from '../request-error.ts';
import { type CallerCheck, unknownCaller } from './caller-check.ts';

interface JwtOptions {
  /** Where the issuer publishes its keys; or its one public key. */
  readonly keys: { readonly jwksUrl: string } | { readonly publicKeyPem: string };
  readonly issuer?: string | undefined;
  readonly audience?: string | undefined;
}

/** Asymmetric ones only: with a shared secret, everybody who can check a token can also make one. */
const ALGORITHMS = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA'];

/** `CALLER_AUTH=jwt`: callers send a token of the operator's identity provider as `Authorization: Bearer`. */
export function checkJwtCallers({ keys, issuer, audience }: JwtOptions): CallerCheck {
  const findKey: JWTVerifyGetKey =
    'jwksUrl' in keys ? findPublishedKey(keys.jwksUrl) : async ({ alg = '' }) => importSPKI(keys.publicKeyPem, alg);
  const options = { algorithms: ALGORITHMS, ...(issuer && { issuer }), ...(audience && { audience }) };

  return async ({ authorization = '' }) => {
    const token = /^Bearer (\S+)$/i.exec(authorization)?.[1];
    if (token === undefined) throw unknownCaller('Bearer');
    const { payload } = await jwtVerify(token, findKey, { ...options, requiredClaims: ['exp', 'sub'] }).catch(
      (error) => {
        throw error instanceof RequestError ? error : unknownCaller('Bearer error="invalid_token"');
      },
    );
    return toViewer(payload);
  };
}

/** What is wrong with a token, and not with its issuer's keys. */
const OF_TOKENS = [errors.JWKSNoMatchingKey, errors.JWKSMultipleMatchingKeys, errors.JOSENotSupported];

/** Finds a key among those that the issuer publishes. Who cannot be judged without these is not told to be a stranger. */
function findPublishedKey(jwksUrl: string): JWTVerifyGetKey {
  const find = createRemoteJWKSet(new URL(jwksUrl));
  return (header, token) =>
    find(header, token).catch((error: unknown) => {
      if (OF_TOKENS.some((fault) => error instanceof fault)) throw error;
      const message = 'Nobody can be known now: the keys of the issuer of tokens cannot be read.';
      throw new RequestError(503, message, { code: 'CALLERS_UNKNOWN', headers: { 'retry-after': '5' } });
    });
}

const toViewer = ({ sub = '', iat, exp }: JWTPayload) => ({ name: sub, since: toDate(iat), until: toDate(exp) });

const toDate = (seconds: number | undefined) => (seconds === undefined ? undefined : new Date(seconds * 1_000));
