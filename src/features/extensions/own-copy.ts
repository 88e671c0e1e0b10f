import type { Json, JsonObject } from '../../core/json.ts';

/**
 * Returns a deep copy that shares no object with the original. Copied objects have no prototype.
 */
export function copyJson(value: Json): Json {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(copyJson);
  const copy: Record<string, Json> = Object.create(null);
  for (const name in value) copy[name] = copyJson((value as JsonObject)[name] as Json);
  return copy;
}
