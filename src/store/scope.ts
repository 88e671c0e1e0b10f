import type { Upstream } from '../upstream/index.ts';
import type { Depot } from './depot.ts';
import { createStore, type Store } from './index.ts';
import { createRepeats, type Repeats } from './repeats.ts';
import type { ScopeKey } from './scopes.ts';

/**
 * What one caller may see and do. Stores, tokens and calls in flight hang off it, so that nothing one caller was told
 * can reach another.
 */
export interface Scope {
  /** The upstream, authorized as this caller. */
  readonly upstream: Upstream;
  readonly store: Store;
  /** The changes that this caller may ask for a second time. */
  readonly repeats: Repeats;
}

interface ScopeOptions {
  /** Names the caller, in every process alike. */
  readonly key: ScopeKey;
  readonly upstream: Upstream;
  /** Where all scopes of the process keep what they know. */
  readonly depot: Depot;
  /** What the caller changed with other credentials, where they are known by more than that. */
  readonly repeats?: Repeats;
}

/** Makes a caller's scope. */
export function createScope({ key, upstream, depot, repeats = createRepeats() }: ScopeOptions): Scope {
  return { upstream, store: createStore({ upstream, depot, key }), repeats };
}
