import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type ServerOptions } from 'node:https';
import { join } from 'node:path';
import type { TLSSocket } from 'node:tls';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { startReloading } from '../reload/support.ts';
import { writeFolder } from '../support/folder.ts';
import { type Env, startGateway } from '../support/gateway.ts';
import { listen } from '../support/listen.ts';
import { startProgram } from '../support/program.ts';
import { freePort } from '../support/redis.ts';
import { runCommand, runMain } from '../support/run.ts';
import { writeDialect } from '../support/write-dialect.ts';
import { type Authority, makeAuthority } from './support/certificates.ts';
import { codeOf } from './support/faulty-gateway.ts';
import { opensTunnel, type ProxyScript, startProxy } from './support/proxy.ts';

const RULE = '{ rule(component: "a", version: "1") { name } }';
const LOGIN = { UPSTREAM_USERNAME: 'user', UPSTREAM_PASSWORD: 'canary-password' };
const HEADER = 'canary-header';
const KEY = '-----BEGIN PRIVATE KEY-----';

/** A request that a platform has received. */
interface SeenRequest {
  readonly path: string;
  /** The subject of the client certificate. */
  readonly client: string | undefined;
  /** The fixed header. */
  readonly header: unknown;
}

/** Starts a platform behind TLS that requests client certificates. */
async function startTls(authority: Authority, options: ServerOptions = {}) {
  const seen: SeenRequest[] = [];
  const state = { status: 200, body: '', until: undefined as Promise<void> | undefined };
  const server = createServer({
    ...authority.vouch('127.0.0.1'),
    requestCert: true,
    rejectUnauthorized: false,
    ...options,
  });
  server.on('request', async ({ url: path = '', headers, socket }, response) => {
    const subject = (socket as TLSSocket).getPeerCertificate().subject;
    seen.push({ path, client: subject && String(subject.CN), header: headers['x-api-key'] });
    await state.until;
    const body = path.endsWith('/token')
      ? { access_token: 'token', expires_in: 60 }
      : { name: 'a', parameters: [] };
    response.writeHead(state.status, { 'content-type': 'application/json' });
    response.end(state.body || JSON.stringify(body));
  });
  server.on('tlsClientError', () => undefined);
  const url = (await listen(server)).replace('http:', 'https:');
  return { url, seen, state, env: { UPSTREAM_URL: url, ...trusted(authority) } };
}

/** Runs one read, and returns its code and the log. */
async function read(env: Env) {
  const gateway = await startGateway({ ...LOGIN, LOG_LEVEL: 'debug', ...env });
  const code = codeOf(await gateway.execute(RULE));
  return { code, log: gateway.lines.join('') };
}

/** Returns the doctor's lines about failures. */
async function examine(env: Env): Promise<string[]> {
  const { stdout, stderr } = await runCommand(['doctor'], { ...LOGIN, ...env });
  expect(stdout + stderr).not.toContain('canary');
  return stdout.split('\n').filter((line) => line.startsWith('FAIL'));
}

const writeHeaders = () =>
  join(writeFolder({ 'headers.json': { 'X-Api-Key': HEADER } }), 'headers.json');

/** Starts Debian's proxy with the user `user` and the password `canary1`. Returns its port. */
async function startTinyproxy(): Promise<number> {
  const port = await freePort();
  const config = `Port ${port}
Listen 127.0.0.1
Timeout 60
Allow 127.0.0.1
BasicAuth user canary1
`;
  const folder = writeFolder({ 'tinyproxy.conf': config });
  await startProgram(port, 'tinyproxy', ['-d', '-c', join(folder, 'tinyproxy.conf')]);
  return port;
}

function trusted({ file }: Authority) {
  return { UPSTREAM_CA_FILE: file };
}

const OLD_PROTOCOL = {
  minVersion: 'TLSv1',
  maxVersion: 'TLSv1.1',
  ciphers: 'ALL:@SECLEVEL=0',
} as const;

/** Options of a platform that requires a client certificate of this authority. */
const requiring = ({ file }: Authority): ServerOptions => ({
  rejectUnauthorized: true,
  ca: readFileSync(file),
});

function refuses(status: number): ProxyScript {
  return (socket) => socket.end(`HTTP/1.1 ${status} No\r\nContent-Length: 0\r\n\r\n`);
}

/**
 * Starts a server that ends the handshake with an alert if the client certificate is missing. A
 * server of Node closes the connection.
 */
async function startOpenssl(authority: Authority, version: string): Promise<Env> {
  const port = await freePort();
  const { key, cert } = authority.vouch('127.0.0.1');
  const folder = writeFolder({ key: key.toString(), cert: cert.toString() });
  await startProgram(port, 'openssl', [
    's_server',
    ...['-key', join(folder, 'key'), '-cert', join(folder, 'cert'), '-CAfile', authority.file],
    ...['-Verify', '1', '-verify_return_error', '-www', '-quiet', version],
    ...['-accept', `127.0.0.1:${port}`],
  ]);
  return { UPSTREAM_URL: `https://127.0.0.1:${port}`, ...trusted(authority) };
}

describe('a platform with a private CA', () => {
  it('is trusted with UPSTREAM_CA_FILE, with a proxy and without', async () => {
    const { env, seen } = await startTls(makeAuthority());
    const proxy = await startProxy();

    expect((await read(env)).code).toBeUndefined();
    expect((await read({ ...env, UPSTREAM_PROXY: proxy.urlWithLogin })).code).toBeUndefined();
    expect(seen.map(({ client }) => client)).toEqual(Array(4).fill(undefined));
  });

  it('is trusted with NODE_EXTRA_CA_CERTS beside the authorities of UPSTREAM_CA_FILE', async () => {
    const authority = makeAuthority();
    const { env, seen } = await startTls(authority);

    const { stdout } = await runMain(['doctor'], {
      ...LOGIN,
      ...env,
      UPSTREAM_CA_FILE: makeAuthority().file,
      NODE_EXTRA_CA_CERTS: authority.file,
    }).ended;

    expect(stdout).toMatch(/^(ok|note) +TLS +TLSv1/m);
    expect(seen.length).toBeGreaterThan(0);
  });

  it('is reached by new tunnels where a proxy has reset the idle ones', async () => {
    const { env } = await startTls(makeAuthority());
    const proxy = await startProxy();
    const gateway = await startGateway({ ...LOGIN, ...env, UPSTREAM_PROXY: proxy.url });

    expect(codeOf(await gateway.execute(RULE))).toBeUndefined();
    for (const socket of proxy.sockets) socket.resetAndDestroy();
    await expect.poll(() => proxy.sockets.size).toBe(0);

    expect(codeOf(await gateway.execute(RULE.replace('"1"', '"2"')))).toBeUndefined();
  });

  it.each<[string, (authority: Authority) => Env, (authority: Authority) => ServerOptions]>([
    ['without it', () => ({}), () => ({})],
    ['with that of another authority', () => trusted(makeAuthority()), () => ({})],
    ['with it, over an old protocol', trusted, () => OLD_PROTOCOL],
    ['with it, where it has expired', trusted, ({ vouch }) => vouch('127.0.0.1', -1)],
    ['with it, under another name', trusted, ({ vouch }) => vouch('127.0.0.2')],
  ])(
    'is not trusted %s, directly and through a proxy, in any environment',
    async (_what, settings, options) => {
      vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0');
      onTestFinished(() => void vi.unstubAllEnvs());
      const authority = makeAuthority();
      const { url, seen } = await startTls(authority, options(authority));
      const proxy = await startProxy();

      const env = { UPSTREAM_URL: url, ...settings(authority) };
      const direct = await read(env);
      const tunnelled = await read({ ...env, UPSTREAM_PROXY: proxy.url });

      expect([direct.code, tunnelled.code]).toEqual([
        'UPSTREAM_UNAVAILABLE',
        'UPSTREAM_UNAVAILABLE',
      ]);
      expect(proxy.heads.length).toBeGreaterThan(0);
      expect(seen).toEqual([]);
      await expect.poll(() => proxy.sockets.size).toBe(0);
    },
  );
});

describe('a client certificate', () => {
  it.each([
    ['directly', async () => ({})],
    ['through a proxy', async () => ({ UPSTREAM_PROXY: (await startProxy()).urlWithLogin })],
  ])('and fixed headers reach the platform %s, and no issuer elsewhere', async (_how, settings) => {
    const authority = makeAuthority();
    const platform = await startTls(authority, requiring(authority));
    const issuer = await startTls(authority);

    const { code, log } = await read({
      ...platform.env,
      ...authority.vouchForClient(),
      UPSTREAM_DIALECT: writeDialect({ token: { url: `${issuer.url}/v1.0/token` } }),
      UPSTREAM_HEADERS_FILE: writeHeaders(),
      ...(await settings()),
    });

    expect(code).toBeUndefined();
    expect(platform.seen).toMatchObject([{ client: 'gateway', header: HEADER }]);
    expect(issuer.seen).toEqual([{ path: '/v1.0/token', client: undefined, header: undefined }]);
    expect(log).not.toContain('canary');
  });

  it('that changes applies to new connections, and running calls end on their old ones', async () => {
    const authority = makeAuthority();
    const { env, seen, state } = await startTls(authority, requiring(authority));
    const files = authority.vouchForClient();
    const { execute, reload } = await startReloading({
      ...LOGIN,
      ...env,
      ...files,
      CACHE_DEFINITIONS_MS: '0',
    });
    await execute(RULE);
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    state.until = held;
    const underWay = execute('{ rule(component: "b", version: "1") { name } }');
    await expect.poll(() => seen.length).toBe(3);
    state.until = undefined;

    const other = authority.vouchForClient(1, 'renewed');
    writeFileSync(files.UPSTREAM_CERT_FILE, 'canary');
    await reload('RELOAD_FAILED');
    await execute(RULE);
    copyFileSync(other.UPSTREAM_CERT_FILE, files.UPSTREAM_CERT_FILE);
    await reload('RELOADED');
    const after = await execute(RULE);
    release();

    expect((await underWay).errors).toBeUndefined();
    expect(after.errors).toBeUndefined();
    const clients = seen.map(({ client }) => client);
    expect(clients).toEqual([...Array(4).fill('gateway'), 'renewed']);
  });

  it.each<[string, (one: string, other: string) => string]>([
    ['whose key is another one', (one, other) => one.split(KEY)[0] + KEY + other.split(KEY)[1]],
    ['without its key', (one) => one.split(KEY)[0] ?? ''],
    ['that is empty', () => ''],
  ])('%s ends the start', async (_what, contentOf) => {
    const [one = '', other = ''] = [makeAuthority(), makeAuthority()].map((authority) =>
      readFileSync(authority.vouchForClient().UPSTREAM_CERT_FILE, 'utf8'),
    );
    const folder = writeFolder({ pem: contentOf(one, other) });

    const { code, stderr } = await runCommand([], {
      ...LOGIN,
      UPSTREAM_URL: 'https://platform.example',
      UPSTREAM_CERT_FILE: join(folder, 'pem'),
    });

    expect(code).toBe(2);
    expect(stderr).toMatch(/- UPSTREAM_CERT_FILE: .*private key/);
  });

  it('that the platform requires and does not get leaves it unavailable', async () => {
    const authority = makeAuthority();
    const { env, seen } = await startTls(authority, requiring(authority));

    const { code } = await read(env);

    expect(code).toBe('UPSTREAM_UNAVAILABLE');
    expect(seen).toEqual([]);
  });
});

describe('a proxy with a password', () => {
  it('gets it with a user name and without one', async () => {
    const proxy = await startProxy(refuses(407));

    await read({
      UPSTREAM_URL: 'http://127.0.0.1:9',
      UPSTREAM_PROXY: proxy.url.replace('//', '//:canary%2F1@'),
    });

    const [, pair = ''] = /^proxy-authorization: Basic (.+)\r$/im.exec(proxy.heads[0] ?? '') ?? [];
    expect(Buffer.from(pair, 'base64').toString()).toBe(':canary/1');
  });

  it('serves calls and requests for tokens, and nothing secret is logged', async () => {
    const { env, seen } = await startTls(makeAuthority());
    const host = `127.0.0.1:${await startTinyproxy()}`;

    const { code, log } = await read({ ...env, UPSTREAM_PROXY: `http://user:canary1@${host}` });
    const refused = await read({ ...env, UPSTREAM_PROXY: `http://user:canary2@${host}` });

    expect(code).toBeUndefined();
    expect(seen.map(({ path }) => path.split('?')[0])).toEqual([
      '/v1.0/token',
      expect.stringContaining('/v1.0/'),
    ]);
    expect(refused.code).toBe('UPSTREAM_UNAVAILABLE');
    // tinyproxy responds with 401 to a wrong password, and with 407 to a missing one.
    expect(refused.log).toContain('PROXY_STATUS_401');
    expect(log + refused.log).not.toContain('canary');
  });
});

describe('the doctor in a company network', () => {
  it.each<[string, says: string, ProxyScript | undefined]>([
    ['a proxy that wants another password', '407.*name and password.*_PROXY', refuses(407)],
    ['a proxy that says 401 of it, as tinyproxy does', '401.*password.*_PROXY', refuses(401)],
    ['a proxy that refuses the tunnel', '403.*allow.*UPSTREAM_URL', refuses(403)],
    ['a proxy that does not reach the platform', '502.*reach', refuses(502)],
    ['a proxy that says nothing', 'PROXY_ETIMEDOUT.*UPSTREAM_PROXY', () => undefined],
    ['another server', 'PROXY_HPE.*UPSTREAM_PROXY', (s) => s.write('SSH-2.0-OpenSSH_9.2\r\n')],
    ['a proxy that is not there', 'PROXY_ECONNREFUSED.*UPSTREAM_PROXY', undefined],
  ])('names %s', async (_what, says, script) => {
    const proxy = await startProxy(script);
    if (script === undefined) proxy.close();

    const failed = await examine({
      UPSTREAM_URL: 'https://127.0.0.1:9',
      UPSTREAM_PROXY: proxy.urlWithLogin,
    });

    expect(failed).toEqual([expect.stringMatching(`^FAIL +proxy .*${says}`)]);
  });

  it('names the platform’s certificate behind the tunnel', async () => {
    const { url } = await startTls(makeAuthority());
    const proxy = await startProxy(opensTunnel);

    expect(await examine({ UPSTREAM_URL: url, UPSTREAM_PROXY: proxy.url })).toEqual([
      expect.stringMatching(/^FAIL +TLS .*not trusted.*UPSTREAM_CA_FILE/),
    ]);
  });

  it.each(['TLSv1.2', 'TLSv1.3'] as const)(
    'names a client certificate that is missing (%s)',
    async (version) => {
      const authority = makeAuthority();
      const versions = { minVersion: version, maxVersion: version };
      const { env } = await startTls(authority, { ...requiring(authority), ...versions });

      expect(await examine(env)).toEqual([expect.stringMatching(/UPSTREAM_CERT_FILE/)]);
    },
  );

  it.each([
    ['-tls1_2', /refuses the client certificate, or misses one.*ALERT.*UPSTREAM_CERT_FILE/],
    // The handshake is complete for the client before the server looks, and the alert may be lost
    // when it closes.
    ['-tls1_3', /client certificate/],
  ])(
    'names a client certificate that the platform refuses by an alert (%s)',
    async (version, says) => {
      const env = await startOpenssl(makeAuthority(), version);

      const missing = await examine(env);
      const other = await examine({ ...env, ...makeAuthority().vouchForClient() });

      for (const failed of [missing, other]) expect(failed).toEqual([expect.stringMatching(says)]);
    },
  );

  it('names a client certificate that nginx misses', async () => {
    const { env, state } = await startTls(makeAuthority());
    state.status = 400;
    state.body = '<h1>400</h1>No required SSL certificate was sent';

    expect(await examine(env)).toEqual([
      expect.stringMatching(/client certificate.*UPSTREAM_CERT_FILE/),
    ]);
  });

  it('names the headers where all is refused', async () => {
    const { env, state } = await startTls(makeAuthority());
    state.status = 401;
    state.body = '{"message":"no key"}';

    expect(await examine({ ...env, UPSTREAM_HEADERS_FILE: writeHeaders() })).toEqual([
      expect.stringMatching(/UPSTREAM_HEADERS_FILE/),
    ]);
  });
});
