import { z } from 'zod';

/** One setting of the environment. */
export interface Setting {
  readonly group: Group;
  /** Reads the value from its text. */
  readonly type: z.ZodType<unknown, string>;
  /** The unit of the value, or the words that it is one of. */
  readonly unit: string;
  /** The value when the environment has none; absent where there may be no value. */
  readonly default?: string | number;
  /** What happens without a value, where that is no fixed value. */
  readonly whenUnset?: string;
  /** For the person who sets it. */
  readonly description: string;
  /** A secret is never printed, and may also be in the file that `NAME_FILE` names. */
  readonly isSecret?: boolean;
}

export const GROUPS = [
  'Gateway',
  'Platform',
  'Callers',
  'Limits',
  'Persisted documents',
  'Typed graph',
  'Extensions',
  'Cache',
  'Sandbox',
] as const;
type Group = (typeof GROUPS)[number];

/** An integer within bounds, both included. */
function integer(from: number, to: number) {
  const error = `must be an integer from ${from} to ${to}`;
  return z
    .string()
    .regex(/^-?\d+$/, { error, abort: true })
    .transform(Number)
    .pipe(z.number().min(from, { error }).max(to, { error }));
}

const oneOf = <const W extends readonly string[]>(...words: W) =>
  z.enum(words, { error: `must be one of ${words.join(', ')}` });

/** An http or https address without credentials, fragment and closing slash. */
function httpUrl() {
  const error = 'must be an http or https address';
  return z
    .string()
    .refine((address) => /^[a-z][a-z\d+.-]*:\/\//i.test(address), {
      error: 'has no scheme: put https:// (or http://) before it',
      abort: true,
    })
    .refine((address) => URL.canParse(address) && /^https?:/i.test(address), { error, abort: true })
    .refine((address) => new URL(address).username === '', { error: 'must not hold credentials; they have settings' })
    .refine((address) => new URL(address).hash === '', { error: 'must not have a fragment' })
    .transform((address) => address.replace(/\/+$/, ''));
}

const PORT_NUMBER = integer(0, 65_535);
const TEXT = z.string();
const ON_OFF = oneOf('on', 'off');

/** Every documented setting, by its name in the environment. */
export const SETTINGS = {
  PORT: {
    group: 'Gateway',
    type: PORT_NUMBER,
    unit: 'TCP port',
    default: 4000,
    description: 'Where the gateway listens; 0 takes any free port.',
  },
  HOST: {
    group: 'Gateway',
    type: TEXT,
    unit: 'address',
    default: '127.0.0.1',
    description: 'The address to listen at; `0.0.0.0` is every one.',
  },
  METRICS_PORT: {
    group: 'Gateway',
    type: PORT_NUMBER,
    unit: 'TCP port',
    whenUnset: 'no metrics',
    description:
      'Where Prometheus metrics are served, at `/metrics` on `HOST`, and a page for operators at `/status`; 0 takes any free port.',
  },
  NODE_ENV: {
    group: 'Gateway',
    type: TEXT,
    unit: '',
    default: 'development',
    description: '`production` turns `PLAYGROUND` and `SANDBOX` off unless they are set, and requires `CALLER_AUTH`.',
  },
  LOG_LEVEL: {
    group: 'Gateway',
    type: oneOf('silent', 'fatal', 'error', 'warn', 'info', 'debug'),
    unit: 'silent, fatal, error, warn, info, debug',
    default: 'info',
    description: 'The least severe level that is logged. JSON lines, readable ones on a terminal.',
  },
  PLAYGROUND: {
    group: 'Gateway',
    type: ON_OFF,
    unit: 'on, off',
    whenUnset: 'on, but off in production',
    description:
      'Whether `/playground` is served, introspection shows the schema, and GraphQL’s own error messages come through with the values and hints in them.',
  },
  CORS_ORIGINS: {
    group: 'Gateway',
    type: TEXT,
    unit: 'origins, comma-separated',
    whenUnset: 'same origin only; in development pages on this machine as well',
    description: 'Origins whose pages may call the gateway, such as `https://app.example`.',
  },
  HOSTS: {
    group: 'Gateway',
    type: TEXT,
    unit: 'hosts, comma-separated',
    whenUnset: 'any, but on a loopback `HOST` only loopback names',
    description: 'The hosts that requests may name in `Host`, such as `api.example`.',
  },
  SHUTDOWN_TIMEOUT_MS: {
    group: 'Gateway',
    type: integer(0, 3_600_000),
    unit: 'milliseconds',
    default: 25_000,
    description:
      'When a gateway that was told to stop aborts what is still in flight. In production it serves on for a fifth of that, five seconds at most, so that balancers notice.',
  },

  UPSTREAM_URL: {
    group: 'Platform',
    type: httpUrl(),
    unit: 'URL',
    whenUnset: 'the sandbox',
    description: 'The platform’s `{base_url}`, without `/v1.0`.',
  },
  UPSTREAM_AUTH: {
    group: 'Platform',
    type: oneOf('basic', 'credentials'),
    unit: 'basic, credentials',
    default: 'basic',
    description: 'How calls are authorized: `basic` is the interface’s variant B, `credentials` its variant A.',
  },
  UPSTREAM_USERNAME: {
    group: 'Platform',
    type: TEXT,
    unit: '',
    description: 'The user name of the Basic pair, or in the credentials.',
  },
  UPSTREAM_PASSWORD: {
    group: 'Platform',
    type: TEXT,
    unit: '',
    isSecret: true,
    description: 'The password of the Basic pair, or in the credentials.',
  },
  UPSTREAM_CREDENTIALS: {
    group: 'Platform',
    type: TEXT,
    unit: 'JSON object',
    isSecret: true,
    description: 'The whole body of `getToken` in variant A, instead of user name and password.',
  },
  UPSTREAM_TOKEN_URL: {
    group: 'Platform',
    type: httpUrl(),
    unit: 'URL',
    whenUnset: '`{base_url}/v1.0/token`',
    description: 'Where tokens are issued.',
  },
  UPSTREAM_GRANT_TYPE: {
    group: 'Platform',
    type: TEXT,
    unit: '',
    default: 'client_credentials',
    description: 'The `grant_type` of variant B.',
  },
  UPSTREAM_DIALECT: {
    group: 'Platform',
    type: TEXT,
    unit: 'JSON file',
    whenUnset: 'the sandbox’s dialect',
    description: 'How the platform fills in what the interface leaves open.',
  },
  UPSTREAM_TIMEOUT_MS: {
    group: 'Platform',
    type: integer(1, 600_000),
    unit: 'milliseconds',
    default: 10_000,
    description: 'The deadline of one call to the platform, queueing, token and retry included.',
  },
  UPSTREAM_CALLS_PER_MINUTE: {
    group: 'Platform',
    type: integer(6, 100_000_000),
    unit: 'calls',
    whenUnset: 'no limit',
    description:
      'The call budget, token requests included; shared by all replicas with `REDIS_URL`. Each ten seconds have a sixth of it: 80 % for reads, 10 % for changes, which may use those as well, and 10 % for sign-ins; one caller has at most half. Calls above it fail with `RATE_LIMITED`.',
  },

  IDENTITY: {
    group: 'Callers',
    type: oneOf('service', 'user', 'forward'),
    unit: 'service, user, forward',
    default: 'service',
    description:
      'The credentials for calls to the platform. `service`: the gateway’s own; `user`: callers sign in; `forward`: callers send the platform’s token.',
  },
  CALLER_AUTH: {
    group: 'Callers',
    type: oneOf('none', 'jwt', 'key'),
    unit: 'none, jwt, key',
    whenUnset: 'none; required in production with a platform',
    description: 'How callers are authenticated with `IDENTITY=service`. `none`: not at all.',
  },
  CALLER_JWKS_URL: {
    group: 'Callers',
    type: httpUrl(),
    unit: 'URL',
    description: 'The JSON Web Key Set of the issuer of callers’ tokens, with `CALLER_AUTH=jwt`.',
  },
  CALLER_JWT_PUBLIC_KEY: {
    group: 'Callers',
    type: TEXT,
    unit: 'PEM',
    isSecret: true,
    description: 'The issuer’s public key, instead of `CALLER_JWKS_URL`.',
  },
  CALLER_JWT_ISSUER: {
    group: 'Callers',
    type: TEXT,
    unit: '',
    whenUnset: 'any',
    description: 'The `iss` that callers’ tokens must have.',
  },
  CALLER_JWT_AUDIENCE: {
    group: 'Callers',
    type: TEXT,
    unit: '',
    whenUnset: 'any',
    description: 'The `aud` that callers’ tokens must have.',
  },
  CALLER_KEYS: {
    group: 'Callers',
    type: TEXT,
    unit: 'name:hash, comma-separated',
    isSecret: true,
    description:
      'Callers’ names and the SHA-256 of their API keys, with `CALLER_AUTH=key`. The command `key NAME` makes one.',
  },
  SESSION_KEYS: {
    group: 'Callers',
    type: TEXT,
    unit: 'base64 of 32 bytes, comma-separated',
    isSecret: true,
    whenUnset: 'sessions end with the process; required with `REDIS_URL`, and in production with `IDENTITY=user`',
    description:
      'The keys that encrypt sessions with `IDENTITY=user`, and what replicas share through `REDIS_URL`, which needs them; equal on all replicas. The first encrypts, all decrypt.',
  },

  COST_MAX_CALLS: {
    group: 'Limits',
    type: integer(1, 1_000_000),
    unit: 'calls',
    default: 120,
    description:
      'The most upstream calls that an operation may cost, computed before the first one and held while it runs.',
  },
  PAGE_SIZE_MAX: {
    group: 'Limits',
    type: integer(1, 10_000),
    unit: 'items',
    default: 100,
    description: 'The largest `first` of a connection. Without `first` a page has 20 items, or as many as this allows.',
  },
  REQUEST_TIMEOUT_MS: {
    group: 'Limits',
    type: integer(1, 600_000),
    unit: 'milliseconds',
    default: 30_000,
    description: 'The deadline of one GraphQL request; reads that are not finished by then are `UPSTREAM_TIMEOUT`.',
  },
  MAX_CONCURRENT_REQUESTS: {
    group: 'Limits',
    type: integer(1, 100_000),
    unit: 'requests',
    default: 128,
    description: 'How many requests are in flight at most, and fewer while the event loop is late; others get a 503.',
  },
  CALLER_REQUESTS_PER_MINUTE: {
    group: 'Limits',
    type: integer(1, 100_000_000),
    unit: 'requests',
    whenUnset: 'no limit',
    description: 'How many requests one authenticated caller may send a minute to each replica; others get a 429.',
  },

  CACHE_CONTROL: {
    group: 'Cache',
    type: oneOf('off', 'private', 'public'),
    unit: 'off, private, public',
    default: 'private',
    description:
      'Which HTTP caches may store the answers of queries by GET: none, the caller’s, or shared ones too; `public` needs `IDENTITY=service` and `CALLER_AUTH=none`.',
  },
  DOCUMENTS: {
    group: 'Persisted documents',
    type: TEXT,
    unit: 'folder or file',
    description: 'Trusted documents: a folder of `.graphql` files and `.json` manifests, or one manifest.',
  },
  DOCUMENTS_MODE: {
    group: 'Persisted documents',
    type: oneOf('off', 'log', 'enforce'),
    unit: 'off, log, enforce',
    default: 'off',
    description: 'What happens to other documents: `off` runs them, `log` runs and logs them, `enforce` refuses them.',
  },

  TYPED_FORMS: {
    group: 'Typed graph',
    type: TEXT,
    unit: 'form ids, comma-separated',
    whenUnset: 'all that the gateway can read',
    description:
      'The forms that get GraphQL types of their own; `*` stands for any characters, `!` before an id leaves it out, `none` alone is none.',
  },
  TYPED_RULES: {
    group: 'Typed graph',
    type: TEXT,
    unit: 'component@version, comma-separated',
    description: 'Rules that get mutations of their own, made of their input parameters, such as `approval-level@1.0`.',
  },
  TYPED_ALIASES: {
    group: 'Typed graph',
    type: TEXT,
    unit: 'JSON file',
    description: 'Names for types and fields, by form, instead of those derived from ids.',
  },
  TYPED_SNAPSHOT: {
    group: 'Typed graph',
    type: TEXT,
    unit: 'JSON file',
    description: 'Where form definitions are saved, so that the gateway can start while the platform is down.',
  },

  EXTENSIONS: {
    group: 'Extensions',
    type: TEXT,
    unit: 'module or folder',
    whenUnset: 'the platform’s graph alone',
    description:
      'A TypeScript or JavaScript module with fields, types and resolvers of your own, or a folder of such modules.',
  },

  CACHE_DEFINITIONS_MS: {
    group: 'Cache',
    type: integer(0, 86_400_000),
    unit: 'milliseconds',
    default: 60_000,
    description:
      'How long forms and rules are served from the cache. A changed definition is seen after this time at the latest.',
  },
  CACHE_INSTANCES_MS: {
    group: 'Cache',
    type: integer(0, 86_400_000),
    unit: 'milliseconds',
    default: 0,
    description:
      'The same for instances and their lists; a change through the gateway is seen at once. 0: every read is a conditional request.',
  },
  STALE_IF_ERROR_MS: {
    group: 'Cache',
    type: integer(0, 86_400_000),
    unit: 'milliseconds',
    default: 0,
    description:
      'How old a copy may be that is served when the platform does not answer; `extensions.stale` says so. 0: such a read fails.',
  },
  CACHE_MAX_BYTES: {
    group: 'Cache',
    type: integer(1_024, 68_719_476_736),
    unit: 'bytes',
    default: 67_108_864,
    description: 'About how much memory the cache may take; the least recently used goes first.',
  },
  REDIS_URL: {
    group: 'Cache',
    type: z.url({ protocol: /^rediss?$/, error: 'must be a redis or rediss address' }),
    unit: 'URL',
    isSecret: true,
    whenUnset: 'nothing is shared',
    description:
      'Redis (6 or later) or Valkey, shared by all replicas in front of one platform: `rediss://user:password@redis.example:6379/0`.',
  },

  SANDBOX: {
    group: 'Sandbox',
    type: ON_OFF,
    unit: 'on, off',
    whenUnset: 'on without `UPSTREAM_URL`, but off in production',
    description: 'Whether the embedded platform is started and used instead of `UPSTREAM_URL`.',
  },
  SANDBOX_PORT: {
    group: 'Sandbox',
    type: PORT_NUMBER,
    unit: 'TCP port',
    default: 4001,
    description: 'Where the sandbox listens, at the loopback address; 0 takes any free port.',
  },
  SANDBOX_FILE: {
    group: 'Sandbox',
    type: TEXT,
    unit: 'file',
    default: 'data/sandbox.sqlite',
    description: 'Where the sandbox stores its data; `:memory:` stores none.',
  },
  SANDBOX_DEFINITIONS: {
    group: 'Sandbox',
    type: TEXT,
    unit: 'folder',
    whenUnset: 'the samples',
    description: 'Your own forms, processes, rules and users.',
  },
  SANDBOX_REQUEST_LIMIT: {
    group: 'Sandbox',
    type: integer(0, 1_000_000_000),
    unit: 'requests per minute and user',
    default: 6_000,
    description: 'The sandbox’s request limit; 0 is none.',
  },
} as const satisfies Readonly<Record<string, Setting>>;

/** The settings' values, by the names of the environment. */
export type Settings = { readonly [Name in keyof typeof SETTINGS]: ValueOf<(typeof SETTINGS)[Name]> };
type ValueOf<S> = S extends { readonly type: infer T extends z.ZodType }
  ? z.output<T> | (S extends { readonly default: unknown } ? never : undefined)
  : never;
