import { type CacheStore, createCacheStore } from '../cache/cache.ts';
import type { Settings } from '../config/settings.ts';

/** Makes room for what the platform's answers tell, as the settings say. */
export function openCache(settings: Settings): CacheStore {
  return createCacheStore({
    definitionsMs: settings.CACHE_DEFINITIONS_MS,
    instancesMs: settings.CACHE_INSTANCES_MS,
    staleIfErrorMs: settings.STALE_IF_ERROR_MS,
    maxBytes: settings.CACHE_MAX_BYTES,
  });
}
