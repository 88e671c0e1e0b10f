import type { Upstream } from '../upstream/index.ts';
import { createStore, type Store } from './index.ts';
import { createRepeats, type Repeats } from './repeats.ts';

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

/** Makes a caller's scope. */
export function createScope(upstream: Upstream): Scope {
  return { upstream, store: createStore(upstream), repeats: createRepeats() };
}
