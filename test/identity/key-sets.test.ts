import { exportJWK, generateKeyPair, type JWK, type JWTHeaderParameters, SignJWT } from 'jose';
import { describe, expect, it } from 'vitest';

import { startGateway } from '../support/gateway.ts';
import { executeAs, OWN, VIEWER } from './support.ts';

const signing = await generateKeyPair('RS256', { extractable: true });
const other = await generateKeyPair('RS256', { extractable: true });
const unpublished = await generateKeyPair('RS256', { extractable: true });
const KEY = await exportJWK(signing.publicKey);
const NAMED = { ...KEY, kid: 'a' };
const OTHER = await exportJWK(other.publicKey);

/** Starts a gateway that trusts these published keys; no test here calls the platform. */
const startTrusting = (keys: readonly JWK[]) =>
  startGateway({
    UPSTREAM_URL: 'http://127.0.0.1:9',
    ...OWN,
    CALLER_AUTH: 'jwt',
    CALLER_JWKS_URL: `data:application/json,${encodeURIComponent(JSON.stringify({ keys }))}`,
  });

const nowSeconds = () => Math.floor(Date.now() / 1_000);

/** Sends a token and returns the HTTP status. */
async function statusFor(
  { url }: { readonly url: string },
  claims: object = {},
  header: Partial<JWTHeaderParameters> = {},
  { privateKey } = signing,
): Promise<number> {
  const token = await new SignJWT({ sub: 'ann', exp: nowSeconds() + 300, ...claims })
    .setProtectedHeader({ alg: 'RS256', ...header })
    .sign(privateKey);
  return (await executeAs(url, VIEWER, { authorization: `Bearer ${token}` })).status;
}

it.each([
  ['expired three seconds ago', () => ({ exp: nowSeconds() - 3 }), 200],
  ['becomes valid in three seconds', () => ({ nbf: nowSeconds() + 3 }), 200],
  ['was issued in two minutes', () => ({ iat: nowSeconds() + 120 }), 200],
  ['expired half a minute ago', () => ({ exp: nowSeconds() - 30 }), 401],
  ['becomes valid in half a minute', () => ({ nbf: nowSeconds() + 30 }), 401],
])(
  'the clock of a token’s issuer may differ by five seconds: a token that %s',
  async (_when, claims, status) => {
    expect(await statusFor(await startTrusting([KEY]), claims())).toBe(status);
  },
);

describe('a published key set', () => {
  it.each([
    ['has the same key twice', [NAMED, NAMED]],
    ['has two keys of one name', [{ ...OTHER, kid: 'a' }, NAMED]],
    ['has one key without a name', [KEY]],
    ['has several keys without names', [OTHER, KEY]],
    ['has named and nameless keys', [{ ...OTHER, kid: 'b' }, OTHER, KEY]],
    ['has a broken key of the same name', [{ kty: 'RSA', n: 'AA', e: 'AA', kid: 'a' }, NAMED]],
    ['has keys of unknown types', [{ kty: 'OKP', crv: 'Ed448', x: 'AA' }, { kty: 'oct' }, NAMED]],
    ['has a key for encryption of the same name', [{ ...OTHER, kid: 'a', use: 'enc' }, NAMED]],
  ])('that %s verifies tokens with and without the name of their key', async (_what, keys) => {
    const gateway = await startTrusting(keys);

    expect(await statusFor(gateway, {}, { kid: 'a' })).toBe(200);
    expect(await statusFor(gateway)).toBe(200);
    expect(await statusFor(gateway, {}, { kid: 'a' }, unpublished)).toBe(401);
    expect(await statusFor(gateway, {}, {}, unpublished)).toBe(401);
  });

  it('does not verify a token that names a key that it does not have', async () => {
    const gateway = await startTrusting([NAMED]);

    expect(await statusFor(gateway, {}, { kid: 'b' })).toBe(401);
  });

  it('refuses a wrong claim of a token whichever key has signed it', async () => {
    const gateway = await startTrusting([OTHER, KEY]);

    expect(await statusFor(gateway, { exp: 1 })).toBe(401);
    expect(await statusFor(gateway, { sub: '' })).toBe(401);
  });
});
