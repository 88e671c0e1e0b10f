import { createDepot, type Depot } from '../../../src/store/depot.ts';
import { createScope, type Scope } from '../../../src/store/scope.ts';
import { scopeKey } from '../../../src/store/scopes.ts';
import type { Upstream } from '../../../src/upstream/index.ts';

/** Makes a caller's scope, in a depot of its own unless another is given. */
export function openScope(upstream: Upstream, name = 'somebody', depot: Depot = createDepot()): Scope {
  return createScope({ key: scopeKey('test', name), upstream, depot });
}
