import { z } from 'zod';

import { inGroup } from '../../config/settings.ts';

export const SETTINGS = inGroup('Cache', {
  REDIS_URL: {
    type: z.url({ protocol: /^rediss?$/, error: 'must be a redis or rediss address' }),
    unit: 'URL',
    isSecret: true,
    whenUnset: 'standalone, no shared state',
    description:
      'Redis (6 or later) or Valkey, shared by all replicas of one platform: `rediss://user:password@redis.example:6379/0`.',
  },
});
