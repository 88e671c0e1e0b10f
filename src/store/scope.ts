import type { Upstream } from '../upstream/index.ts';
import { type Answers, createAnswers } from './answers.ts';
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
  /** Answers of this caller's queries that may serve again. */
  readonly answers: Answers;
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
  const store = createStore({ upstream, depot, key });
  return { upstream, store, answers: createAnswers({ store, depot }), repeats };
}
