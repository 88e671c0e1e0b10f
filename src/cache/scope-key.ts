import { createHash } from 'node:crypto';

/** The key of one caller's data. Branded, so that no raw string can be used as one. */
export type ScopeKey = string & { readonly __brand: 'ScopeKey' };

/**
 * Returns a caller's key: a SHA-256 over the parts. Each part is preceded by its length, so that
 * different parts never give one key. The parts, a credential among them, cannot be read from it.
 */
export function scopeKey(...parts: readonly string[]): ScopeKey {
  const hash = createHash('sha256');
  for (const part of parts) {
    const bytes = Buffer.from(part);
    hash.update(`${bytes.length}:`).update(bytes);
  }
  return hash.digest('base64url') as ScopeKey;
}
