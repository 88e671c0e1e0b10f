import { storage } from './storage.ts';

const KEY = 'filled';
/** Enough for tabs that were stored a few runs ago. */
const KEPT = 50;

/** A sample's variable with a value, as one text. */
export type Filling = `${string}.${string}=${string}`;

/**
 * Whether a variable is ours to fill in: it is empty, or holds what an earlier run put there. What the reader typed
 * is never replaced.
 */
export function isOurs(sample: string, variable: string, value: unknown): boolean {
  if (value === undefined || value === null || value === '') return true;
  return remembered().includes(`${sample}.${variable}=${value}`);
}

/** Remembers, beyond a reload of the page, that these values are not the reader's own. */
export function remember(fillings: readonly Filling[]): void {
  storage.setItem(KEY, JSON.stringify([...remembered(), ...fillings].slice(-KEPT)));
}

function remembered(): readonly unknown[] {
  try {
    const stored: unknown = JSON.parse(storage.getItem(KEY) ?? '[]');
    return Array.isArray(stored) ? stored : [];
  } catch {
    return [];
  }
}
