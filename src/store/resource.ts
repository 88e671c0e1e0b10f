import type { FormRecord, InstanceKey, InstanceRecord, PageRecord, RuleKey, RuleRecord } from '../upstream/records.ts';
import type { ListQuery } from '../upstream/search.ts';

/** The key of a resource: what one safe upstream call returns. Branded, so that no raw string can be one. */
export type ResourceKey = string & { readonly __brand: 'ResourceKey' };

/** The reads of the upstream, one for each safe operation. */
export interface Reads {
  /** `undefined` when there is no such form. */
  form(formId: string): Promise<FormRecord | undefined>;
  forms(query: ListQuery): Promise<PageRecord<FormRecord>>;
  /** `undefined` when there is no such instance. */
  instance(key: InstanceKey): Promise<InstanceRecord | undefined>;
  instances(formId: string, query: ListQuery): Promise<PageRecord<InstanceRecord>>;
  rule(key: RuleKey): Promise<RuleRecord>;
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
