import { z } from 'zod';

import { inGroup } from '../../config/settings.ts';

/** The address of Redis behind Sentinels, for which ioredis has none: user and password, the Sentinels' hosts, and the name that they know Redis by. */
export const SENTINEL_URL = /^redis-sentinel:\/\/(?:([^:@/]*):([^:@/]*)@)?([^@/]+)\/([\w.-]+)$/;

const isRedisUrl = (address: string): boolean => URL.canParse(address) && /^rediss?:$/.test(new URL(address).protocol);

export const SETTINGS = inGroup('Cache', {
  REDIS_URL: {
    type: z.string().refine((address) => SENTINEL_URL.test(address) || isRedisUrl(address), {
      error: 'must be a redis, rediss or redis-sentinel address',
    }),
    unit: 'URL',
    isSecret: true,
    whenUnset: 'standalone, no shared state',
    description:
      'Redis (6 or later) or Valkey, shared by all replicas of one platform: `rediss://user:password@redis.example:6379/0`, or by Sentinel `redis-sentinel://user:password@one:26379,two:26379/name`.',
  },
});
