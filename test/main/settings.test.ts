import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rootCertificates } from 'node:tls';
import { describe, expect, it, onTestFinished } from 'vitest';

import { writeFolder } from '../support/folder.ts';
import { runCommand, runMain } from '../support/run.ts';
import { writeDialect } from '../support/write-dialect.ts';

/** Of desktops and shells, npm, containers, CI, clouds, databases and other programs beside the gateway. */
const FOREIGN = `HOME LANG LC_ALL LOGNAME OLDPWD PATH PWD SHELL SHLVL TERM_PROGRAM TZ USER XDG_RUNTIME_DIR XDG_SESSION_ID SESSION_MANAGER SSH_AUTH_SOCK
  DBUS_SESSION_BUS_ADDRESS COLORTERM EDITOR HOSTNAME HOST_NAME LS_COLORS GPG_AGENT_INFO DISPLAY DESKTOP_SESSION SYSTEMD_EXEC_PID
  INVOCATION_ID JOURNAL_STREAM NOTIFY_SOCKET LISTEN_FDS RUNTIME_DIRECTORY STATE_DIRECTORY CACHE_DIRECTORY LOGS_DIRECTORY
  npm_config_cache npm_config_user_agent npm_config_userconfig npm_config_local_prefix npm_package_json npm_package_version
  npm_lifecycle_event npm_lifecycle_script npm_execpath npm_node_execpath npm_command INIT_CWD NODE_OPTIONS NODE_PATH NODE_VERSION
  NODE_EXTRA_CA_CERTS NODE_TLS_REJECT_UNAUTHORIZED NVM_DIR YARN_VERSION COREPACK_HOME PNPM_HOME UV_THREADPOOL_SIZE
  KUBERNETES_SERVICE_HOST KUBERNETES_SERVICE_PORT KUBERNETES_SERVICE_PORT_HTTPS KUBERNETES_PORT KUBERNETES_PORT_443_TCP
  KUBERNETES_PORT_443_TCP_ADDR REDIS_PORT REDIS_HOST REDIS_PASSWORD REDIS_USERNAME REDIS_SERVICE_HOST REDIS_SERVICE_PORT
  REDIS_PORT_6379_TCP CASEWAY_SERVICE_HOST CASEWAY_PORT_4000_TCP POD_NAME POD_NAMESPACE POD_IP NODE_NAME CONTAINER_ID DOCKER_HOST
  COMPOSE_PROJECT_NAME GITHUB_ACTIONS GITHUB_TOKEN GITHUB_WORKSPACE RUNNER_TEMP CI_JOB_TOKEN CI_REGISTRY CI_COMMIT_SHA BUILD_NUMBER
  AWS_REGION AWS_ACCESS_KEY_ID AWS_SECRET_ACCESS_KEY AWS_SESSION_TOKEN AZURE_CLIENT_ID GOOGLE_APPLICATION_CREDENTIALS
  GOOGLE_CLOUD_PROJECT VAULT_ADDR VAULT_TOKEN DATABASE_URL POSTGRES_PASSWORD POSTGRES_USER PGPASSWORD MYSQL_ROOT_PASSWORD MONGO_URL
  RABBITMQ_URL KAFKA_BROKERS HTTP_PROXY HTTPS_PROXY NO_PROXY SSL_CERT_FILE SSL_CERT_DIR REQUESTS_CA_BUNDLE REQUEST_TIMEOUT
  MAX_REQUESTS MAX_CONCURRENCY PAGE_SIZE RUST_LOG RUST_BACKTRACE JAVA_HOME JAVA_TOOL_OPTIONS PYTHONPATH VIRTUAL_ENV GOPATH
  APP_LOG_LEVEL PINO_LOG_LEVEL APOLLO_KEY APOLLO_GRAPH_REF OTEL_EXPORTER_OTLP_ENDPOINT OTEL_SERVICE_NAME SENTRY_DSN
  DD_AGENT_HOST NEW_RELIC_LICENSE_KEY PROMETHEUS_MULTIPROC_DIR TRUST_PROXY SERVER_PORT HTTP_PORT ASPNETCORE_URLS WEBSITE_HOSTNAME`;

const OWN = { UPSTREAM_USERNAME: 'u', UPSTREAM_PASSWORD: 'p' };

describe('invalid settings', () => {
  it('are all reported at once, before anything starts, with no secret quoted', async () => {
    const UPSTREAM_DIALECT = writeDialect({ list: { maxPageSize: 'many' }, lists: {} });

    const { code, stderr, stdout } = await runCommand([], {
      PORT: 'http',
      COST_MAX_CALLS: '0',
      LOG_LEVEL: 'loud',
      UPSTREAM_URL: 'ftp://platform.example',
      UPSTREAM_AUTH: 'credentials',
      UPSTREAM_CREDENTIALS: '{"password": "canary"',
      UPSTREAM_TIMEOUT_MS: '0',
      UPSTREAM_DIALECT,
    });

    expect(code).toBe(2);
    expect(stdout).toBe('');
    for (const name of [
      'PORT',
      'COST_MAX_CALLS',
      'LOG_LEVEL',
      'UPSTREAM_URL',
      'UPSTREAM_TIMEOUT_MS',
      'UPSTREAM_DIALECT',
    ]) {
      expect(stderr).toContain(`- ${name}: `);
    }
    expect(stderr).toContain('list.maxPageSize');
    expect(stderr).toContain('lists');
    expect(stderr).not.toContain('canary');
  });

  it.each([
    ['no credentials', {}, ['UPSTREAM_USERNAME', 'UPSTREAM_PASSWORD']],
    [
      'credentials that are not an object',
      { UPSTREAM_AUTH: 'credentials', UPSTREAM_CREDENTIALS: '[]' },
      ['UPSTREAM_CREDENTIALS'],
    ],
    ['/v1.0 in its address', { ...OWN, UPSTREAM_URL: 'https://platform.example/v1.0' }, ['UPSTREAM_URL']],
    ['a query in its address', { ...OWN, UPSTREAM_URL: 'https://platform.example/?a=b' }, ['UPSTREAM_URL']],
    ['a colon in the user name of a pair', { ...OWN, UPSTREAM_USERNAME: 'a:b' }, ['UPSTREAM_USERNAME']],
    ['the credentials of the other variant', { ...OWN, UPSTREAM_CREDENTIALS: '{}' }, ['UPSTREAM_CREDENTIALS']],
    [
      'a missing password file',
      { UPSTREAM_USERNAME: 'u', UPSTREAM_PASSWORD_FILE: '/nowhere' },
      ['UPSTREAM_PASSWORD_FILE'],
    ],
    ['a missing CA file', { ...OWN, UPSTREAM_CA_FILE: '/nowhere' }, ['UPSTREAM_CA_FILE']],
    ['a password beside its file', { ...OWN, UPSTREAM_PASSWORD_FILE: import.meta.filename }, ['UPSTREAM_PASSWORD']],
  ])('are rejected for a platform with %s', async (_what, env, names) => {
    const { code, stderr } = await runCommand([], { UPSTREAM_URL: 'https://platform.example', ...env });

    expect(code).toBe(2);
    for (const name of names) expect(stderr).toContain(`- ${name}: `);
  });

  it('are rejected where a file has a gigabyte, or is a device: neither is read', async () => {
    const huge = join(writeFolder({ huge: '' }), 'huge');
    truncateSync(huge, 2 ** 30);
    const env = { UPSTREAM_PASSWORD_FILE: huge, SESSION_KEYS_FILE: '/dev/zero', UPSTREAM_DIALECT: huge };

    const { code, stderr } = await runCommand([], env);

    expect(code).toBe(2);
    for (const name of Object.keys(env)) expect(stderr).toContain(`- ${name}: `);
  });

  it.each([
    ['no encryption key', { REDIS_URL: 'redis://:canary@redis.example' }, 'SESSION_KEYS'],
    ['a key that is too short', { REDIS_URL: 'redis://:canary@redis.example', SESSION_KEYS: 'canary' }, 'SESSION_KEYS'],
    ['a missing key file', { REDIS_URL: 'redis://r.example', SESSION_KEYS_FILE: '/nowhere' }, 'SESSION_KEYS_FILE'],
    ['a URL with another scheme', { REDIS_URL: 'http://:canary@redis.example' }, 'REDIS_URL'],
  ])('are rejected for Redis with %s', async (_what, env, name) => {
    const { code, stderr } = await runCommand([], { UPSTREAM_URL: 'https://platform.example', ...OWN, ...env });

    expect(code).toBe(2);
    expect(stderr.match(/^ {2}- /gm)).toHaveLength(1);
    expect(stderr).toContain(`- ${name}: `);
    expect(stderr).not.toContain('canary');
  });

  const PEM = '-----BEGIN CERTIFICATE-----\ncanary\n-----END CERTIFICATE-----\n';
  it.each<[string, string, string | undefined, string]>([
    ['a proxy without a scheme', 'UPSTREAM_PROXY', undefined, 'user:canary@proxy.example:3128'],
    ['a proxy with a path', 'UPSTREAM_PROXY', undefined, 'http://user:canary@proxy.example/path'],
    ['a proxy whose password is cut by a "#"', 'UPSTREAM_PROXY', undefined, 'http://user:canary#1@proxy.example'],
    ['a proxy whose password has a bare "%"', 'UPSTREAM_PROXY', undefined, 'http://user:canary%@proxy.example'],
    ['no proxy in its file', 'UPSTREAM_PROXY', 'UPSTREAM_PROXY_FILE', 'canary'],
    ['authorities that are none', 'UPSTREAM_CA_FILE', 'UPSTREAM_CA_FILE', 'canary'],
    ['authorities in broken PEM', 'UPSTREAM_CA_FILE', 'UPSTREAM_CA_FILE', PEM],
    [
      'authorities whose last is cut',
      'UPSTREAM_CA_FILE',
      'UPSTREAM_CA_FILE',
      `${rootCertificates[0]}\n${PEM.slice(0, 30)}`,
    ],
    ['a client certificate without its key', 'UPSTREAM_CERT_FILE', 'UPSTREAM_CERT_FILE', PEM],
    ['headers that are no JSON', 'UPSTREAM_HEADERS_FILE', 'UPSTREAM_HEADERS_FILE', 'x-api-key: canary'],
    ['a header that is no text', 'UPSTREAM_HEADERS_FILE', 'UPSTREAM_HEADERS_FILE', '{"x-key":["canary"]}'],
    ['a header with a line', 'UPSTREAM_HEADERS_FILE', 'UPSTREAM_HEADERS_FILE', '{"x-key":"canary\\r\\nx: y"}'],
  ])('are rejected for a network with %s, without a word of it', async (_what, name, fileName, content) => {
    const file = join(writeFolder({ secret: content }), 'secret');
    const env = fileName === undefined ? { [name]: content } : { [fileName]: file };

    const { code, stderr } = await runCommand([], { UPSTREAM_URL: 'https://platform.example', ...OWN, ...env });

    expect(code).toBe(2);
    expect(stderr.match(/^ {2}- /gm)).toHaveLength(1);
    expect(stderr).toContain(`- ${name}: `);
    expect(stderr).not.toContain('canary');
  });

  it.each([
    ...['Authorization', 'accept', 'Content-Type', 'content-length', 'host', 'cookie', 'accept-encoding'],
    ...['connection', 'keep-alive', 'te', 'trailer', 'transfer-encoding', 'upgrade', 'proxy-authorization', 'expect'],
    ...['If-Modified-Since', 'x-request-id', 'traceparent', 'tracestate', 'baggage'],
  ])('are rejected for a fixed header %s', async (header) => {
    const folder = writeFolder({ 'headers.json': { 'x-api-key': 'canary', [header]: 'canary' } });
    const UPSTREAM_HEADERS_FILE = join(folder, 'headers.json');

    const env = { UPSTREAM_URL: 'https://platform.example', ...OWN, UPSTREAM_HEADERS_FILE };
    const { code, stderr } = await runCommand([], env);

    expect(code).toBe(2);
    expect(stderr.match(/^ {2}- .*/gm)).toEqual([expect.stringContaining(header.toLowerCase())]);
    expect(stderr).not.toContain('canary');
  });

  it('are rejected for Redis with the sandbox, of which each replica has its own', async () => {
    const { code, stderr } = await runCommand([], { REDIS_URL: 'redis://redis.example' });

    expect(code).toBe(2);
    expect(stderr).toContain('- REDIS_URL: ');
  });

  it('are explained in one line for a URL without a scheme', async () => {
    const { code, stderr } = await runCommand([], { UPSTREAM_URL: 'platform.example:8080', ...OWN });

    expect(code).toBe(2);
    expect(stderr.match(/^ {2}- .*/gm)).toEqual([expect.stringContaining('- UPSTREAM_URL: has no scheme')]);
  });

  it.each([
    [['start']],
    [['doctor']],
    [['schema']],
    [['aliases', 'aliases.json']],
    [['explain', import.meta.filename]],
  ])('end %j with the same exit code', async (args) => {
    const { code } = await runCommand(args, { UPSTREAM_TIMEOUT_MS: '0' });

    expect(code).toBe(2);
  });

  it('end the sandbox’s command with the same exit code where they are its own', async () => {
    const { code, stderr } = await runCommand(['sandbox'], { PORT: 'x' });

    expect(code).toBe(2);
    expect(stderr).toContain('PORT: must be');
  });

  it('are rejected for credentials without a platform', async () => {
    const { code, stderr } = await runCommand([], { UPSTREAM_PASSWORD: 'canary' });

    expect(code).toBe(2);
    expect(stderr).toContain('UPSTREAM_URL');
    expect(stderr).not.toContain('canary');
  });
});

describe('the keys of callers', () => {
  it('are each of one caller', async () => {
    const [one, other] = ['1', '2'].map((digit) => digit.repeat(64));
    const CALLER_KEYS = `web:${one}, web:${other}, app:${other}`;
    const { code, stderr } = await runCommand([], { CALLER_AUTH: 'key', CALLER_KEYS });

    expect(code).toBe(2);
    expect(stderr.match(/^ {2}- .*/gm)).toEqual(['  - CALLER_KEYS: web and app have the same key: each needs its own']);
  });
});

describe('a mode that is meant to be production', () => {
  it.each(['prod', 'Production', 'PRODUCTION'])('is not taken for development: %s', async (mode) => {
    const { code, stderr } = await runCommand([], { NODE_ENV: mode });

    expect([code, stderr]).toEqual([2, expect.stringContaining(`  - NODE_ENV: must be "production", got "${mode}"`)]);
  });
});

describe('an unknown variable', () => {
  it('is reported when its prefix is that of a setting, with the setting whose beginning it is', async () => {
    const env = { UPSTREAM_TIMEOUT: '5', SANDBOX_PORTS: '1', HOME: '/', SANDBOX_PORT_4001_TCP: 'tcp://10.0.0.1:4001' };
    const { stderr } = await runCommand(['key', 'web'], env);

    expect(stderr.trim().split('\n')).toEqual([
      'Warning: unknown setting SANDBOX_PORTS: --help lists all',
      'Warning: unknown setting UPSTREAM_TIMEOUT: did you mean UPSTREAM_TIMEOUT_MS?',
    ]);
  });

  it('is reported where versions before had a setting of its name', async () => {
    const env = { MCP_CONFIRM: 'off', MCP_TIMEOUT: '1', HOSTS: 'canary', SHUTDOWN_TIMEOUT_MS: '1', PORT: 'none' };

    const { stderr } = await runCommand(['start'], env);

    const named = [...stderr.matchAll(/^Warning: unknown setting (\S+): it is no more; CHANGELOG/gm)].map(
      ([, name]) => name,
    );
    expect(named).toEqual(['HOSTS', 'MCP_CONFIRM', 'SHUTDOWN_TIMEOUT_MS']);
    expect(stderr).not.toContain('canary');
  });

  it('is not reported where it belongs to the system or to another program', async () => {
    const env = Object.fromEntries(FOREIGN.split(/\s+/).map((name) => [name, 'x']));

    const { stderr } = await runCommand(['key', 'web'], env);

    expect(stderr).toBe('');
  });

  it('is reported anywhere in .env, except for those of Node and OpenTelemetry', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'caseway-env-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    writeFileSync(join(folder, '.env'), 'PROT=4000\nNODE_EXTRA_CA_CERTS=a.pem\nOTEL_SERVICE_NAME=caseway\n');

    const { stderr } = await runMain(['key', 'web'], {}, folder).ended;

    expect(stderr.trim()).toBe('Warning: unknown setting PROT: --help lists all');
  });
});

describe('a file .env in the working folder', () => {
  it('supplies settings that the environment lacks', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'caseway-env-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    writeFileSync(join(folder, '.env'), 'PORT=from-file\nCOST_MAX_CALLS=from-file\n');

    const { stderr } = await runMain([], { PORT: 'from-environment' }, folder).ended;

    expect(stderr).toContain('PORT: must be an integer from 0 to 65535, got "from-environment"');
    expect(stderr).toContain('COST_MAX_CALLS: must be an integer from 1 to 1000000, got "from-file"');
  });
});

describe('the command line', () => {
  it('lists commands and settings for --help', async () => {
    const { code, stdout } = await runCommand(['--help']);

    expect(code).toBe(0);
    expect(stdout).toMatch(/start .*sandbox .*schema .*UPSTREAM_TIMEOUT_MS/s);
  });

  it('asks for the name of a key’s caller', async () => {
    const { code, stdout, stderr } = await runCommand(['key']);

    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/^Name the caller .*such as.*--help/);
  });

  it.each(['doctor', 'sandbox', 'key', 'subgraph'])('says what %s takes for --help behind it', async (name) => {
    const { code, stdout } = await runCommand([name, '--help']);

    expect(code).toBe(0);
    expect(stdout).toMatch(new RegExp(`^Usage: caseway ${name}`));
  });

  it('lists each setting once', async () => {
    const { stdout } = await runCommand(['--help']);
    const settings = [...stdout.matchAll(/^ {2}([A-Z][A-Z_]+) /gm)].map(([, name]) => name);

    expect(settings).toContain('UPSTREAM_URL');
    expect(new Set(settings).size).toBe(settings.length);
  });

  it('prints the version', async () => {
    const { code, stdout } = await runCommand(['--version']);

    expect(code).toBe(0);
    expect(stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  });

  it.each([[['dance']], [['start', 'twice']], [['--loud']], [['key', 'web:1']], [['key', 'web,app']]])(
    'rejects %j',
    async (args) => {
      const { code, stderr } = await runCommand(args);

      expect(code).toBe(2);
      expect(stderr).not.toBe('');
    },
  );
});

describe('npm run sandbox', () => {
  it('prints its address and users who can sign in', async () => {
    const run = runMain(['sandbox'], { SANDBOX_FILE: ':memory:' });
    const url = await run.printed(/REST interface at (http:\S+)\/v1\.0/);
    await run.printed(/Ctrl\+C/);

    const response = await fetch(`${url}/v1.0/token`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ username: 'demo', password: await run.printed(/^ {2}demo {2}(\S+)/m) }),
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
