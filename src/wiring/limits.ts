import type { Settings } from '../config/settings.ts';
import type { JsonLimits } from '../edge/json-limits.ts';

/** How much one request may hold. */
export interface RequestLimits {
  readonly json: JsonLimits;
  readonly operation: { readonly calls: number };
}

/** Reads the limits from the settings. */
export function toLimits(settings: Settings): RequestLimits {
  return {
    json: {
      depth: settings.JSON_DEPTH_MAX,
      keys: settings.JSON_KEYS_MAX,
      listItems: settings.LIST_ITEMS_MAX,
      stringLength: settings.STRING_MAX,
    },
    operation: { calls: settings.COST_MAX_CALLS },
  };
}
