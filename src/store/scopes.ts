import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';

import type { Scope } from './scope.ts';

/** Tells callers apart. Branded, so that no raw string can be one. */
export type ScopeKey = string & { readonly __brand: 'ScopeKey' };

/** Keeps the scopes of the callers who were here lately, so that one caller's requests share a store and a token. */
export interface Scopes {
  /** Gives the caller's scope, made by `open` when there is none. */
  get(key: ScopeKey, open: () => Scope): Scope;
  /** Ends the scope of a caller who has gone for good. */
  drop(key: ScopeKey): void;
}

interface ScopesOptions {
  /** How many callers are kept; the one who was away longest goes first. */
  readonly max: number;
  /** How long a caller may be away, in milliseconds. */
  readonly idleMs: number;
  /** A clock that never goes back, in milliseconds. */
  readonly now?: () => number;
}

/** How often those who were away for too long are looked for, while one may be away. */
const SWEEPS = 4;

/** Makes the register of scopes. A scope that is dropped takes all that hangs off it along. */
export function createScopes({ max, idleMs, now = () => performance.now() }: ScopesOptions): Scopes {
  const scopes = new LRUCache<ScopeKey, Scope>({
    max,
    ttl: idleMs,
    ttlResolution: 0,
    perf: { now },
    updateAgeOnGet: true,
    dispose({ store, answers }) {
      store.clear();
      answers.clear();
    },
  });
  let sweepAtMs = now() + idleMs / SWEEPS;
  // Who never comes back is forgotten as well, as soon as somebody else asks.
  const sweep = () => {
    if (now() < sweepAtMs) return;
    sweepAtMs = now() + idleMs / SWEEPS;
    scopes.purgeStale();
  };

  return {
    get(key, open) {
      sweep();
      const known = scopes.get(key);
      if (known !== undefined) return known;
      const scope = open();
      scopes.set(key, scope);
      return scope;
    },
    drop: (key) => void scopes.delete(key),
  };
}

/**
 * Makes a caller's key: a hash over the parts, each with its length before it, so that no two callers' parts can run
 * together. The parts themselves, a credential among them, cannot be read from it.
 */
export function scopeKey(...parts: readonly string[]): ScopeKey {
  const hash = createHash('sha256');
  for (const part of parts) {
    const bytes = Buffer.from(part);
    hash.update(`${bytes.length}:`).update(bytes);
  }
  return hash.digest('base64url') as ScopeKey;
}
