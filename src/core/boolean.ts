import type { Json } from './json.ts';

/** Reads `true`, 1, `"1"`, `"TRUE"` and their opposites. Returns `undefined` for any other value. */
export function readBoolean(value: Json | undefined): boolean | undefined {
  if (typeof value === 'boolean') return value;
  if (typeof value !== 'string' && typeof value !== 'number') return undefined;

  const word = String(value).toLowerCase();
  if (word === 'true' || word === '1') return true;
  return word === 'false' || word === '0' ? false : undefined;
}
