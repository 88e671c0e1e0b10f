import type { Upstream } from '../upstream/index.ts';
import { createStore, type Store } from './index.ts';

/**
 * What one caller may see and do. Stores, tokens and calls in flight hang off it, so that nothing one caller was told
 * can reach another.
 */
export interface Scope {
  /** The upstream, authorized as this caller. */
  readonly upstream: Upstream;
  readonly store: Store;
}

/** Makes a caller's scope. */
export function createScope(upstream: Upstream): Scope {
  return { upstream, store: createStore(upstream) };
}
