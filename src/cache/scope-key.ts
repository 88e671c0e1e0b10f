import { createHash } from 'node:crypto';

/** The key of one caller's data. Branded, so that a plain string cannot be used as a key. */
export type ScopeKey = string & { readonly __brand: 'ScopeKey' };

/**
 * Returns a caller's key: a SHA-256 over the parts with their lengths, so that different parts have
 * different keys. Credentials in the parts cannot be read from the key.
 */
export function scopeKey(...parts: readonly string[]): ScopeKey {
  const hash = createHash('sha256');
  for (const part of parts) {
    const bytes = Buffer.from(part);
    hash.update(`${bytes.length}:`).update(bytes);
  }
  return hash.digest('base64url') as ScopeKey;
}
