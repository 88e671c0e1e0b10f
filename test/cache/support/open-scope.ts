import { createIdempotencyStore } from '../../../src/cache/idempotency.ts';
import { createScope, type Scope } from '../../../src/cache/scope.ts';
import { scopeKey } from '../../../src/cache/scope-key.ts';
import { CacheStore } from '../../../src/cache/store.ts';
import type { Upstream } from '../../../src/upstream/index.ts';

/** Creates the scope of a caller, in a new store unless one is passed. */
export function openScope(upstream: Upstream, store: CacheStore = new CacheStore()): Scope {
  const idempotency = createIdempotencyStore().forCaller(scopeKey('test'));
  return createScope({ caller: 'none', upstream, store, idempotency });
}
