import { optionalRedisUrl } from './setting.ts';

/** What replicas share. */
export const REPLICA_SETTINGS = {
  REDIS_URL: optionalRedisUrl({
    unit: 'URL',
    isSecret: true,
    about:
      'A Redis (6 or later) or Valkey that all replicas in front of one platform share, such as `rediss://user:password@redis.example:6379/0`. Not set: each replica is alone.',
  }),
} as const;
