import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

import { makeAuthority } from '../faults/support/certificates.ts';
import { startPlatform } from '../features/replicas/replicas.ts';
import { storeKey } from '../features/replicas/support.ts';
import { keyEntries, writeFiles } from '../reload/support.ts';
import { writeFolder } from '../support/folder.ts';
import type { Env } from '../support/gateway.ts';
import { freePort, startRedis } from '../support/redis.ts';
import { runCommand } from '../support/run.ts';

const fileWith = (content: string) => join(writeFolder({ file: content }), 'file');
const PLATFORM = {
  UPSTREAM_URL: 'http://127.0.0.1:9',
  UPSTREAM_USERNAME: 'user',
  UPSTREAM_PASSWORD: 'p',
};

const ANY_PORT = { PORT: '0', SANDBOX_FILE: ':memory:' };

/** Checks the start with these settings. */
const check = (env: Env) => runCommand(['start', '--check'], env);

describe('the command start --check', () => {
  it.each([['start --check'], ['--check']])(
    '%s ends with 0 where a start takes all files, and names them',
    async (args) => {
      const { env, at } = writeFiles();

      const { code, stdout, stderr } = await runCommand(args.split(' '), env);

      expect([code, stderr]).toEqual([0, '']);
      expect(stdout).toContain(`ok  CALLER_KEYS_FILE  ${at('keys')}: 3`);
      expect(stdout).toContain(`ok  DOCUMENTS  ${at('documents')}: 1 document`);
    },
  );

  it('checks the documents of roles, and warns of parts without effect', async () => {
    const { env } = writeFiles();
    const roles = { callers: { web: 'a', ghost: 'a' }, roles: { a: { documents: 'own' }, b: {} } };
    const checkDocument = (text: string) => {
      const folder = writeFolder({ 'roles.json': roles, 'own/a.graphql': text });
      return check({ ...env, ROLES: join(folder, 'roles.json') });
    };
    const good = await checkDocument('{ suppliers { totalCount } }');
    const bad = await checkDocument('{ nothing }');

    expect(good.code).toBe(0);
    expect(good.stderr).toMatch(/^.*caller ghost has no key.*\n.*role b has no callers.*\n$/);
    expect(good.stdout).toMatch(/ok {2}ROLES {2}\S+roles\.json: 2 roles\n/);
    expect(good.stdout).toMatch(
      /ok {2}ROLES {2}\S+roles\.json: roles\.a\.documents: 1 documents\n/,
    );
    expect(bad.code).toBe(2);
    expect(bad.stderr).toMatch(/ROLES: \S+roles\.json: roles\.a\.documents: \S+a\.graphql:1:3: /);
  });

  it.each([
    [
      'reserved calls without a call budget',
      { callsReserved: 6 },
      'callsReserved has no effect without a call budget',
    ],
    [
      'a form that a role names and the platform lacks',
      { forms: { suplier: ['read'] } },
      'the form suplier is not there yet',
    ],
  ])('warns as a start does of %s', async (_what, role, warning) => {
    const { DOCUMENTS: _, ...env } = writeFiles().env;
    const ROLES = fileWith(JSON.stringify({ callers: { web: 'a' }, roles: { a: role } }));

    const { code, stderr } = await check({ ...env, ROLES });

    expect(code).toBe(0);
    expect(stderr).toMatch(new RegExp(`^.*${warning}.*\n$`));
  });

  it.each([
    ['the sandbox: UPSTREAM_URL is not set', {}],
    [
      'http://127.0.0.1:9/tenant',
      { ...PLATFORM, UPSTREAM_URL: 'http://:canary@127.0.0.1:9/tenant' },
    ],
  ])('names what the settings are for: %s', async (platform, env) => {
    const { code, stdout } = await check(env);

    expect(code).toBe(0);
    expect(stdout).toContain(`A start would accept these settings. They are for ${platform}\n`);
  });

  it('loads extensions without a call to the platform, and names them', async () => {
    const text = 'export default { typeDefs: "extend type Query { a: Int }" };';
    const EXTENSIONS = writeFolder({ 'good.ts': text, 'other/index.ts': text });

    const { code, stdout, stderr } = await check({ ...PLATFORM, EXTENSIONS });

    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toContain('ok  EXTENSIONS  good.ts\nok  EXTENSIONS  other/index.ts\n');
  });

  it.each([
    ['throws', 'const a = 1;\nthrow new Error("No.");', /ext\.ts:2: No\.$/],
    [
      'has a syntax error',
      'const a = 1;\nexport default { resolvers: };',
      /EXTENSIONS: \S+ext\.ts/,
    ],
    ['has no default export', 'export const a = {};', /ext\.ts: it has no default export: write/],
    [
      'has an unknown key',
      'export default { types: "" };',
      /ext\.ts: it: Unrecognized key: "types"/,
    ],
  ])('ends with 2, as a start does, for an extension that %s', async (_what, text, problem) => {
    const env = { ...ANY_PORT, EXTENSIONS: join(writeFolder({ 'ext.ts': text }), 'ext.ts') };

    const checked = await check(env);
    const started = await runCommand([], env);

    expect([checked.code, started.code]).toEqual([2, 2]);
    expect(checked.stderr).toBe(started.stderr);
    expect(checked.stderr.trimEnd()).toMatch(problem);
  });

  it('ends with 2, as a start does, for definitions that the sandbox cannot use', async () => {
    const env = { ...ANY_PORT, SANDBOX_DEFINITIONS: '/nowhere' };

    const checked = await check(env);
    const started = await runCommand([], env);

    expect([checked.code, started.code]).toEqual([2, 2]);
    expect(checked.stderr).toBe(started.stderr);
    expect(checked.stderr).toContain('Invalid definitions in /nowhere');
  });

  it('does not create the file of the sandbox', async () => {
    const folder = writeFolder({});

    const { code } = await check({ SANDBOX_FILE: join(folder, 'sandbox.sqlite') });

    expect([code, readdirSync(folder)]).toEqual([0, []]);
  });

  it('reports a key file without keys', async () => {
    const { code, stdout } = await check({
      ...writeFiles().env,
      CALLER_KEYS_FILE: fileWith('none\n'),
    });

    expect(code).toBe(0);
    expect(stdout).toMatch(/CALLER_KEYS_FILE .*all callers are refused/);
  });

  it.each<[what: string, env: () => Env]>([
    [
      'a key file that is cut',
      () => ({ CALLER_KEYS_FILE: fileWith(keyEntries('canary').slice(0, -9)) }),
    ],
    [
      'an empty password',
      () => ({ ...PLATFORM, UPSTREAM_PASSWORD: '', UPSTREAM_PASSWORD_FILE: fileWith('\n') }),
    ],
    ['a document that is empty', () => ({ DOCUMENTS: writeFolder({ 'a.graphql': '' }) })],
    ['a folder without documents', () => ({ DOCUMENTS: writeFolder({}) })],
    ['no documents where none but these may run', () => ({ DOCUMENTS_MODE: 'enforce' })],
    [
      'two tools of one name',
      () => ({
        MCP: 'queries',
        DOCUMENTS: writeFolder({
          'a.graphql': '"""A."""\nquery A { forms { totalCount } }',
          'b.graphql': '"""B."""\nquery A { viewer { name } }',
        }),
      }),
    ],
  ])('ends with 2 for %s, names the path and quotes nothing', async (_what, makeEnv) => {
    const env = makeEnv();
    const CALLER_KEYS_FILE = fileWith(keyEntries('web'));
    const keys = { TYPED_FORMS: 'none', CALLER_AUTH: 'key', CALLER_KEYS_FILE };

    const { code, stdout, stderr } = await check({ ...keys, ...env });

    expect(code).toBe(2);
    const [path = ''] = Object.entries(env)
      .filter(([name]) => /_FILE$|^DOCUMENTS$/.test(name) && !('MCP' in env))
      .map(([, file]) => file);
    expect(stderr).toContain(path);
    expect(stdout + stderr).not.toContain('canary');
  });

  /** Checks a dialect with an adapter, which is a file only if it has a text. */
  async function checkAdapter(adapter: string | undefined) {
    const folder = writeFolder({
      'dialect.json': { adapter: 'own/adapter.ts' },
      ...(adapter !== undefined && { 'own/adapter.ts': adapter }),
    });
    const UPSTREAM_DIALECT = join(folder, 'dialect.json');
    return { UPSTREAM_DIALECT, ...(await check({ UPSTREAM_DIALECT })) };
  }

  it('loads the adapter of the dialect, and names it', async () => {
    const { UPSTREAM_DIALECT, code, stdout, stderr } = await checkAdapter(
      `import { defineAdapter } from 'caseway/adapter';
      export default defineAdapter({ request: (): object => ({}) });`,
    );

    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toContain(`ok  UPSTREAM_DIALECT  ${UPSTREAM_DIALECT}: adapter adapter.ts\n`);
  });

  it.each([
    [undefined, /adapter\.ts: Cannot find module '\S+adapter\.ts'$/],
    [
      'export const adapter = {};',
      /adapter\.ts: it has no default export: write "export default defineAdapter/,
    ],
    ['export default 5;', /adapter\.ts: it: Invalid input: expected object/],
    ['export default {};', /adapter\.ts: it: must have request, response, or both$/],
    ['export default { request: 5 };', /adapter\.ts: request: must be a function$/],
    ['export default { request: async () => ({}) };', /adapter\.ts: request: must not be async$/],
    ['export default { respond: () => ({}) };', /adapter\.ts: it: Unrecognized key: "respond"/],
    ['const a = 1;\nexport default { request: () => };', /adapter\.ts:2: Expression expected$/],
    ['const a = 1;\nexport default nothing;', /adapter\.ts:2: nothing is not defined$/],
    ["import './none.ts';\nexport default {};", /adapter\.ts: Cannot find module '\S+none\.ts'/],
    [
      'await 1; export default {};',
      /adapter\.ts: require\(\) cannot be used on an ESM graph with top-level await/,
    ],
  ])('ends with 2 for an adapter that cannot be used: %s', async (adapter, problem) => {
    const { UPSTREAM_DIALECT, code, stderr } = await checkAdapter(adapter);

    const [, found = ''] = stderr.split(`UPSTREAM_DIALECT: ${UPSTREAM_DIALECT}: adapter: `);
    expect(code).toBe(2);
    expect(found.split('\n')[0]).toMatch(problem);
  });

  it('ends with 1 and the cause if the forms cannot be read', async () => {
    const { env } = writeFiles();
    const { url } = await startPlatform();
    const wrong = { UPSTREAM_URL: url, UPSTREAM_USERNAME: 'demo', UPSTREAM_PASSWORD: 'canary' };

    const down = await check({ ...env, ...PLATFORM });
    const refused = await check({ ...env, ...wrong });

    expect([down.code, refused.code]).toEqual([1, 1]);
    expect(down.stderr).toContain('form definitions are unavailable');
    expect(down.stderr).toMatch(/: its host refuses the connection \(ECONNREFUSED\); check host/);
    expect(refused.stderr).toMatch(
      /: it refuses the credentials \(HTTP 40\d\); check UPSTREAM_USERNAME/,
    );
    expect(refused.stderr).not.toContain('canary');
  });

  it('does not read the forms without documents and roles', async () => {
    const { DOCUMENTS: _, ...env } = writeFiles().env;

    expect(await check({ ...env, ...PLATFORM })).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('forms of the platform were not read'),
    });
  });

  const checkRedis = (REDIS_URL: string) =>
    check({ ...PLATFORM, REDIS_URL, SESSION_KEYS: storeKey() });

  it('finds that Redis takes writes, with its password', async () => {
    const { url } = await startRedis({ password: 'right' });

    const { code, stdout, stderr } = await checkRedis(url);

    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toContain('ok  redis  takes writes\n');
  });

  it.each<[string, string, () => string | Promise<string>]>([
    ['is not running', 'ECONNREFUSED.*host and port', () => 'redis://127.0.0.1:9'],
    ['has no address', '(ENOTFOUND|EAI_AGAIN).*DNS', () => 'redis://nowhere.invalid'],
    [
      'refuses the password',
      'WRONGPASS.*user name and password',
      async () => (await startRedis({ password: 'right' })).url.replace('right', 'canary'),
    ],
    [
      'wants a password',
      'NOAUTH.*user name and password',
      async () => (await startRedis({ password: 'canary' })).url.replace(':canary@', ''),
    ],
    [
      'does not respond',
      'TIMEOUT.*network',
      async () => {
        const redis = await startRedis();
        redis.pause();
        return redis.url;
      },
    ],
    [
      'is full',
      'OOM.*memory',
      async () => (await startRedis({ args: ['--save', '', '--maxmemory', '1'] })).url,
    ],
    ['has a certificate of a stranger', 'UNABLE_TO_VERIFY.*CA', startSelfSigned],
    [
      'speaks TLS',
      '(ECONNRESET|closed).*rediss',
      async () => (await startSelfSigned()).replace('rediss', 'redis'),
    ],
  ])('ends with 1 and the cause if Redis %s', async (_what, cause, start) => {
    const { code, stdout, stderr } = await checkRedis(await start());

    expect(code).toBe(1);
    expect(stderr).toMatch(new RegExp(`^redis: .*${cause}.*\n.* run standalone\\.\n$`));
    expect(stdout + stderr).not.toContain('canary');
  });
});

/** Starts a Redis with a certificate that nothing trusts. Returns its URL. */
async function startSelfSigned(): Promise<string> {
  const { key, cert } = makeAuthority().vouch('127.0.0.1');
  const folder = writeFolder({ key: key.toString(), cert: cert.toString() });
  const port = await freePort();
  const args =
    `--tls-port ${port} --tls-auth-clients no --tls-cert-file ${folder}/cert ` +
    `--tls-key-file ${folder}/key --tls-ca-cert-file ${folder}/cert`;
  await startRedis({ args: ['--save', '', ...args.split(' ')] });
  return `rediss://127.0.0.1:${port}`;
}
