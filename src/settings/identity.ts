import { choice, integer, optionalText, optionalUrl } from './setting.ts';

/** Who may ask, and who asks the platform. */
export const IDENTITY_SETTINGS = {
  IDENTITY: choice({
    words: ['service', 'user', 'forward'],
    fallback: 'service',
    about:
      'Who asks the platform. `service`: the gateway, with its own credentials; `user`: callers who sign in; `forward`: callers who bring the platform’s token.',
  }),
  CALLER_AUTH: choice({
    words: ['none', 'jwt', 'key'],
    fallback: undefined,
    about:
      'How callers are known in `service` mode. `none`: everybody may ask. Not set: `none`, but in production with a platform it must be said.',
  }),
  CALLER_JWKS_URL: optionalUrl({
    unit: 'URL',
    about: 'Where the issuer of callers’ tokens publishes its keys, with `CALLER_AUTH=jwt`.',
  }),
  CALLER_JWT_PUBLIC_KEY: optionalText({
    unit: 'PEM',
    isSecret: true,
    about: 'The issuer’s public key, instead of `CALLER_JWKS_URL`.',
  }),
  CALLER_JWT_ISSUER: optionalText({ unit: '', about: 'The `iss` that callers’ tokens must have. Not set: any.' }),
  CALLER_JWT_AUDIENCE: optionalText({ unit: '', about: 'The `aud` that callers’ tokens must have. Not set: any.' }),
  CALLER_KEYS: optionalText({
    unit: 'name:hash, …',
    isSecret: true,
    about:
      'Callers’ names and the SHA-256 of their API keys, with `CALLER_AUTH=key`. `npm run -s key -- NAME` makes one.',
  }),
  SESSION_KEYS: optionalText({
    unit: 'base64url of 32 bytes, …',
    isSecret: true,
    about:
      'The keys that encrypt sessions in `user` mode, and what replicas share through `REDIS_URL`, which needs them; equal on all replicas. The first encrypts, all decrypt. Not set: sessions end with the process, which production refuses.',
  }),
  SESSION_MAX_MS: integer({
    from: 1_000,
    to: 2_592_000_000,
    fallback: 28_800_000,
    unit: 'milliseconds',
    about: 'How long a session lasts where the platform does not say when its token ends.',
  }),
  SCOPES_MAX: integer({
    from: 1,
    to: 10_000_000,
    fallback: 10_000,
    unit: 'callers',
    about: 'How many callers’ scopes are kept in memory.',
  }),
  SCOPE_IDLE_MS: integer({
    from: 1_000,
    to: 86_400_000,
    fallback: 900_000,
    unit: 'milliseconds',
    about: 'How long a caller’s scope is kept while they do not ask.',
  }),
  CORS_ORIGINS: optionalText({
    unit: 'origin, …',
    about: 'Origins whose pages may ask, such as `https://app.example`. Not set: only pages of the gateway’s own.',
  }),
} as const;
