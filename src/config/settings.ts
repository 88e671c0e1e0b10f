import { z } from 'zod';

import { httpUrl, integer, ON_OFF, oneOf, PORT_NUMBER, PROXY_URL, TEXT } from './setting-types.ts';

/** Settings, by their names in the environment. */
export type SettingTable = Readonly<Record<string, Setting>>;

/** One setting of the environment. */
export interface Setting {
  readonly group: string;
  /** Reads the value from its text. */
  readonly type: z.ZodType<unknown, string>;
  /** The unit of the value; absent for words and for any text. */
  readonly unit?: string;
  /** The value when the environment has none; absent where there may be no value. */
  readonly default?: string | number;
  /** The behaviour without a value, where that is no fixed value. */
  readonly whenUnset?: string;
  /** For the person who sets it. */
  readonly description: string;
  /** A secret is never printed, and may also be in the file that `NAME_FILE` names. */
  readonly isSecret?: boolean;
  /** Whether the public schema depends on it, so that commands which print that read it. */
  readonly isOfSchema?: boolean;
}

type Ungrouped = Readonly<Record<string, Omit<Setting, 'group'>>>;

/** Makes the settings of one group, or some of them. */
export function inGroup<const Table extends Ungrouped>(group: string, table: Table) {
  const entries = Object.entries(table).map(([name, setting]) => [name, { group, ...setting }] as const);
  return Object.fromEntries(entries) as { readonly [Name in keyof Table]: Table[Name] & Pick<Setting, 'group'> };
}

/** The unit of a setting's value, or the words that it is one of; empty for any text. */
export const unitOf = ({ unit, type }: Setting): string =>
  unit ?? (type instanceof z.ZodEnum ? type.options.join(', ') : '');

/** Every documented setting, by its name in the environment. */
export const SETTINGS = {
  ...inGroup('Gateway', {
    PORT: {
      type: PORT_NUMBER,
      unit: 'TCP port',
      default: 4000,
      description: 'The port the gateway listens on; 0 is any free port.',
    },
    HOST: {
      type: TEXT,
      unit: 'address',
      default: '127.0.0.1',
      description: 'The address to listen on; `0.0.0.0` is every address.',
    },
    METRICS_PORT: {
      type: PORT_NUMBER,
      unit: 'TCP port',
      whenUnset: 'no metrics',
      description:
        'Where Prometheus metrics are served, at `/metrics` on `HOST`, a page for operators at `/status`, and health; 0 takes any free port.',
    },
    NODE_ENV: {
      type: TEXT,
      default: 'development',
      description: '`production` turns `PLAYGROUND` and `SANDBOX` off unless they are set, and requires `CALLER_AUTH`.',
    },
    LOG_LEVEL: {
      type: oneOf('silent', 'fatal', 'error', 'warn', 'info', 'debug'),
      default: 'info',
      description: 'The least severe level that is logged. JSON lines; readable ones on a terminal outside production.',
    },
    LOG_SUBJECTS: {
      type: ON_OFF,
      default: 'off',
      description:
        'Whether log lines of operations name the person who calls, as `subject`: a user name, or the `sub` of a token.',
    },
    PLAYGROUND: {
      type: ON_OFF,
      whenUnset: 'on, but off in production',
      description:
        'Whether `/playground` is served, introspection shows the schema, and GraphQL’s own error messages are passed on with their values and suggestions.',
    },
    CORS_ORIGINS: {
      type: TEXT,
      unit: 'origins, comma-separated',
      whenUnset: 'same origin only; in development pages on this machine as well',
      description: 'Origins whose pages may call the gateway, for example `https://app.example`.',
    },
    HOSTS: {
      type: TEXT,
      unit: 'hosts, comma-separated',
      whenUnset: 'any, but on a loopback `HOST` only loopback names',
      description: 'The hosts allowed in the `Host` header, for example `api.example`.',
    },
    TRUSTED_PROXIES: {
      type: TEXT,
      unit: 'addresses or subnets, comma-separated',
      whenUnset: 'this machine',
      description:
        'The proxies whose `x-request-id` and `x-forwarded-…` are taken over, for example `10.0.3.7, 10.1.0.0/16`. Whoever else can call from these addresses can forge both.',
    },
    SHUTDOWN_TIMEOUT_MS: {
      type: integer(0, 3_600_000),
      unit: 'milliseconds',
      default: 25_000,
      description:
        'The time from SIGTERM until requests in flight are aborted. In production the gateway keeps serving for a fifth of it, at most five seconds, so that load balancers notice.',
    },
  }),
  ...inGroup('Platform', {
    UPSTREAM_URL: {
      type: httpUrl(),
      unit: 'URL',
      whenUnset: 'the sandbox',
      description: 'The platform’s `{base_url}`, without `/v1.0`.',
    },
    UPSTREAM_AUTH: {
      type: oneOf('basic', 'credentials'),
      default: 'basic',
      description: 'How calls are authorized: `basic` is the interface’s variant B, `credentials` its variant A.',
    },
    UPSTREAM_USERNAME: {
      type: TEXT,
      description: 'The user name, in Basic credentials or in the JSON body.',
    },
    UPSTREAM_PASSWORD: {
      type: TEXT,
      isSecret: true,
      description: 'The password, in Basic credentials or in the JSON body.',
    },
    UPSTREAM_CREDENTIALS: {
      type: TEXT,
      unit: 'JSON object',
      isSecret: true,
      description: 'The whole body of `getToken` in variant A, instead of user name and password.',
    },
    UPSTREAM_TOKEN_URL: {
      type: httpUrl(),
      unit: 'URL',
      whenUnset: '`{base_url}/v1.0/token`',
      description: 'The URL of `getToken`.',
    },
    UPSTREAM_GRANT_TYPE: {
      type: TEXT,
      default: 'client_credentials',
      description: 'The `grant_type` of variant B.',
    },
    UPSTREAM_DIALECT: {
      type: TEXT,
      unit: 'JSON file',
      whenUnset: 'the sandbox’s dialect',
      description: 'How the platform differs from the defaults where the interface leaves details open.',
    },
    UPSTREAM_TIMEOUT_MS: {
      type: integer(1, 600_000),
      unit: 'milliseconds',
      default: 10_000,
      description: 'The deadline of one call to the platform, queueing, token and retry included.',
    },
    UPSTREAM_CALLS_PER_MINUTE: {
      type: integer(6, 100_000_000),
      unit: 'calls',
      whenUnset: 'no limit',
      description:
        'The call budget, token requests included; shared by all replicas with `REDIS_URL`. A sixth of it may be used at once, and calls come back evenly: 80 % for reads, 10 % for writes, which may use the reads’ share as well, and 10 % for sign-ins; one caller gets at most half while another one asks. Calls above it fail with `RATE_LIMITED`.',
    },
    UPSTREAM_CALLS_PER_HOUR: {
      type: integer(100, 1_000_000_000),
      unit: 'calls',
      whenUnset: 'no limit',
      description:
        'The same for an hour, alone or beside the other, with the same shares. A start begins with the sixth of an hour that may be used at once.',
    },
    UPSTREAM_PROXY: {
      type: PROXY_URL,
      unit: 'URL',
      isSecret: true,
      whenUnset: 'direct connections',
      description:
        'The HTTP proxy that opens tunnels (CONNECT) to platform and token issuer, for example `http://user:password@proxy.example:3128`.',
    },
    UPSTREAM_CA_FILE: {
      type: TEXT,
      unit: 'PEM file',
      whenUnset: 'Node’s and `NODE_EXTRA_CA_CERTS`',
      description: 'Certificate authorities of platform and token issuer, in addition to the default ones.',
    },
    UPSTREAM_CERT_FILE: {
      type: TEXT,
      unit: 'PEM file',
      description:
        'The client certificate for the origin of `UPSTREAM_URL`, with its chain; needs `UPSTREAM_KEY_FILE`.',
    },
    UPSTREAM_KEY_FILE: {
      type: TEXT,
      unit: 'PEM file',
      description: 'The private key of `UPSTREAM_CERT_FILE`, without passphrase.',
    },
    UPSTREAM_HEADERS_FILE: {
      type: TEXT,
      unit: 'JSON file',
      description:
        'Headers that every request to the origin of `UPSTREAM_URL` gets, for example the key of an API manager: `{ "x-api-key": "…" }`.',
    },
  }),
  ...inGroup('Callers', {
    IDENTITY: {
      type: oneOf('service', 'user', 'forward'),
      default: 'service',
      description:
        'The credentials for calls to the platform. `service`: the gateway’s own; `user`: callers sign in; `forward`: callers send the platform’s token.',
    },
    CALLER_AUTH: {
      type: oneOf('none', 'jwt', 'key'),
      whenUnset: 'none; required in production with a platform',
      description: 'How callers are authenticated with `IDENTITY=service`. `none`: not at all.',
    },
    CALLER_JWKS_URL: {
      type: httpUrl(),
      unit: 'URL',
      description: 'The JSON Web Key Set of the issuer of callers’ tokens, with `CALLER_AUTH=jwt`.',
    },
    CALLER_JWT_PUBLIC_KEY: {
      type: TEXT,
      unit: 'PEM',
      isSecret: true,
      description: 'The issuer’s public key, instead of `CALLER_JWKS_URL`.',
    },
    CALLER_JWT_ISSUER: {
      type: TEXT,
      whenUnset: 'any',
      description: 'The `iss` that callers’ tokens must have.',
    },
    CALLER_JWT_AUDIENCE: {
      type: TEXT,
      whenUnset: 'any',
      description: 'The `aud` that callers’ tokens must have.',
    },
    CALLER_KEYS: {
      type: TEXT,
      unit: 'name:hash, comma-separated',
      isSecret: true,
      description:
        'Callers’ names and the SHA-256 of their API keys, with `CALLER_AUTH=key`. The command `key NAME` generates an entry; the word `none` lets nobody in.',
    },
    SESSION_KEYS: {
      type: TEXT,
      unit: 'base64 of 32 bytes, comma-separated',
      isSecret: true,
      whenUnset: 'sessions end with the process; required with `REDIS_URL`, and in production with `IDENTITY=user`',
      description:
        'The keys that encrypt sessions with `IDENTITY=user`, and data shared through `REDIS_URL`, which requires them; equal on all replicas. The first encrypts, all decrypt.',
    },
  }),
  ...inGroup('Limits', {
    COST_MAX_CALLS: {
      type: integer(1, 1_000_000),
      unit: 'calls',
      default: 120,
      description:
        'The maximum number of upstream calls of an operation, computed before execution and enforced during it.',
    },
    PAGE_SIZE_MAX: {
      type: integer(1, 10_000),
      unit: 'items',
      default: 100,
      description: 'The maximum `first` of a connection. Without `first` a page has 20 items, or this many if fewer.',
    },
    REQUEST_TIMEOUT_MS: {
      type: integer(1, 600_000),
      unit: 'milliseconds',
      default: 30_000,
      description: 'The deadline of one GraphQL request; reads unfinished by then fail with `UPSTREAM_TIMEOUT`.',
    },
    MAX_CONCURRENT_REQUESTS: {
      type: integer(1, 100_000),
      unit: 'requests',
      default: 128,
      description: 'The maximum number of requests in flight; others get a 503. One caller takes at most half.',
    },
    CALLER_REQUESTS_PER_MINUTE: {
      type: integer(1, 100_000_000),
      unit: 'requests',
      whenUnset: 'no limit',
      description:
        'The maximum number of requests per minute of one authenticated caller, to all replicas with `REDIS_URL`, else to this process; others get a 429.',
    },
    IDEMPOTENCY_KEEP_MS: {
      type: integer(600_000, 86_400_000),
      unit: 'milliseconds',
      default: 600_000,
      description:
        'How long the outcome of a change with an idempotency key is kept for its repeats. More than ten minutes need `REDIS_URL`.',
    },
  }),
  ...inGroup('Cache', {
    CACHE_CONTROL: {
      type: oneOf('off', 'private', 'public'),
      default: 'private',
      description:
        'Which HTTP caches may store responses to queries by GET: none, the caller’s, or shared ones too; `public` needs `IDENTITY=service` and `CALLER_AUTH=none`.',
    },
    CACHE_DEFINITIONS_MS: {
      type: integer(0, 86_400_000),
      unit: 'milliseconds',
      default: 60_000,
      description:
        'How long forms and rules are served from the cache. A changed definition is visible after this time at the latest.',
    },
    CACHE_INSTANCES_MS: {
      type: integer(0, 86_400_000),
      unit: 'milliseconds',
      default: 0,
      description:
        'The same for instances and their lists; a write through the gateway is visible at once. 0: every read is a conditional request.',
    },
    STALE_IF_ERROR_MS: {
      type: integer(0, 86_400_000),
      unit: 'milliseconds',
      default: 0,
      description:
        'The maximum age of a stale copy served when the platform does not respond, marked in `extensions.stale`. 0: the read fails.',
    },
    CACHE_MAX_BYTES: {
      type: integer(1_024, 68_719_476_736),
      unit: 'bytes',
      default: 16_777_216,
      description: 'The approximate memory limit of the cache; the least recently used entries are evicted first.',
    },
  }),
  ...inGroup('Persisted documents', {
    DOCUMENTS: {
      type: TEXT,
      unit: 'folder or file',
      description: 'Trusted documents: a folder of `.graphql` files and `.json` manifests, or one manifest.',
    },
    DOCUMENTS_MODE: {
      type: oneOf('off', 'log', 'enforce'),
      default: 'off',
      description:
        'What happens to other documents: `off` runs them, `log` runs and logs them, `enforce` rejects them.',
    },
  }),
};

/** The groups of a table, in its order. */
export const groupsOf = (table: SettingTable): readonly string[] => [
  ...new Set(Object.values(table).map(({ group }) => group)),
];

/** The values of a table of settings, by the names of the environment. */
type ValuesOf<Table extends SettingTable> = { readonly [Name in keyof Table]: ValueOf<Table[Name]> };
type ValueOf<S> = S extends { readonly type: infer T extends z.ZodType }
  ? z.output<T> | (S extends { readonly default: unknown } ? never : undefined)
  : never;

/** The values of the core's settings; those of features lie beside them. */
export type Settings = ValuesOf<typeof SETTINGS>;

/** Gives the values of a feature's own settings. */
export const valuesOf = <Table extends SettingTable>(settings: Settings, _table: Table): ValuesOf<Table> =>
  // All tables are read as one.
  settings as unknown as ValuesOf<Table>;
