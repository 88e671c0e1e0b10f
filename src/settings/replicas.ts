import { integer, optionalRedisUrl, optionalText } from './setting.ts';

/** What replicas share. */
export const REPLICA_SETTINGS = {
  REDIS_URL: optionalRedisUrl({
    unit: 'URL',
    isSecret: true,
    about:
      'A Redis (6 or later) or Valkey that all replicas in front of one platform share, such as `rediss://user:password@redis.example:6379/0`. Not set: each replica is alone.',
  }),
  REDIS_TIMEOUT_MS: integer({
    from: 1,
    to: 10_000,
    fallback: 50,
    unit: 'milliseconds',
    about: 'How long a replica waits for an answer of Redis before it goes on by itself.',
  }),
  STORE_KEYS: optionalText({
    unit: 'base64url of 32 bytes, …',
    isSecret: true,
    about:
      'The keys that seal what lies in Redis, equal on all replicas; the first seals, all open. Needed with `REDIS_URL`.',
  }),
} as const;
