import type { Values } from './fleet.ts';
import { isObject, Refusal } from './wire.ts';

/** How values are written to the platform: their members alone, or a sequence of name and value. */
export type Written = 'flat' | 'sequence';

/**
 * Reads values in the one shape that the platform takes.
 *
 * @throws {Refusal} for any other.
 */
export function valuesIn(body: unknown, written: Written): Values {
  if (written === 'flat') {
    if (isObject(body)) return { ...body };
  } else if (Array.isArray(body) && body.every(isEntry)) {
    return Object.fromEntries(body.map(({ name, value }) => [name, value]));
  }
  throw new Refusal(400, 'VALUES_UNREADABLE', `Values are written ${written} here.`);
}

function isEntry(entry: unknown): entry is { readonly name: string; readonly value: unknown } {
  return isObject(entry) && typeof entry['name'] === 'string' && 'value' in entry && Object.keys(entry).length === 2;
}
