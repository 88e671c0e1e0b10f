import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type ServerOptions } from 'node:https';
import { type AddressInfo, connect } from 'node:net';
import { join } from 'node:path';
import type { TLSSocket } from 'node:tls';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { startReloading } from '../reload/support.ts';
import { writeFolder } from '../support/folder.ts';
import { type Env, startGateway } from '../support/gateway.ts';
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

/**
 * A platform behind TLS that requests client certificates. `seen` lists the certificate's subject
 * and the fixed header of each request.
 */
async function startTls(authority: Authority, options: ServerOptions = {}) {
  const seen: {
    readonly path: string;
    readonly client: string | undefined;
    readonly header: unknown;
  }[] = [];
  const state = { status: 200, body: '', until: undefined as Promise<void> | undefined };
  const certificate = authority.vouch('127.0.0.1');
  const server = createServer({
    ...certificate,
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
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void server.close().closeAllConnections());
  return { url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`, seen, state };
}

/** Runs one read before the platform; gives its code and the log. */
async function readBy(env: Env) {
  const gateway = await startGateway({ ...LOGIN, LOG_LEVEL: 'debug', ...env });
  const code = codeOf(await gateway.execute(RULE));
  return { code, log: gateway.lines.join('') };
}

/** The lines of the doctor that need attention. */
async function examine(env: Env) {
  const { stdout, stderr } = await runCommand(['doctor'], { ...LOGIN, ...env });
  expect(stdout + stderr).not.toContain('canary');
  return { stdout, failed: stdout.split('\n').filter((line) => line.startsWith('FAIL')) };
}

const headersFile = () =>
  join(writeFolder({ 'headers.json': { 'X-Api-Key': HEADER } }), 'headers.json');

/** Starts a program that listens at a port, and ends with the test. */
async function startProgram(
  port: number,
  command: string,
  ...args: readonly string[]
): Promise<void> {
  const child = spawn(command, args, { stdio: 'ignore' });
  onTestFinished(() => void child.kill('SIGKILL'));
  const isListening = async () => {
    const socket = connect(port, '127.0.0.1');
    await once(socket, 'connect').finally(() => socket.destroy());
  };
  await vi.waitFor(isListening, { timeout: 30_000 });
}

/**
 * Debian's proxy with a user, whose password is `canary1`; it ends with the test. Gives its port.
 */
async function startTinyproxy(): Promise<number> {
  const port = await freePort();
  const lines = [
    `Port ${port}`,
    'Listen 127.0.0.1',
    'Timeout 60',
    'Allow 127.0.0.1',
    'BasicAuth user canary1',
  ];
  const folder = writeFolder({ 'tinyproxy.conf': `${lines.join('\n')}\n` });
  await startProgram(port, 'tinyproxy', '-d', '-c', join(folder, 'tinyproxy.conf'));
  return port;
}

const trusted = ({ file }: Authority) => ({ UPSTREAM_CA_FILE: file });
const OLD_PROTOCOL = {
  minVersion: 'TLSv1',
  maxVersion: 'TLSv1.1',
  ciphers: 'ALL:@SECLEVEL=0',
} as const;
/** Options of a platform that requires a client certificate of this authority. */
const wanting = ({ file }: Authority): ServerOptions => ({
  rejectUnauthorized: true,
  ca: readFileSync(file),
});

function refuses(status: number): ProxyScript {
  return (socket) => socket.end(`HTTP/1.1 ${status} No\r\nContent-Length: 0\r\n\r\n`);
}

/**
 * A server that ends the handshake with an alert where it misses a client certificate; Node's
 * closes the connection.
 */
async function startOpenssl(authority: Authority, version: '-tls1_2' | '-tls1_3'): Promise<number> {
  const port = await freePort();
  const { key, cert } = authority.vouch('127.0.0.1');
  const at = (name: string) => join(folder, name);
  const folder = writeFolder({ key: key.toString(), cert: cert.toString() });
  const files = ['-key', at('key'), '-cert', at('cert'), '-CAfile', authority.file];
  const options = [
    '-Verify',
    '1',
    '-verify_return_error',
    '-accept',
    `127.0.0.1:${port}`,
    '-www',
    '-quiet',
    version,
  ];
  await startProgram(port, 'openssl', 's_server', ...files, ...options);
  return port;
}

describe('a platform with a private CA', () => {
  it('is trusted with UPSTREAM_CA_FILE, with a proxy and without', async () => {
    const authority = makeAuthority();
    const { url, seen } = await startTls(authority);
    const proxy = await startProxy();
    const env = { UPSTREAM_URL: url, ...trusted(authority) };

    expect((await readBy(env)).code).toBeUndefined();
    expect((await readBy({ ...env, UPSTREAM_PROXY: proxy.urlWithLogin })).code).toBeUndefined();
    expect(seen).toHaveLength(4);
    expect(seen.map(({ client }) => client)).not.toContain('gateway');
  });

  it('is trusted with NODE_EXTRA_CA_CERTS beside the authorities of UPSTREAM_CA_FILE', async () => {
    const authority = makeAuthority();
    const { url, seen } = await startTls(authority);

    const { stdout } = await runMain(['doctor'], {
      ...{ ...LOGIN, UPSTREAM_URL: url, UPSTREAM_CA_FILE: makeAuthority().file },
      NODE_EXTRA_CA_CERTS: authority.file,
    }).ended;

    expect(stdout).toMatch(/^(ok|note) +TLS +TLSv1/m);
    expect(seen.length).toBeGreaterThan(0);
  });

  it('is reached by new tunnels where a proxy has reset the idle ones', async () => {
    const authority = makeAuthority();
    const { url } = await startTls(authority);
    const proxy = await startProxy();
    const settings = { UPSTREAM_URL: url, ...trusted(authority), UPSTREAM_PROXY: proxy.url };
    const gateway = await startGateway({ ...LOGIN, ...settings });

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
      const codes = [
        (await readBy(env)).code,
        (await readBy({ ...env, UPSTREAM_PROXY: proxy.url })).code,
      ];

      expect(codes).toEqual(['UPSTREAM_UNAVAILABLE', 'UPSTREAM_UNAVAILABLE']);
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
    const platform = await startTls(authority, wanting(authority));
    const issuer = await startTls(authority);

    const { code, log } = await readBy({
      ...authority.vouchForClient(),
      ...{
        UPSTREAM_URL: platform.url,
        UPSTREAM_DIALECT: writeDialect({ token: { url: `${issuer.url}/v1.0/token` } }),
      },
      ...{ ...trusted(authority), UPSTREAM_HEADERS_FILE: headersFile() },
      ...(await settings()),
    });

    expect(code).toBeUndefined();
    expect(platform.seen).toMatchObject([{ client: 'gateway', header: HEADER }]);
    expect(issuer.seen).toEqual([{ path: '/v1.0/token', client: undefined, header: undefined }]);
    expect(log).not.toContain('canary');
  });

  it('that changes applies to new connections, and running calls end on their old ones', async () => {
    const authority = makeAuthority();
    const { url, seen, state } = await startTls(authority, wanting(authority));
    const files = authority.vouchForClient();
    const env = {
      UPSTREAM_URL: url,
      ...trusted(authority),
      CACHE_DEFINITIONS_MS: '0',
      ...LOGIN,
      ...files,
    };
    const { execute, reload } = await startReloading(env);
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
    expect(seen.map(({ client }) => client)).toEqual([
      'gateway',
      'gateway',
      'gateway',
      'gateway',
      'renewed',
    ]);
  });

  it.each<[string, (one: string, other: string) => string]>([
    ['whose key is another one', (one, other) => one.split(KEY)[0] + KEY + other.split(KEY)[1]],
    ['without its key', (one) => one.split(KEY)[0] ?? ''],
    ['that is empty', () => ''],
  ])('%s ends the start', async (_what, contentOf) => {
    const [one, other] = [makeAuthority().vouchForClient(), makeAuthority().vouchForClient()];
    const read = ({ UPSTREAM_CERT_FILE: file }: typeof one) => readFileSync(file, 'utf8');
    const folder = writeFolder({ pem: contentOf(read(one), read(other)) });

    const { code, stderr } = await runCommand([], {
      ...{
        ...LOGIN,
        UPSTREAM_URL: 'https://platform.example',
        UPSTREAM_CERT_FILE: join(folder, 'pem'),
      },
    });

    expect(code).toBe(2);
    expect(stderr).toMatch(/- UPSTREAM_CERT_FILE: .*private key/);
  });

  it('that the platform requires and does not get leaves it unavailable', async () => {
    const authority = makeAuthority();
    const { url, seen } = await startTls(authority, wanting(authority));

    const { code } = await readBy({ UPSTREAM_URL: url, ...trusted(authority) });

    expect(code).toBe('UPSTREAM_UNAVAILABLE');
    expect(seen).toEqual([]);
  });
});

describe('a proxy with a password', () => {
  it('gets it with a user name and without one', async () => {
    const proxy = await startProxy(refuses(407));

    await readBy({
      UPSTREAM_URL: 'http://127.0.0.1:9',
      UPSTREAM_PROXY: proxy.url.replace('//', '//:canary%2F1@'),
    });

    const [, pair = ''] = /^proxy-authorization: Basic (.+)\r$/im.exec(proxy.heads[0] ?? '') ?? [];
    expect(Buffer.from(pair, 'base64').toString()).toBe(':canary/1');
  });

  it('serves calls and requests for tokens, and nothing secret is logged', async () => {
    const authority = makeAuthority();
    const { url, seen } = await startTls(authority);
    const port = await startTinyproxy();
    const env = { UPSTREAM_URL: url, ...trusted(authority) };

    const { code, log } = await readBy({
      ...env,
      UPSTREAM_PROXY: `http://user:canary1@127.0.0.1:${port}`,
    });
    const refused = await readBy({
      ...env,
      UPSTREAM_PROXY: `http://user:canary2@127.0.0.1:${port}`,
    });

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
  it.each<[string, RegExp, ProxyScript | undefined]>([
    [
      'a proxy that wants another password',
      /407.*user name and password.*UPSTREAM_PROXY/,
      refuses(407),
    ],
    [
      'a proxy that says 401 of it, as tinyproxy does',
      /401.*user name and password.*UPSTREAM_PROXY/,
      refuses(401),
    ],
    ['a proxy that refuses the tunnel', /403.*allow.*UPSTREAM_URL/, refuses(403)],
    ['a proxy that does not reach the platform', /502.*reach/, refuses(502)],
    ['a proxy that says nothing', /PROXY_ETIMEDOUT.*UPSTREAM_PROXY/, () => undefined],
    [
      'something else than a proxy',
      /PROXY_HPE.*UPSTREAM_PROXY/,
      (socket) => socket.write('SSH-2.0-OpenSSH_9.2\r\n'),
    ],
    ['a proxy that is not there', /PROXY_ECONNREFUSED.*UPSTREAM_PROXY/, undefined],
  ])('names %s', async (_what, says, script) => {
    const proxy = await startProxy(script);
    if (script === undefined) proxy.close();

    const { failed } = await examine({
      UPSTREAM_URL: 'https://127.0.0.1:9',
      UPSTREAM_PROXY: proxy.urlWithLogin,
    });

    expect(failed).toEqual([expect.stringMatching(/^FAIL +proxy /)]);
    expect(failed[0]).toMatch(says);
  });

  it('names the platform’s certificate behind the tunnel', async () => {
    const { url } = await startTls(makeAuthority());
    const proxy = await startProxy(opensTunnel);

    const { failed } = await examine({ UPSTREAM_URL: url, UPSTREAM_PROXY: proxy.url });

    expect(failed).toEqual([expect.stringMatching(/^FAIL +TLS .*not trusted.*UPSTREAM_CA_FILE/)]);
  });

  it.each(['TLSv1.2', 'TLSv1.3'] as const)(
    'names a client certificate that is missing (%s)',
    async (version) => {
      const authority = makeAuthority();
      const versions = { minVersion: version, maxVersion: version };
      const platform = await startTls(authority, { ...wanting(authority), ...versions });

      const { failed } = await examine({ UPSTREAM_URL: platform.url, ...trusted(authority) });

      expect(failed).toEqual([expect.stringMatching(/UPSTREAM_CERT_FILE/)]);
    },
  );

  it.each([
    ['-tls1_2', /refuses the client certificate, or misses one.*ALERT.*UPSTREAM_CERT_FILE/],
    // The handshake is complete for the client before the server looks, and the alert may be lost
    // when it closes.
    ['-tls1_3', /client certificate/],
  ] as const)(
    'names a client certificate that the platform refuses by an alert (%s)',
    async (version, says) => {
      const authority = makeAuthority();
      const port = await startOpenssl(authority, version);

      const env = { UPSTREAM_URL: `https://127.0.0.1:${port}`, ...trusted(authority) };
      const missing = await examine(env);
      const other = await examine({ ...env, ...makeAuthority().vouchForClient() });

      for (const { failed } of [missing, other])
        expect(failed).toEqual([expect.stringMatching(says)]);
    },
  );

  const MISSES = '<h1>400</h1>No required SSL certificate was sent';
  const withHeaders = () => ({ UPSTREAM_HEADERS_FILE: headersFile() });

  it.each<[string, number, string, () => Env, RegExp]>([
    [
      'a client certificate that nginx misses',
      400,
      MISSES,
      () => ({}),
      /client certificate.*UPSTREAM_CERT_FILE/,
    ],
    [
      'the headers where all is refused',
      401,
      '{"message":"no key"}',
      withHeaders,
      /UPSTREAM_HEADERS_FILE/,
    ],
  ])('names %s', async (_what, status, body, settings, says) => {
    const authority = makeAuthority();
    const platform = await startTls(authority);
    Object.assign(platform.state, { status, body });

    const { failed } = await examine({
      UPSTREAM_URL: platform.url,
      ...trusted(authority),
      ...settings(),
    });

    expect(failed).toEqual([expect.stringMatching(says)]);
  });
});
