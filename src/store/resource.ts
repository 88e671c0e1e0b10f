import type { Upstream } from '../upstream/index.ts';

/** Names a resource: what one safe upstream call returns. Branded, so that no raw string can be a key. */
export type ResourceKey = string & { readonly __brand: 'ResourceKey' };

/** The reads of the upstream, one for each safe operation. */
export interface Reads {
  readonly form: Upstream['forms']['read'];
  readonly forms: Upstream['forms']['list'];
  readonly instance: Upstream['instances']['read'];
  readonly instances: Upstream['instances']['list'];
  readonly rule: Upstream['rules']['read'];
}

/** Makes the key of an operation and its arguments. A tuple, so that no two argument lists can read the same. */
export function resourceKey(read: keyof Reads, ...args: readonly unknown[]): ResourceKey {
  return JSON.stringify([read, ...args]) as ResourceKey;
}
