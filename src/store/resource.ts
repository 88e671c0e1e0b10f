import type { Upstream } from '../upstream/index.ts';

/** The key of a resource: what one safe upstream call returns. Branded, so that no raw string can be one. */
export type ResourceKey = string & { readonly __brand: 'ResourceKey' };

/** The reads of the upstream, one for each safe operation. */
export interface Reads {
  readonly form: Upstream['forms']['read'];
  readonly forms: Upstream['forms']['list'];
  readonly instance: Upstream['instances']['read'];
  readonly instances: Upstream['instances']['list'];
  readonly rule: Upstream['rules']['read'];
}

/** One resource: the operation that reads it, and its key. */
export interface Resource {
  /** As the interface spells it. */
  readonly operation: string;
  readonly key: ResourceKey;
}

/** Names a resource by its operation and arguments: as a tuple, so that no two argument lists can read the same. */
export function resource(operation: string, ...args: readonly unknown[]): Resource {
  return { operation, key: JSON.stringify([operation, ...args]) as ResourceKey };
}
