import { MAKE_KEY } from '../../config/setting-types.ts';
import { valuesOf } from '../../config/settings.ts';
import type { Feature } from '../../feature.ts';
import { SETTINGS } from './settings.ts';

/** State that replicas share through Redis or Valkey. */
export const replicas: Feature = {
  settings: SETTINGS,
  configure({ settings, sessionKeys: keys, report: reportProblem }) {
    const { REDIS_URL: url } = valuesOf(settings, SETTINGS);
    if (url === undefined) return undefined;
    if (settings.UPSTREAM_URL === undefined) {
      reportProblem('REDIS_URL', 'is for replicas in front of one platform; set UPSTREAM_URL, or unset this');
    }
    if (keys === undefined) reportProblem.missing('SESSION_KEYS', `is needed with REDIS_URL; ${MAKE_KEY}`);
    return (
      keys && {
        async share(parts) {
          // Loaded only where it is used.
          const { createReplicas } = await import('./replicas.ts');
          const shared = createReplicas({ ...parts, url, keys });
          parts.defer(shared.close);
          return shared;
        },
      }
    );
  },
};
