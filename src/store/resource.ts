import type { FormRecord, InstanceKey, InstanceRecord, PageRecord, RuleKey, RuleRecord } from '../upstream/records.ts';
import type { ListQuery } from '../upstream/search.ts';
import type { Area } from './touched.ts';

/** The key of a resource: what one safe upstream call returns. Branded, so that no raw string can be one. */
export type ResourceKey = string & { readonly __brand: 'ResourceKey' };

/** The reads of the upstream, one for each safe operation. What they give is shared: nobody changes it. */
export interface Reads {
  /** `undefined` when there is no such form. */
  form(formId: string): Promise<FormRecord | undefined>;
  forms(query: ListQuery): Promise<PageRecord<FormRecord>>;
  /** `undefined` when there is no such instance. */
  instance(key: InstanceKey): Promise<InstanceRecord | undefined>;
  instances(formId: string, query: ListQuery): Promise<PageRecord<InstanceRecord>>;
  rule(key: RuleKey): Promise<RuleRecord>;
}

/** One resource: the operation that reads it, its key, and what a change must touch to change it. */
export interface Resource {
  /** As the interface spells it. */
  readonly operation: string;
  readonly key: ResourceKey;
  readonly areas: readonly Area[];
}

/** Names a resource by its operation and arguments: as a tuple, so that no two argument lists can read the same. */
export function resourceKey(operation: string, ...args: readonly unknown[]): ResourceKey {
  return JSON.stringify([operation, ...args]) as ResourceKey;
}
