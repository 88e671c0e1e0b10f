import { hash } from 'node:crypto';
import { createServer } from 'node:http';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { describe, expect, it } from 'vitest';

import { keySetUrl } from '../support/key-set.ts';
import { listen } from '../support/listen.ts';
import { runCommand } from '../support/run.ts';
import { scriptPlatform } from '../support/scripted-platform.ts';
import { executeAs, platformToken, READ, signIn, startPlatform, startWith, VIEWER } from './support.ts';

const many = (count: number) => Array.from({ length: count }, (_, index) => index);
const sha256 = (key: string): string => hash('sha256', key, 'hex');

const PRIVATE = 'data:application/json,{"keys":[{"kty":"OKP","crv":"Ed25519","x":"plain-key","d":"plain-key"}]}';
const OWN = { UPSTREAM_USERNAME: 'demo', UPSTREAM_PASSWORD: 'demo' };

describe('callers of a gateway with its own credentials', () => {
  it('may be anonymous', async () => {
    const platform = await startPlatform();
    const url = await startWith({ UPSTREAM_URL: platform.url, ...OWN, CALLER_AUTH: 'none' });

    const { data, errors } = await executeAs(url, `{ viewer { name } form(formId: "supplier") { name } }`);

    expect({ data, errors }).toEqual({ data: { viewer: null, form: { name: 'Supplier' } }, errors: undefined });
    expect((await executeAs(url, signIn('demo'))).errors).toMatchObject([{ extensions: { code: 'BAD_USER_INPUT' } }]);
  });

  it('may authenticate with API keys, which are stored as hashes only', async () => {
    const platform = await startPlatform();
    const CALLER_KEYS = `web:${sha256('key-of-web')}, mobile:${sha256('key-of-mobile')}`;
    const url = await startWith({ UPSTREAM_URL: platform.url, ...OWN, CALLER_AUTH: 'key', CALLER_KEYS });

    const known = await executeAs(url, VIEWER, { 'x-api-key': 'key-of-mobile' });
    const unknown = await executeAs(url, READ, { 'x-api-key': 'another' });
    const none = await executeAs(url, READ);

    expect(known.data).toEqual({ viewer: { name: 'mobile', since: null, until: null } });
    for (const { status, errors } of [unknown, none]) {
      expect(status).toBe(401);
      expect(errors).toMatchObject([{ extensions: { code: 'UNAUTHENTICATED' } }]);
    }
    expect(platform.calls).toEqual([]);
  });

  it('may authenticate with tokens of an identity provider', async () => {
    const platform = await startPlatform();
    const { publicKey, privateKey } = await generateKeyPair('ES256', { extractable: true });
    const url = await startWith({
      ...{ UPSTREAM_URL: platform.url, ...OWN, CALLER_AUTH: 'jwt', CALLER_JWT_ISSUER: 'https://id.example' },
      CALLER_JWKS_URL: await keySetUrl(publicKey),
    });
    const jwt = new SignJWT({ sub: 'ann', iss: 'https://id.example' }).setProtectedHeader({ alg: 'ES256' });
    const authorization = `Bearer ${await jwt.setExpirationTime('1h').sign(privateKey)}`;

    expect((await executeAs(url, VIEWER, { authorization })).data.viewer.name).toBe('ann');
    expect((await executeAs(url, VIEWER)).headers.get('www-authenticate')).toBe('Bearer');
  });

  it('need their key for the schema’s SDL as they do for introspection', async () => {
    const platform = await startPlatform();
    const keys = { CALLER_AUTH: 'key', CALLER_KEYS: `web:${sha256('key-of-web')}` };
    const url = await startWith({ UPSTREAM_URL: platform.url, ...OWN, ...keys, PLAYGROUND: 'on' });
    const statusWith = async (headers: Record<string, string>) =>
      (await fetch(`${url}/schema.graphql`, { headers })).status;

    expect(await statusWith({})).toBe(401);
    expect(await statusWith({ 'x-api-key': 'another' })).toBe(401);
    expect(await statusWith({ 'x-api-key': 'key-of-web' })).toBe(200);
  });

  it('take at most half of the call budget each while another one asks, and all of it alone', async () => {
    const platform = await startPlatform();
    const url = await startWith({
      ...{ UPSTREAM_URL: platform.url, ...OWN, UPSTREAM_CALLS_PER_MINUTE: '600', LIVE_INTERVAL_MS: '0' },
      ...{ CALLER_AUTH: 'key', CALLER_KEYS: ['web', 'mobile'].map((name) => `${name}:${sha256(name)}`).join() },
    });
    let id = 0;
    const limited = async (key: string, count: number) => {
      const query = () => `{ instance(formId: "employee", instanceId: ${++id}) { instanceId } }`;
      const answers = await Promise.all(many(count).map(() => executeAs(url, query(), { 'x-api-key': key })));
      return answers.filter(({ errors }) => errors?.[0]?.extensions['code'] === 'RATE_LIMITED').length;
    };

    expect(await limited('web', 70)).toBe(0);
    await limited('mobile', 1);
    expect(await limited('web', 40)).toBeGreaterThan(20);
  });

  it('may authenticate with the issuer’s published keys, and not at all while these are unavailable', async () => {
    const platform = await startPlatform();
    const { publicKey, privateKey } = await generateKeyPair('ES256', { extractable: true });
    const published = { keys: [{ ...(await exportJWK(publicKey)), kid: 'now', alg: 'ES256' }] };
    let isDown = true;
    const issuer = await listen(
      createServer((_request, response) => response.writeHead(isDown ? 500 : 200).end(JSON.stringify(published))),
    );
    const env = { UPSTREAM_URL: platform.url, ...OWN, CALLER_AUTH: 'jwt', CALLER_JWKS_URL: `${issuer}/keys` };
    const url = await startWith(env);
    const execute = async (kid: string) => {
      const jwt = new SignJWT().setProtectedHeader({ alg: 'ES256', kid }).setSubject('ann').setExpirationTime('1h');
      return executeAs(url, VIEWER, { authorization: `Bearer ${await jwt.sign(privateKey)}` });
    };

    const early = await execute('now');
    isDown = false;

    expect(early.status).toBe(503);
    expect(early.headers.get('retry-after')).toBe('1');
    expect(early.errors).toMatchObject([{ extensions: { code: 'CALLERS_UNKNOWN', retryable: true } }]);
    await expect.poll(async () => (await execute('now')).data?.viewer.name).toBe('ann');
    expect((await execute('another')).status).toBe(401);
    isDown = true;
    expect((await execute('now')).data.viewer.name).toBe('ann');
  });

  it('must be configured in production with a real platform', async () => {
    const env = { NODE_ENV: 'production', UPSTREAM_URL: 'https://platform.example', ...OWN };

    const { code, stderr } = await runCommand([], env);

    expect(code).toBe(2);
    expect(stderr).toContain('- CALLER_AUTH: ');
  });

  it.each([
    ['CALLER_KEYS', { CALLER_AUTH: 'key' }],
    ['CALLER_KEYS', { CALLER_AUTH: 'key', CALLER_KEYS: 'web:plain-key' }],
    ['CALLER_JWKS_URL', { CALLER_AUTH: 'jwt' }],
    ['CALLER_JWKS_URL', { CALLER_AUTH: 'jwt', CALLER_JWKS_URL: 'data:application/json,{"keys":[]}' }],
    ['CALLER_JWKS_URL', { CALLER_AUTH: 'jwt', CALLER_JWKS_URL: PRIVATE }],
    ['SESSION_KEYS', { IDENTITY: 'user', SESSION_KEYS: 'short' }],
    ['SESSION_KEYS', { IDENTITY: 'user', NODE_ENV: 'production' }],
    ['CORS_ORIGINS', { CORS_ORIGINS: 'https://app.example/path' }],
  ])('are rejected at startup with invalid settings: %s', async (name, env) => {
    const { code, stderr } = await runCommand([], env);

    expect(code).toBe(2);
    expect(stderr).toContain(`- ${name}: `);
    expect(stderr).not.toMatch(/plain-key|"short"/);
  });
});

describe('a gateway that forwards tokens', () => {
  it('is not paused for all callers by made-up tokens that the platform limits', async () => {
    const platform = await scriptPlatform(({ headers }) =>
      headers.authorization === 'Bearer ann'
        ? { body: { idForm: 'supplier', name: 'Supplier' } }
        : { status: 429, headers: { 'retry-after': '60' }, body: {} },
    );
    const url = await startWith({ UPSTREAM_URL: platform.env.UPSTREAM_URL, IDENTITY: 'forward' });
    const codeOf = async (authorization: string) =>
      (await executeAs(url, READ, { authorization })).errors?.[0]?.extensions['code'];

    const made = await Promise.all(many(10).map((id) => codeOf(`Bearer made-up-${id}`)));

    expect(made).toEqual(Array(10).fill('RATE_LIMITED'));
    expect(await codeOf('Bearer ann')).toBeUndefined();
  });

  it('takes one token in any spelling for one caller, who has one limit', async () => {
    const platform = await startPlatform();
    const url = await startWith({ UPSTREAM_URL: platform.url, IDENTITY: 'forward', CALLER_REQUESTS_PER_MINUTE: '5' });
    const token = (await platformToken(platform.url, 'reader')).replace('Bearer ', '');
    await executeAs(url, READ, { authorization: `Bearer ${token}` });

    const spellings = many(64).map((bits) =>
      [...'bearer'].map((letter, index) => ((bits >> index) & 1 ? letter.toUpperCase() : letter)).join(''),
    );
    const statuses = await Promise.all(
      spellings.map(async (scheme, index) => {
        const authorization = `${scheme}${' '.repeat(1 + (index % 3))}${token}`;
        return (await executeAs(url, READ, { authorization })).status;
      }),
    );

    expect(statuses.filter((status) => status === 200)).toHaveLength(5);
    expect((await executeAs(url, READ, { authorization: token })).status).toBe(429);
  });

  it('serves a token in the spelling that the platform accepts after another was refused', async () => {
    const platform = await scriptPlatform(({ headers }) =>
      headers.authorization === 'Bearer ann'
        ? { body: { idForm: 'supplier', name: 'Supplier' } }
        : { status: 401, body: {} },
    );
    const url = await startWith({ UPSTREAM_URL: platform.env.UPSTREAM_URL, IDENTITY: 'forward' });

    await executeAs(url, READ, { authorization: 'bearer ann' });
    const accepted = await executeAs(url, READ, { authorization: 'Bearer ann' });
    const again = await executeAs(url, READ, { authorization: 'bearer ann' });

    expect(accepted.data).toEqual({ form: { name: 'Supplier' } });
    expect(again.data).toEqual({ form: { name: 'Supplier' } });
  });

  it('leaves an accepted token half of the call budget, however many tokens are made up', async () => {
    const platform = await startPlatform();
    const url = await startWith({
      UPSTREAM_URL: platform.url,
      IDENTITY: 'forward',
      UPSTREAM_CALLS_PER_MINUTE: '600',
      LIVE_INTERVAL_MS: '0',
    });
    const ann = await platformToken(platform.url, 'reader');
    const read = (authorization: string, id: number) =>
      executeAs(url, `{ instance(formId: "employee", instanceId: ${id}) { instanceId } }`, { authorization });
    const codes = (answers: readonly Awaited<ReturnType<typeof read>>[]) =>
      answers.map(({ errors }) => errors?.[0]?.extensions['code']);
    await read(ann, 1);

    const made = codes(await Promise.all(many(100).map((id) => read(`Bearer made-up-${id}`, 1))));
    const real = codes(await Promise.all(many(30).map((id) => read(ann, id))));

    expect(made.filter((code) => code === 'UNAUTHENTICATED').length).toBeGreaterThan(0);
    expect(made).toContain('RATE_LIMITED');
    expect(real).not.toContain('RATE_LIMITED');
  });

  it('passes each caller’s token on unchanged, and sees what its owner may see', async () => {
    const platform = await startPlatform();
    const url = await startWith({ UPSTREAM_URL: platform.url, IDENTITY: 'forward' });
    const execute = (authorization: string) =>
      executeAs(url, '{ instance(formId: "employee", instanceId: 1) { instanceId } }', { authorization });
    const [reader, clerk, nobody] = [
      await execute(await platformToken(platform.url, 'reader')),
      await execute(await platformToken(platform.url, 'clerk')),
      await execute('Bearer made-up'),
    ];

    expect(reader.data.instance).toEqual({ instanceId: '1' });
    expect(clerk.errors).toMatchObject([{ extensions: { code: 'FORBIDDEN' } }]);
    expect(nobody.errors).toMatchObject([{ extensions: { code: 'UNAUTHENTICATED' } }]);
    expect((await executeAs(url, READ)).errors).toMatchObject([{ extensions: { code: 'UNAUTHENTICATED' } }]);
  });
});
