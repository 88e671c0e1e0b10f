import { z } from 'zod';

import {
  httpUrl,
  integer,
  JWKS_URL,
  ON_OFF,
  oneOf,
  PORT_NUMBER,
  PROXY_URL,
  TEXT,
} from './setting-types.ts';

const GATEWAY = z
  .object({
    PORT: PORT_NUMBER.default(4000).meta({
      unit: 'TCP port',
      description: 'The port the gateway listens on; 0 is any free port.',
    }),
    HOST: TEXT.default('127.0.0.1').meta({
      unit: 'address',
      description: 'The address to listen on; `0.0.0.0` is every address.',
    }),
    METRICS_PORT: PORT_NUMBER.optional().meta({
      unit: 'TCP port',
      whenUnset: 'no metrics',
      description:
        'The port of Prometheus metrics (`/metrics`), state (`/status`) and health on `HOST`; 0 is any free port.',
    }),
    NODE_ENV: TEXT.default('development').meta({
      description:
        '`production` turns `PLAYGROUND` and the sandbox off unless they are set, and requires `CALLER_AUTH`.',
    }),
    LOG_LEVEL: oneOf('silent', 'fatal', 'error', 'warn', 'info', 'debug').default('info').meta({
      description:
        'The least severe level of the log. With `debug` the lines of operations have the person as `subject`: a user name, or the `sub` of a token.',
    }),
    PLAYGROUND: ON_OFF.optional().meta({
      whenUnset: 'on, but off in production',
      description:
        'Serves `/playground`, shows the schema by introspection, and passes on GraphQL’s own error messages with values and suggestions.',
    }),
    CORS_ORIGINS: TEXT.optional().meta({
      unit: 'origins, comma-separated',
      whenUnset: 'same origin only; in development pages on this machine as well',
      description: 'Origins whose pages may call the gateway, for example `https://app.example`.',
    }),
    TRUSTED_PROXIES: TEXT.optional().meta({
      unit: 'addresses or subnets, comma-separated',
      whenUnset: 'this machine',
      description:
        'The proxies whose `x-request-id` and `x-forwarded-…` are accepted, for example `10.0.3.7, 10.1.0.0/16`.',
    }),
  })
  .meta({ title: 'Gateway' });

const PLATFORM = z
  .object({
    UPSTREAM_URL: httpUrl().optional().meta({
      unit: 'URL',
      whenUnset: 'the sandbox',
      description: 'The platform’s `{base_url}`, without `/v1.0`.',
    }),
    UPSTREAM_AUTH: oneOf('basic', 'credentials').default('basic').meta({
      description:
        'How calls are authorized: `basic` is the interface’s variant B, `credentials` its variant A.',
    }),
    UPSTREAM_USERNAME: TEXT.optional().meta({
      description: 'The user name.',
    }),
    UPSTREAM_PASSWORD: TEXT.optional().meta({
      isSecret: true,
      description: 'The password.',
    }),
    UPSTREAM_CREDENTIALS: TEXT.optional().meta({
      unit: 'JSON object',
      isSecret: true,
      description: 'The whole body of `getToken` in variant A, instead of user name and password.',
    }),
    UPSTREAM_DIALECT: TEXT.optional().meta({
      unit: 'JSON file',
      whenUnset: 'the sandbox’s dialect',
      description: 'The differences of the platform from the defaults.',
    }),
    UPSTREAM_TIMEOUT_MS: integer(1, 600_000).default(10_000).meta({
      unit: 'milliseconds',
      description:
        'The deadline of one call to the platform, with queueing, token and retry. A GraphQL request has three times as long.',
    }),
    UPSTREAM_CALLS_PER_MINUTE: integer(6, 100_000_000).optional().meta({
      unit: 'calls',
      whenUnset: 'no limit',
      description:
        'The call budget of a minute: the most calls to the platform, token requests included. All replicas share it with `REDIS_URL`. Calls above it fail with `RATE_LIMITED`.',
    }),
    UPSTREAM_CALLS_PER_HOUR: integer(100, 1_000_000_000).optional().meta({
      unit: 'calls',
      whenUnset: 'no limit',
      description: 'The call budget of an hour, alone or together with the other.',
    }),
    UPSTREAM_PROXY: PROXY_URL.optional().meta({
      unit: 'URL',
      isSecret: true,
      whenUnset: 'direct connections',
      description:
        'The HTTP proxy (CONNECT) to platform and token issuer, for example `http://user:password@proxy.example:3128`.',
    }),
    UPSTREAM_CA_FILE: TEXT.optional().meta({
      unit: 'PEM file',
      whenUnset: 'Node’s and `NODE_EXTRA_CA_CERTS`',
      description:
        'Certificate authorities of platform and token issuer, in addition to the default ones.',
    }),
    UPSTREAM_CERT_FILE: TEXT.optional().meta({
      unit: 'PEM file',
      description:
        'The client certificate for the origin of `UPSTREAM_URL`, its chain, and its key without passphrase.',
    }),
    UPSTREAM_HEADERS_FILE: TEXT.optional().meta({
      unit: 'JSON file',
      description:
        'Headers of every request to the origin of `UPSTREAM_URL`, for example the key of an API manager: `{ "x-api-key": "…" }`.',
    }),
  })
  .meta({ title: 'Platform' });

const CALLERS = z
  .object({
    IDENTITY: oneOf('service', 'user', 'forward').default('service').meta({
      description:
        'The credentials for calls to the platform. `service`: the gateway’s own; `user`: callers sign in; `forward`: callers send the platform’s token.',
    }),
    CALLER_AUTH: oneOf('none', 'jwt', 'key').optional().meta({
      whenUnset: '`none`; required in production with a platform',
      description: 'The authentication of callers with `IDENTITY=service`.',
    }),
    CALLER_JWKS_URL: JWKS_URL.optional().meta({
      unit: 'URL',
      description:
        'The JSON Web Key Set of the tokens’ issuer, or the set itself as `data:application/json,{"keys":[…]}`.',
    }),
    CALLER_JWT_ISSUER: TEXT.optional().meta({
      whenUnset: 'any',
      description: 'The `iss` that callers’ tokens must have.',
    }),
    CALLER_JWT_AUDIENCE: TEXT.optional().meta({
      whenUnset: 'any',
      description: 'The `aud` that callers’ tokens must have.',
    }),
    CALLER_KEYS: TEXT.optional().meta({
      unit: 'name:hash, comma-separated',
      isSecret: true,
      description:
        'Callers’ names and the SHA-256 of their API keys, with `CALLER_AUTH=key`. The command `key NAME` generates an entry; the word `none` refuses all callers.',
    }),
    SESSION_KEYS: TEXT.optional().meta({
      unit: 'base64 of 32 bytes, comma-separated',
      isSecret: true,
      whenUnset:
        'sessions end with the process; required with `REDIS_URL`, and in production with `IDENTITY=user`',
      description:
        'The keys that encrypt sessions with `IDENTITY=user`, and data in Redis; equal on all replicas. The first encrypts, all decrypt.',
    }),
  })
  .meta({ title: 'Callers' });

const LIMITS = z
  .object({
    COST_MAX_CALLS: integer(1, 1_000_000).default(120).meta({
      unit: 'calls',
      description: 'The maximum number of upstream calls of an operation.',
    }),
    CALLER_REQUESTS_PER_MINUTE: integer(1, 100_000_000).optional().meta({
      unit: 'requests',
      whenUnset: 'no limit',
      description:
        'The maximum number of requests per minute of one authenticated caller; further ones get a 429.',
    }),
    IDEMPOTENCY_KEEP_MS: integer(600_000, 86_400_000).default(600_000).meta({
      unit: 'milliseconds',
      description:
        'How long the outcome of an idempotency key is kept. More than ten minutes need `REDIS_URL`.',
    }),
  })
  .meta({ title: 'Limits' });

const CACHE = z
  .object({
    CACHE_DEFINITIONS_MS: integer(0, 86_400_000).default(60_000).meta({
      unit: 'milliseconds',
      description: 'How long forms and rules are served from the cache.',
    }),
    CACHE_INSTANCES_MS: integer(0, 86_400_000).default(0).meta({
      unit: 'milliseconds',
      description: 'The same for instances and lists. 0: every read is a conditional request.',
    }),
    STALE_IF_ERROR_MS: integer(0, 86_400_000).default(0).meta({
      unit: 'milliseconds',
      description:
        'The maximum age of a stale copy served when the platform does not respond, marked in `extensions.stale`. 0: the read fails.',
    }),
  })
  .meta({ title: 'Cache' });

const DOCUMENTS = z
  .object({
    DOCUMENTS: TEXT.optional().meta({
      unit: 'folder or file',
      description:
        'Trusted documents: a folder of `.graphql` files and `.json` manifests, or one manifest.',
    }),
    DOCUMENTS_MODE: oneOf('off', 'log', 'enforce').default('off').meta({
      description:
        'Other documents: `off` runs them, `log` runs and logs them, `enforce` rejects them.',
    }),
  })
  .meta({ title: 'Persisted documents' });

/** The core's settings in the order of the documentation. */
export const CORE_SETTINGS = [GATEWAY, PLATFORM, CALLERS, LIMITS, CACHE, DOCUMENTS] as const;

/** The values of the core's settings by name. Settings of features are in the same object. */
export type Settings = Readonly<
  z.output<typeof GATEWAY> &
    z.output<typeof PLATFORM> &
    z.output<typeof CALLERS> &
    z.output<typeof LIMITS> &
    z.output<typeof CACHE> &
    z.output<typeof DOCUMENTS>
>;

/** Returns the values of a feature's settings. */
export const valuesOf = <Own extends z.ZodObject>(
  settings: Partial<Settings>,
  _own: Own,
): Readonly<z.output<Own>> =>
  // All settings are read as one object.
  settings as unknown as z.output<Own>;
