import type { Settings } from '../settings/index.ts';
import { createDepot, type Depot } from '../store/depot.ts';
import type { Replicas } from '../store/replicas/index.ts';

/** Makes room for what the platform's answers tell, as the settings say, shared with the replicas where there are any. */
export function openDepot(settings: Settings, replicas: Replicas | undefined): Depot {
  const windows = {
    definitions: settings.FRESH_DEFINITIONS_MS,
    instances: settings.FRESH_INSTANCES_MS,
    lists: settings.FRESH_LISTS_MS,
    staleIfFailed: settings.STALE_IF_FAILED_MS,
  };
  return createDepot({
    windows,
    maxBytes: settings.STORE_MAX_BYTES,
    answersMaxBytes: settings.ANSWERS_MAX_BYTES,
    isSharingDefinitions: settings.SHARE_DEFINITIONS === 'on',
    ...(replicas && { invalidations: replicas.invalidations, secondLevel: replicas.secondLevel(windows) }),
  });
}
