import { createHash } from 'node:crypto';
import { EncryptJWT, generateKeyPair, SignJWT } from 'jose';
import { describe, expect, it } from 'vitest';

import { type Env, startGateway } from '../support/gateway.ts';
import { keySetUrl } from '../support/key-set.ts';
import { scriptPlatform } from '../support/scripted-platform.ts';
import { callerKeys, executeAs, OWN, READ, signInAs, startPlatform } from './support.ts';

const KEYS = { ...OWN, ...callerKeys('web') };
const ISSUER = 'https://id.example';
const AUDIENCE = 'caseway';
/** The messages for callers, which do not contain the reason. */
const SENTENCES = [
  'Authentication required: send an API key as "x-api-key: KEY".',
  'Authentication required: send a valid token of its identity provider as "Authorization: Bearer TOKEN".',
  'Sign in first, or again: the request has no session or token, or it has ended. Send it in the header Authorization, or in the cookie that signIn set.',
];

/** Starts a gateway and returns its log lines and counters about refused callers. */
async function start(env: Env) {
  const platform = await startPlatform();
  const { url, metrics, logged, lines } = await startGateway({
    UPSTREAM_URL: platform.url,
    LOG_LEVEL: 'info',
    METRICS_PORT: '0',
    ...env,
  });
  const refusals = () => logged().filter(({ msg }) => msg === 'caller not let in');
  const counts = async () => {
    const samples = (await metrics()).matchAll(
      /^caseway_refused_callers_total\{reason="([^"]+)"\} (\d+)$/gm,
    );
    return Object.fromEntries([...samples].map(([, reason, count]) => [reason, Number(count)]));
  };
  return { url, platform, lines, refusals, counts };
}

/**
 * Checks that one request was refused for this reason, in the log, in the metrics and in nothing
 * that its client reads.
 */
async function expectReason(
  { url, lines, refusals, counts }: Awaited<ReturnType<typeof start>>,
  headers: Readonly<Record<string, string>>,
  reason: string,
) {
  const { errors, headers: received } = await executeAs(url, READ, headers);

  expect(errors).toMatchObject([{ extensions: { code: 'UNAUTHENTICATED' } }]);
  expect(SENTENCES).toContain(errors?.[0]?.message);
  const { time, ...line } = refusals()[0] ?? {};
  expect([line, refusals().length]).toEqual([
    { level: 30, requestId: received.get('x-request-id'), reason, msg: 'caller not let in' },
    1,
  ]);
  expect(await counts()).toEqual({ [reason]: 1 });
  for (const secret of Object.values(headers))
    expect(lines.join()).not.toContain(secret.replace('Bearer ', ''));
}

describe('a refused caller is logged and counted', async () => {
  const { publicKey, privateKey } = await generateKeyPair('ES256', { extractable: true });
  const [stranger, another] = [await generateKeyPair('ES256'), await generateKeyPair('EdDSA')];
  const jwts = {
    ...OWN,
    CALLER_AUTH: 'jwt',
    CALLER_JWKS_URL: await keySetUrl(publicKey),
    CALLER_JWT_ISSUER: ISSUER,
    CALLER_JWT_AUDIENCE: AUDIENCE,
  };
  const sign = (claims: object, key = privateKey, alg = 'ES256') =>
    new SignJWT({ sub: 'ann', iss: ISSUER, aud: AUDIENCE, exp: 4e9, ...claims })
      .setProtectedHeader({ alg })
      .sign(key);
  const key = Buffer.alloc(32, 5);
  const kid = createHash('sha256').update(key).digest('base64url').slice(0, 8);
  const CLAIMS = { authorization: 'Bearer t', sinceMs: 0, sub: 'ann', jti: 'j' };
  const encrypt = ({ exp = 4e9, aud = 'caseway-session', id = kid, secret = key } = {}) =>
    new EncryptJWT({ ...CLAIMS, untilMs: exp * 1_000, aud, exp })
      .setProtectedHeader({ alg: 'dir', enc: 'A256GCM', kid: id })
      .encrypt(secret);
  const sessions = { IDENTITY: 'user', SESSION_KEYS: key.toString('base64url') };

  it.each([
    ['missing', {}],
    ['unknown key', { 'x-api-key': 'a-secret-of-somebody' }],
  ])('by an API key: %s', async (reason, headers) => {
    await expectReason(await start(KEYS), headers, reason);
  });

  it.each([
    ['expired', sign({ exp: 1 })],
    ['expired', sign({ exp: undefined })],
    ['not yet valid', sign({ nbf: 4e9 })],
    ['audience', sign({ aud: 'another' })],
    ['issuer', sign({ iss: 'https://evil.example' })],
    ['subject', sign({ sub: undefined })],
    ['subject', sign({ sub: '' })],
    ['subject', sign({ sub: 7 })],
    ['signature', sign({}, stranger.privateKey)],
    ['unknown key', sign({}, another.privateKey, 'EdDSA')],
    ['algorithm', 'eyJhbGciOiJub25lIn0.eyJzdWIiOiJhbm4ifQ.'],
    ['malformed', 'no-token-at-all'],
  ])('by a token of an identity provider: %s', async (reason, token) => {
    await expectReason(await start(jwts), { authorization: `Bearer ${await token}` }, reason);
  });

  it.each([
    ['missing', {}],
    ['malformed', { authorization: 'Basic c2VjcmV0OnNlY3JldA==' }],
  ])('without a token of an identity provider: %s', async (reason, headers) => {
    await expectReason(await start(jwts), headers, reason);
  });

  it.each([
    ['expired', encrypt({ exp: 1 })],
    ['audience', encrypt({ aud: 'another' })],
    ['unknown key', encrypt({ id: 'anothers' })],
    ['signature', encrypt({ secret: Buffer.alloc(32, 6) })],
    ['malformed', 'no-token-at-all'],
  ])('by a session: %s', async (reason, token) => {
    await expectReason(await start(sessions), { authorization: `Bearer ${await token}` }, reason);
  });

  it('by a session that was signed out of, and not for who signs in', async () => {
    const gateway = await start(sessions);
    const session = await signInAs(gateway.url, 'demo');
    expect([gateway.refusals(), await gateway.counts()]).toEqual([[], {}]);
    await executeAs(gateway.url, 'mutation { signOut { viewer { name } } }', session);

    await expectReason(gateway, session, 'ended');
  });

  it('by a forwarded token that the platform does not accept', async () => {
    const gateway = await start({ IDENTITY: 'forward' });

    await expectReason(gateway, { authorization: 'Bearer of-nobody' }, 'platform');
  });

  it('by a session whose token the platform does not accept, which has ended then', async () => {
    const { env } = await scriptPlatform(() => ({ status: 401, body: {} }));
    const gateway = await start({ UPSTREAM_URL: env.UPSTREAM_URL, IDENTITY: 'user' });
    const session = await signInAs(gateway.url, 'ann');

    await expectReason(gateway, session, 'platform');
    await executeAs(gateway.url, READ, session);

    expect(gateway.refusals().map(({ reason }) => reason)).toEqual(['platform', 'ended']);
  });

  it('with the id of the request also where the schema is requested', async () => {
    const { url, refusals } = await start({ ...KEYS, PLAYGROUND: 'on' });

    const { headers } = await fetch(`${url}/schema.graphql`);

    expect(refusals()).toMatchObject([
      { requestId: headers.get('x-request-id'), reason: 'missing' },
    ]);
  });

  it('at most ten times a second in the log, and each time in the count', async () => {
    const { url, refusals, counts } = await start(KEYS);
    const startedMs = performance.now();
    let sent = 200;
    await Promise.all(Array.from({ length: sent }, () => executeAs(url, READ)));
    const lines = refusals().length;
    const seconds = Math.ceil((performance.now() - startedMs) / 1_000);

    expect(lines).toBeGreaterThanOrEqual(10);
    expect(lines).toBeLessThanOrEqual(10 * (seconds + 1));
    // Not for good.
    const refuseAgain = async () => {
      sent++;
      await executeAs(url, READ);
      return refusals().length;
    };
    await expect.poll(refuseAgain).toBeGreaterThan(lines);
    expect(await counts()).toEqual({ missing: sent });
  });
});
