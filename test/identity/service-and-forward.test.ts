import { generateKeyPair, SignJWT } from 'jose';
import { describe, expect, it } from 'vitest';
import type { Env } from '../support/gateway.ts';
import { keySetUrl } from '../support/key-set.ts';
import { runCommand } from '../support/run.ts';
import { type ScriptedAnswer, scriptPlatform } from '../support/scripted-platform.ts';
import {
  callerKeys,
  executeAs,
  OWN,
  platformToken,
  READ,
  signIn,
  startPlatform,
  startService,
  startWith,
  VIEWER,
} from './support.ts';

const BUDGET = { UPSTREAM_CALLS_PER_MINUTE: '600', LIVE_INTERVAL_MS: '0' };
const many = (count: number) => Array.from({ length: count }, (_, index) => index);

const PRIVATE =
  'data:application/json,{"keys":[{"kty":"OKP","crv":"Ed25519","x":"plain-key","d":"plain-key"}]}';
/** Returns the calls for one instance and the code of its error. */
async function codeFor(url: string, id: number, headers: Readonly<Record<string, string>>) {
  const query = `{ instance(formId: "employee", instanceId: ${id}) { instanceId } }`;
  return (await executeAs(url, query, headers)).errors?.[0]?.extensions['code'];
}

describe('callers of a gateway with its own credentials', () => {
  it('may be anonymous', async () => {
    const { url } = await startService({ CALLER_AUTH: 'none' });

    const { data, errors } = await executeAs(url, `{ viewer { name } ${READ.slice(1)}`);
    const signedIn = await executeAs(url, signIn('demo'));

    expect(errors).toBeUndefined();
    expect(data).toEqual({ viewer: null, form: { name: 'Supplier' } });
    expect(signedIn.errors).toMatchObject([{ extensions: { code: 'BAD_USER_INPUT' } }]);
  });

  it('may authenticate with API keys, without which there is no call and no SDL of the schema', async () => {
    const { url, calls } = await startService({ ...callerKeys('web', 'mobile'), PLAYGROUND: 'on' });
    const sdlWith = async (headers: Record<string, string>) =>
      (await fetch(`${url}/schema.graphql`, { headers })).status;

    expect((await executeAs(url, VIEWER, { 'x-api-key': 'mobile' })).data).toEqual({
      viewer: { name: 'mobile', since: null, until: null },
    });
    for (const headers of [{ 'x-api-key': 'another' }, {}]) {
      const { status, errors } = await executeAs(url, READ, headers);
      expect(status).toBe(401);
      expect(errors).toMatchObject([{ extensions: { code: 'UNAUTHENTICATED' } }]);
      expect(await sdlWith(headers)).toBe(401);
    }
    expect(await sdlWith({ 'x-api-key': 'web' })).toBe(200);
    expect(calls).toEqual([]);
  });

  it('may authenticate with tokens of an identity provider', async () => {
    const { publicKey, privateKey } = await generateKeyPair('ES256', { extractable: true });
    const { url } = await startService({
      CALLER_AUTH: 'jwt',
      CALLER_JWT_ISSUER: 'https://id.example',
      CALLER_JWKS_URL: await keySetUrl(publicKey),
    });
    const token = await new SignJWT({ sub: 'ann', iss: 'https://id.example', exp: 4e9 })
      .setProtectedHeader({ alg: 'ES256' })
      .sign(privateKey);

    const { data } = await executeAs(url, VIEWER, { authorization: `Bearer ${token}` });

    expect(data.viewer.name).toBe('ann');
    expect((await executeAs(url, VIEWER)).headers.get('www-authenticate')).toBe('Bearer');
  });

  it('take at most half of the call budget each while another one asks, and all of it alone', async () => {
    const { url } = await startService({ ...callerKeys('web', 'mobile'), ...BUDGET });
    let id = 0;
    const limited = async (key: string, count: number) => {
      const read = () => codeFor(url, ++id, { 'x-api-key': key });
      const codes = await Promise.all(many(count).map(read));
      return codes.filter((code) => code === 'RATE_LIMITED').length;
    };

    expect(await limited('web', 70)).toBe(0);
    await limited('mobile', 1);
    expect(await limited('web', 40)).toBeGreaterThan(20);
  });

  it.each([
    ['CALLER_AUTH', { NODE_ENV: 'production', UPSTREAM_URL: 'https://platform.example', ...OWN }],
    ['CALLER_KEYS', { CALLER_AUTH: 'key' }],
    ['CALLER_KEYS', { CALLER_AUTH: 'key', CALLER_KEYS: 'web:plain-key' }],
    ['CALLER_JWKS_URL', { CALLER_AUTH: 'jwt' }],
    [
      'CALLER_JWKS_URL',
      { CALLER_AUTH: 'jwt', CALLER_JWKS_URL: 'data:application/json,{"keys":[]}' },
    ],
    ['CALLER_JWKS_URL', { CALLER_AUTH: 'jwt', CALLER_JWKS_URL: PRIVATE }],
    ['SESSION_KEYS', { IDENTITY: 'user', SESSION_KEYS: 'short' }],
    ['SESSION_KEYS', { IDENTITY: 'user', NODE_ENV: 'production' }],
    ['CORS_ORIGINS', { CORS_ORIGINS: 'https://app.example/path' }],
  ])(
    'are rejected at startup if settings are invalid, or absent in production with a real platform: %s',
    async (name, env) => {
      const { code, stderr } = await runCommand([], env);

      expect(code).toBe(2);
      expect(stderr).toContain(`- ${name}: `);
      expect(stderr).not.toMatch(/plain-key|"short"/);
    },
  );
});

describe('a gateway that forwards tokens', () => {
  const WELL = { body: { idForm: 'supplier', name: 'Supplier' } };
  /** Starts a gateway in front of a platform that knows the token `ann` in this spelling. */
  const startBefore = async (refusal: ScriptedAnswer) => {
    const { env } = await scriptPlatform(({ headers }) =>
      headers.authorization === 'Bearer ann' ? WELL : refusal,
    );
    const url = await startWith({ UPSTREAM_URL: env.UPSTREAM_URL, IDENTITY: 'forward' });
    return async (authorization: string) =>
      (await executeAs(url, READ, { authorization })).errors?.[0]?.extensions['code'];
  };
  const start = async (env: Env = {}) => {
    const { url: UPSTREAM_URL, calls } = await startPlatform();
    const url = await startWith({ UPSTREAM_URL, IDENTITY: 'forward', ...env });
    const tokenOf = async (name: string) => ({
      authorization: await platformToken(UPSTREAM_URL, name),
    });
    return { url, calls, tokenOf };
  };

  it('is not paused for all callers by made-up tokens that the platform limits', async () => {
    const codeOf = await startBefore({ status: 429, headers: { 'retry-after': '60' }, body: {} });

    const made = await Promise.all(many(10).map((id) => codeOf(`Bearer made-up-${id}`)));

    expect(made).toEqual(Array(10).fill('RATE_LIMITED'));
    expect(await codeOf('Bearer ann')).toBeUndefined();
  });

  it('serves a token in the spelling that the platform accepts after another was refused', async () => {
    const codeOf = await startBefore({ status: 401, body: {} });

    expect(await codeOf('bearer ann')).toBe('UNAUTHENTICATED');
    expect(await codeOf('Bearer ann')).toBeUndefined();
    expect(await codeOf('bearer ann')).toBeUndefined();
  });

  it('takes one token in any spelling for one caller, with one limit', async () => {
    const { url, tokenOf } = await start({ CALLER_REQUESTS_PER_MINUTE: '5' });
    const { authorization } = await tokenOf('reader');
    const token = authorization.replace('Bearer ', '');
    await executeAs(url, READ, { authorization });

    const spellings = ['Bearer', 'bearer', 'BEARER', 'bEARER', 'beareR', 'BeArEr'].flatMap(
      (scheme) => [1, 2, 3].map((spaces) => `${scheme}${' '.repeat(spaces)}${token}`),
    );
    const answers = await Promise.all(
      spellings.map((spelling) => executeAs(url, READ, { authorization: spelling })),
    );

    expect(answers.filter(({ status }) => status === 200)).toHaveLength(5);
    expect((await executeAs(url, READ, { authorization: token })).status).toBe(429);
  });

  it('leaves an accepted token half of the call budget, however many tokens are made up', async () => {
    const { url, tokenOf } = await start(BUDGET);
    const ann = await tokenOf('reader');
    await codeFor(url, 1, ann);

    const made = await Promise.all(
      many(100).map((id) => codeFor(url, 1, { authorization: `Bearer made-up-${id}` })),
    );
    const real = await Promise.all(many(30).map((id) => codeFor(url, id, ann)));

    expect(made).toContain('UNAUTHENTICATED');
    expect(made).toContain('RATE_LIMITED');
    expect(real).not.toContain('RATE_LIMITED');
  });

  it('keeps the data of an accepted token, however many tokens are made up', async () => {
    const { url, calls, tokenOf } = await start();
    const ann = await tokenOf('demo');
    await executeAs(url, READ, ann);

    for (const batch of many(21)) {
      const tokens = many(50).map((id) => ({ authorization: `Bearer made-up-${batch}-${id}` }));
      await Promise.all(tokens.map((token) => executeAs(url, '{ __typename }', token)));
    }
    calls.length = 0;

    expect((await executeAs(url, READ, ann)).data).toEqual({ form: { name: 'Supplier' } });
    expect(calls).toEqual([]);
  });

  it('passes each caller’s token on unchanged, and sees what its owner may see', async () => {
    const { url, tokenOf } = await start();

    expect(await codeFor(url, 1, await tokenOf('reader'))).toBeUndefined();
    expect(await codeFor(url, 1, await tokenOf('clerk'))).toBe('FORBIDDEN');
    expect(await codeFor(url, 1, { authorization: 'Bearer made-up' })).toBe('UNAUTHENTICATED');
    expect(await codeFor(url, 1, {})).toBe('UNAUTHENTICATED');
  });
});
