import { z } from 'zod';

import { MAKE_KEY } from '../../config/setting-types.ts';
import { valuesOf } from '../../config/settings.ts';
import type { Feature } from '../feature.ts';

const SETTINGS = z
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

/** Shares state between replicas through Redis or Valkey. */
export const replicas: Feature = {
  settings: SETTINGS,
  configure({ settings, sessionKeys: keys, report: reportProblem }) {
    const { REDIS_URL: url } = valuesOf(settings, SETTINGS);
    if (url === undefined) return undefined;
    if (settings.UPSTREAM_URL === undefined) {
      reportProblem(
        'REDIS_URL',
        'is for replicas in front of one platform; set UPSTREAM_URL, or unset this',
      );
    }
    if (keys === undefined)
      reportProblem.missing('SESSION_KEYS', `is needed with REDIS_URL; ${MAKE_KEY}`);
    return (
      keys && {
        async share(parts) {
          // The import is slow, so it runs only in gateways that use the feature.
          const { createReplicas } = await import('./replicas.ts');
          const shared = createReplicas({ ...parts, url, keys });
          parts.defer(shared.close);
          return shared;
        },
      }
    );
  },
};
