import type { Settings } from '../settings/index.ts';
import { createDepot, type Depot } from '../store/depot.ts';

/** Makes room for what the platform's answers tell, as the settings say. */
export function openDepot(settings: Settings): Depot {
  return createDepot({
    windows: {
      definitions: settings.FRESH_DEFINITIONS_MS,
      instances: settings.FRESH_INSTANCES_MS,
      lists: settings.FRESH_LISTS_MS,
      staleIfFailed: settings.STALE_IF_FAILED_MS,
    },
    maxBytes: settings.STORE_MAX_BYTES,
    isSharingDefinitions: settings.SHARE_DEFINITIONS === 'on',
  });
}
