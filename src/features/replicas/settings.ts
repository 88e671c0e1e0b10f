import { z } from 'zod';

export const SETTINGS = z
  .object({
    REDIS_URL: z
      .url({ protocol: /^rediss?$/, error: 'must be a redis or rediss address' })
      .optional()
      .meta({
        unit: 'URL',
        isSecret: true,
        whenUnset: 'standalone, no shared state',
        description:
          'Redis (6 or later) or Valkey, shared by all replicas of one platform: `rediss://user:password@redis.example:6379/0`.',
      }),
  })
  .meta({ title: 'Replicas' });
