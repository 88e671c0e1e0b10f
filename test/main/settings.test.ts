import { truncateSync } from 'node:fs';
import { join } from 'node:path';
import { rootCertificates } from 'node:tls';
import { describe, expect, it } from 'vitest';

import { writeFolder } from '../support/folder.ts';
import type { Env } from '../support/gateway.ts';
import { runCommand, runMain } from '../support/run.ts';
import { writeDialect } from '../support/write-dialect.ts';

/**
 * One variable of each kind: desktops and shells, npm, containers, CI, clouds, databases and other
 * programs that run beside the gateway.
 */
const FOREIGN = `
  HOME LANG LC_ALL LOGNAME OLDPWD PATH PWD SHELL SHLVL TERM_PROGRAM TZ USER XDG_RUNTIME_DIR SESSION_MANAGER
  SSH_AUTH_SOCK DBUS_SESSION_BUS_ADDRESS COLORTERM EDITOR HOSTNAME HOST_NAME LS_COLORS GPG_AGENT_INFO DISPLAY
  DESKTOP_SESSION SYSTEMD_EXEC_PID INVOCATION_ID JOURNAL_STREAM NOTIFY_SOCKET LISTEN_FDS RUNTIME_DIRECTORY
  STATE_DIRECTORY CACHE_DIRECTORY LOGS_DIRECTORY npm_config_cache INIT_CWD NODE_OPTIONS NVM_DIR YARN_VERSION
  COREPACK_HOME PNPM_HOME UV_THREADPOOL_SIZE KUBERNETES_SERVICE_HOST KUBERNETES_SERVICE_PORT
  KUBERNETES_SERVICE_PORT_HTTPS KUBERNETES_PORT_443_TCP KUBERNETES_PORT_443_TCP_ADDR REDIS_PORT REDIS_HOST
  REDIS_PASSWORD REDIS_USERNAME REDIS_SERVICE_HOST REDIS_SERVICE_PORT REDIS_PORT_6379_TCP CASEWAY_SERVICE_HOST
  CASEWAY_PORT_4000_TCP POD_NAME CONTAINER_ID DOCKER_HOST COMPOSE_PROJECT_NAME GITHUB_ACTIONS RUNNER_TEMP
  CI_JOB_TOKEN BUILD_NUMBER AWS_REGION AZURE_CLIENT_ID GOOGLE_APPLICATION_CREDENTIALS VAULT_ADDR DATABASE_URL
  POSTGRES_PASSWORD PGPASSWORD MYSQL_ROOT_PASSWORD MONGO_URL RABBITMQ_URL KAFKA_BROKERS HTTP_PROXY HTTPS_PROXY
  NO_PROXY SSL_CERT_FILE REQUESTS_CA_BUNDLE REQUEST_TIMEOUT MAX_REQUESTS MAX_CONCURRENCY PAGE_SIZE RUST_LOG
  JAVA_HOME PYTHONPATH VIRTUAL_ENV GOPATH APP_LOG_LEVEL PINO_LOG_LEVEL APOLLO_KEY OTEL_EXPORTER_OTLP_ENDPOINT
  SENTRY_DSN DD_AGENT_HOST NEW_RELIC_LICENSE_KEY PROMETHEUS_MULTIPROC_DIR TRUST_PROXY SERVER_PORT ASPNETCORE_URLS
  WEBSITE_HOSTNAME CI OS TMP TEMP TMPDIR TERM PS1 COMSPEC WINDIR APPDATA LOCALAPPDATA PATHEXT USERNAME
  USERPROFILE SYSTEMROOT PROCESSOR_ARCHITECTURE NUMBER_OF_PROCESSORS HOMEDRIVE HOMEPATH LOGONSERVER
  LISTEN_PID WATCHDOG_USEC CREDENTIALS_DIRECTORY MAINPID KUBECONFIG NAMESPACE NODE_NAME POD_IP HOST_IP
  GITHUB_TOKEN GITHUB_REF RUNNER_OS BUILD_ID JOB_NAME MAIL PAGER LESS VISUAL SUDO_USER WSL_DISTRO_NAME`;

const OWN = {
  UPSTREAM_URL: 'https://platform.example',
  UPSTREAM_USERNAME: 'u',
  UPSTREAM_PASSWORD: 'p',
};
const PEM = '-----BEGIN CERTIFICATE-----\ncanary\n-----END CERTIFICATE-----\n';

/** Runs a command with invalid settings and returns the reported problems. */
async function problemsOf(env: Env, args: readonly string[] = []) {
  const { code, stdout, stderr } = await runCommand(args, env);
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr).not.toContain('canary');
  return [...stderr.matchAll(/^ {2}- (.*)$/gm)].map(([, problem = '']) => problem);
}

const namesOf = (problems: readonly string[]) => problems.map((problem) => problem.split(':')[0]);

describe('invalid settings', () => {
  it('are all reported at once, before anything starts, with no secret quoted', async () => {
    const problems = await problemsOf({
      PORT: 'http',
      COST_MAX_CALLS: '0',
      LOG_LEVEL: 'loud',
      UPSTREAM_URL: 'ftp://platform.example',
      UPSTREAM_AUTH: 'credentials',
      UPSTREAM_CREDENTIALS: '{"password": "canary"',
      UPSTREAM_TIMEOUT_MS: '0',
      UPSTREAM_DIALECT: writeDialect({ list: { maxPageSize: 'many' }, lists: {} }),
    });

    expect(namesOf(problems)).toEqual(
      expect.arrayContaining([
        'PORT',
        'COST_MAX_CALLS',
        'LOG_LEVEL',
        'UPSTREAM_URL',
        'UPSTREAM_TIMEOUT_MS',
      ]),
    );
    expect(problems.join()).toMatch(/UPSTREAM_DIALECT: .*list\.maxPageSize/);
    expect(problems.join()).toMatch(/UPSTREAM_DIALECT: .*lists/);
  });

  const REDIS_URL = 'redis://:canary@r.example';
  it.each<[what: string, env: Env, names: string]>([
    [
      'a platform without credentials',
      { UPSTREAM_URL: OWN.UPSTREAM_URL },
      'UPSTREAM_USERNAME UPSTREAM_PASSWORD',
    ],
    [
      'credentials that are not an object',
      {
        UPSTREAM_URL: OWN.UPSTREAM_URL,
        UPSTREAM_AUTH: 'credentials',
        UPSTREAM_CREDENTIALS: '[]',
      },
      'UPSTREAM_CREDENTIALS',
    ],
    ['credentials without a platform', { UPSTREAM_PASSWORD: 'canary' }, 'UPSTREAM_URL'],
    ['/v1.0 in the address', { ...OWN, UPSTREAM_URL: 'https://p.example/v1.0' }, 'UPSTREAM_URL'],
    ['a query in the address', { ...OWN, UPSTREAM_URL: 'https://p.example/?a=b' }, 'UPSTREAM_URL'],
    ['a colon in a user name', { ...OWN, UPSTREAM_USERNAME: 'a:b' }, 'UPSTREAM_USERNAME'],
    [
      'the credentials of the other variant',
      { ...OWN, UPSTREAM_CREDENTIALS: '{}' },
      'UPSTREAM_CREDENTIALS',
    ],
    [
      'a missing password file',
      {
        UPSTREAM_URL: OWN.UPSTREAM_URL,
        UPSTREAM_USERNAME: 'u',
        UPSTREAM_PASSWORD_FILE: '/nowhere',
      },
      'UPSTREAM_PASSWORD_FILE',
    ],
    ['a missing CA file', { ...OWN, UPSTREAM_CA_FILE: '/nowhere' }, 'UPSTREAM_CA_FILE'],
    [
      'a password beside its file',
      { ...OWN, UPSTREAM_PASSWORD_FILE: import.meta.filename },
      'UPSTREAM_PASSWORD',
    ],
    [
      'Redis with the sandbox, of which each replica has its own',
      { REDIS_URL: 'redis://r.example' },
      'REDIS_URL SESSION_KEYS',
    ],
    ['Redis without an encryption key', { ...OWN, REDIS_URL }, 'SESSION_KEYS'],
    [
      'an encryption key that is too short',
      { ...OWN, REDIS_URL, SESSION_KEYS: 'canary' },
      'SESSION_KEYS',
    ],
    [
      'a missing file of encryption keys',
      { ...OWN, REDIS_URL, SESSION_KEYS_FILE: '/nowhere' },
      'SESSION_KEYS_FILE',
    ],
    ['a URL of Redis with another scheme', { ...OWN, REDIS_URL: 'http://r.example' }, 'REDIS_URL'],
    ...[
      'user:canary@proxy.example:3128',
      'http://user:canary@proxy.example/path',
      'http://user:canary#1@proxy.example',
      'http://user:canary%@proxy.example',
    ].map((UPSTREAM_PROXY): [string, Env, string] => [
      `the proxy ${UPSTREAM_PROXY}`,
      { ...OWN, UPSTREAM_PROXY },
      'UPSTREAM_PROXY',
    ]),
    ['one port for both servers', { PORT: '4830', METRICS_PORT: '4830' }, 'METRICS_PORT'],
    ['a port without one after it, for the sandbox', { PORT: '65535' }, 'PORT'],
    ['a mode that is meant to be production', { NODE_ENV: 'Production' }, 'NODE_ENV'],
  ])('are reported by name: %s', async (_what, env, names) => {
    expect(namesOf(await problemsOf(env)).join(' ')).toBe(names);
  });

  it.each<[what: string, name: string, content: string]>([
    ['no proxy', 'UPSTREAM_PROXY_FILE', 'canary'],
    ['authorities in broken PEM', 'UPSTREAM_CA_FILE', PEM],
    [
      'authorities whose last is cut',
      'UPSTREAM_CA_FILE',
      `${rootCertificates[0]}\n${PEM.slice(0, 30)}`,
    ],
    ['a client certificate without its key', 'UPSTREAM_CERT_FILE', PEM],
    ['headers that are no JSON', 'UPSTREAM_HEADERS_FILE', 'x-api-key: canary'],
    ['a header that is no text', 'UPSTREAM_HEADERS_FILE', '{"x-key":["canary"]}'],
    ['a header with a line', 'UPSTREAM_HEADERS_FILE', '{"x-key":"canary\\r\\nx: y"}'],
  ])('are reported for a file with %s, without a word of it', async (_what, name, content) => {
    const file = join(writeFolder({ secret: content }), 'secret');

    expect(namesOf(await problemsOf({ ...OWN, [name]: file }))).toEqual([
      name.replace('PROXY_FILE', 'PROXY'),
    ]);
  });

  const RESERVED = `Authorization accept Content-Type content-length host cookie accept-encoding
    connection keep-alive te trailer transfer-encoding upgrade proxy-authorization expect
    If-Modified-Since x-request-id traceparent tracestate baggage`;
  it.each(RESERVED.split(/\s+/))('are reported for a fixed header %s', async (header) => {
    const folder = writeFolder({ 'headers.json': { 'x-api-key': 'canary', [header]: 'canary' } });
    const UPSTREAM_HEADERS_FILE = join(folder, 'headers.json');

    expect(await problemsOf({ ...OWN, UPSTREAM_HEADERS_FILE })).toEqual([
      expect.stringContaining(header.toLowerCase()),
    ]);
  });

  it('are reported where a file has a gigabyte, or is a device: neither is read', async () => {
    const huge = join(writeFolder({ huge: '' }), 'huge');
    truncateSync(huge, 2 ** 30);
    const env = {
      UPSTREAM_PASSWORD_FILE: huge,
      SESSION_KEYS_FILE: '/dev/zero',
      UPSTREAM_DIALECT: huge,
    };

    expect(namesOf(await problemsOf(env))).toEqual(expect.arrayContaining(Object.keys(env)));
  });

  const [ONE, OTHER] = ['1', '2'].map((digit) => digit.repeat(64));
  it.each<[what: string, env: Env, explained: RegExp]>([
    [
      'a URL without a scheme',
      { ...OWN, UPSTREAM_URL: 'platform.example:8080' },
      /^UPSTREAM_URL: has no scheme/,
    ],
    [
      'a key of two callers',
      { CALLER_AUTH: 'key', CALLER_KEYS: `web:${ONE}, web:${OTHER}, app:${OTHER}` },
      /^CALLER_KEYS: web and app have the same key: each needs its own$/,
    ],
    ['production without a platform', { NODE_ENV: 'production' }, /^UPSTREAM_URL: .*SANDBOX_FILE/],
    [
      'a mode',
      { NODE_ENV: 'prod' },
      /^NODE_ENV: must be "production", or not begin with "prod", got "prod"$/,
    ],
    [
      'a key set without an address',
      { CALLER_JWKS_URL: 'notaurl' },
      /^CALLER_JWKS_URL: (must be an http.*) or (?!.*must be).*, got "notaurl"$/,
    ],
    [
      'a missing secret file',
      { ...OWN, UPSTREAM_PASSWORD: '', UPSTREAM_PASSWORD_FILE: '/nowhere' },
      /^UPSTREAM_PASSWORD_FILE: cannot read the file "\/nowhere": ENOENT$/,
    ],
    [
      'a missing CA file',
      { ...OWN, UPSTREAM_CA_FILE: '/nowhere' },
      /^UPSTREAM_CA_FILE: cannot read the file "\/nowhere": ENOENT$/,
    ],
    [
      'a folder in place of a file',
      { ...OWN, UPSTREAM_HEADERS_FILE: '/' },
      /^UPSTREAM_HEADERS_FILE: cannot read the file "\/": it is no file$/,
    ],
    ...['UPSTREAM_DIALECT', 'TYPED_ALIASES', 'ROLES'].map((name): [string, Env, RegExp] => [
      `a missing file of ${name}`,
      { CALLER_AUTH: 'key', CALLER_KEYS: `web:${ONE}`, [name]: '/nowhere' },
      new RegExp(`^${name}: /nowhere: cannot be read: ENOENT$`),
    ]),
  ])('are explained in one line: %s', async (_what, env, explained) => {
    expect(await problemsOf(env)).toEqual([expect.stringMatching(explained)]);
  });

  it.each<[args: string[], env: Env]>([
    [['start'], { UPSTREAM_TIMEOUT_MS: '0' }],
    [['schema'], { UPSTREAM_TIMEOUT_MS: '0' }],
    [['aliases', 'aliases.json'], { UPSTREAM_TIMEOUT_MS: '0' }],
    [['explain', import.meta.filename], { UPSTREAM_TIMEOUT_MS: '0' }],
    [['sandbox'], { PORT: 'x' }],
  ])('end %j', async (args, env) => {
    expect(namesOf(await problemsOf(env, args))).toEqual(Object.keys(env));
  });
});

describe('an unknown variable', () => {
  it('is reported if it has a setting’s prefix, with a setting that begins with it', async () => {
    const env = {
      UPSTREAM_TIMEOUT: '5',
      SANDBOX_PORTS: '1',
      HOME: '/',
      SANDBOX_PORT_4001_TCP: 'tcp://10.0.0.1:4001',
    };
    const { stderr } = await runCommand(['key', 'web'], env);

    expect(stderr.trim().split('\n')).toEqual([
      'Warning: unknown setting SANDBOX_PORTS: --help lists all',
      'Warning: unknown setting UPSTREAM_TIMEOUT: did you mean UPSTREAM_TIMEOUT_MS?',
    ]);
  });

  it('is reported with the setting that it is a misspelling of', async () => {
    const misspelled = { REDIS_URI: 'REDIS_URL', SESION_KEYS: 'SESSION_KEYS', ROLE: 'ROLES' };
    const env = Object.fromEntries(Object.keys(misspelled).map((name) => [name, 'canary']));

    const { stderr } = await runCommand(['key', 'web'], env);

    const proposals = [...stderr.matchAll(/unknown setting (\S+): did you mean (\S+)\?/g)];
    expect(Object.fromEntries(proposals.map(([, name, proposal]) => [name, proposal]))).toEqual(
      misspelled,
    );
    expect(stderr).not.toContain('canary');
  });

  it('fails start --check, which would otherwise have taken the settings', async () => {
    const { code, stderr } = await runCommand(['start', '--check'], { ROLE: 'x' });

    expect(code).toBe(2);
    expect(stderr).toBe('Warning: unknown setting ROLE: did you mean ROLES?\n');
  });

  it('is not reported where it belongs to the system or to another program', async () => {
    const env = Object.fromEntries([...FOREIGN.matchAll(/\S+/g)].map(([name]) => [name, 'x']));

    expect((await runCommand(['key', 'web'], env)).stderr).toBe('');
  });

  it('is reported in .env under any name, except for variables of Node and OpenTelemetry', async () => {
    const folder = writeFolder({
      '.env': 'PROT=4000\nNODE_EXTRA_CA_CERTS=a.pem\nOTEL_SERVICE_NAME=caseway\n',
    });

    const { stderr } = await runMain(['key', 'web'], {}, folder).ended;

    expect(stderr.trim()).toBe('Warning: unknown setting PROT: --help lists all');
  });
});

it('a file .env in the working folder supplies settings that the environment lacks', async () => {
  const folder = writeFolder({ '.env': 'PORT=from-file\nCOST_MAX_CALLS=from-file\n' });

  const { stderr } = await runMain([], { PORT: 'from-environment' }, folder).ended;

  expect(stderr).toContain('PORT: must be an integer from 0 to 65535, got "from-environment"');
  expect(stderr).toContain('COST_MAX_CALLS: must be an integer from 1 to 1000000, got "from-file"');
});

describe('the command line', () => {
  it('lists commands, and each setting once, for --help', async () => {
    const { code, stdout } = await runCommand(['--help']);

    const settings = [...stdout.matchAll(/^ {2}([A-Z][A-Z_]+) /gm)].map(([, name]) => name);
    expect(code).toBe(0);
    expect(stdout).toMatch(/start .*sandbox .*schema .*UPSTREAM_TIMEOUT_MS/s);
    expect(new Set(settings).size).toBe(settings.length);
  });

  it('requires the name of a key’s caller', async () => {
    const { code, stdout, stderr } = await runCommand(['key']);

    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/^Name the caller .*such as.*--help/);
  });

  it.each(['doctor', 'sandbox', 'schema', 'key', 'subgraph'])(
    'prints the usage of %s for --help behind it',
    async (name) => {
      const { code, stdout } = await runCommand([name, '--help']);

      expect(code).toBe(0);
      expect(stdout).toMatch(new RegExp(`^Usage: caseway ${name}`));
    },
  );

  it('prints the version', async () => {
    const { code, stdout } = await runCommand(['--version']);

    expect(code).toBe(0);
    expect(stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  });

  it.each([
    [['dance']],
    [['start', 'twice']],
    [['--loud']],
    [['key', 'web:1']],
    [['key', 'web,app']],
  ])('rejects %j', async (args) => {
    const { code, stderr } = await runCommand(args);

    expect(code).toBe(2);
    expect(stderr).not.toBe('');
  });
});

describe('npm run sandbox', () => {
  it('prints its address and the users of the sandbox', async () => {
    const run = runMain(['sandbox'], { SANDBOX_FILE: ':memory:' });
    const url = await run.printed(/REST interface at (http:\S+)\/v1\.0/);
    await run.printed(/Ctrl\+C/);

    const response = await fetch(`${url}/v1.0/token`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        username: 'demo',
        password: await run.printed(/^ {2}demo {2}(\S+)/m),
      }),
    });

    expect(response.status).toBe(201);
    expect(response.headers.get('authorization')).not.toBeNull();
  });

  it('reports every problem of the definitions with file and line, and exits with 2', async () => {
    const { code, stderr } = await runCommand(['sandbox'], {
      SANDBOX_DEFINITIONS: import.meta.dirname,
      SANDBOX_FILE: ':memory:',
    });

    expect(code).toBe(2);
    expect(stderr).toContain('Invalid definitions in');
  });
});
