import { z } from 'zod';

import { inGroup } from '../../config/settings.ts';

const isRedisUrl = (address: string): boolean => URL.canParse(address) && /^rediss?:$/.test(new URL(address).protocol);

export const SETTINGS = inGroup('Cache', {
  REDIS_URL: {
    type: z.string().refine(isRedisUrl, {
      error: 'must be a redis or rediss address',
    }),
    unit: 'URL',
    isSecret: true,
    whenUnset: 'standalone, no shared state',
    description:
      'Redis (6 or later) or Valkey, shared by all replicas of one platform: `rediss://user:password@redis.example:6379/0`.',
  },
});
