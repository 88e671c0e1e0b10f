import type { Upstream } from '../upstream/index.ts';
import type {
  FormRecord,
  InstanceKey,
  InstanceRecord,
  PageRecord,
  ReadOptions,
  ReadResult,
  RuleKey,
  RuleRecord,
} from '../upstream/records.ts';
import type { ListQuery } from '../upstream/search.ts';
import { TAGS, type Tag } from './invalidation.ts';

/** Names what one safe call returns. Branded, so that no raw string can be one. */
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

/** What one safe call returns, and how to make the call. */
export interface Resource<T> {
  /** As the interface spells it. */
  readonly operation: string;
  readonly key: ResourceKey;
  /** What changes it: definitions have none. */
  readonly tags: readonly Tag[];
  readonly isDefinition: boolean;
  read(options: ReadOptions): Promise<ReadResult<T>>;
}

/** Maps each read to its resource. */
export const toResource = {
  form: ({ forms }: Upstream, formId: string): Resource<FormRecord | undefined> =>
    definition('getForm', [formId], (options) => forms.read(formId, options)),

  forms: ({ forms }: Upstream, query: ListQuery): Resource<PageRecord<FormRecord>> =>
    definition('getForms', [query], (options) => forms.list(query, options)),

  // By the pair, never by the path, in which both are joined by a hyphen.
  rule: ({ rules }: Upstream, { component, version }: RuleKey): Resource<RuleRecord> =>
    definition('getParameters', [component, version], (options) => rules.read({ component, version }, options)),

  instance: ({ instances }: Upstream, { formId, instanceId }: InstanceKey): Resource<InstanceRecord | undefined> => ({
    operation: 'getFormIntance',
    key: keyOf('getFormIntance', [formId, instanceId]),
    tags: TAGS.instance(formId, instanceId),
    isDefinition: false,
    read: (options) => instances.read({ formId, instanceId }, options),
  }),

  instances: ({ instances }: Upstream, formId: string, query: ListQuery): Resource<PageRecord<InstanceRecord>> => ({
    operation: 'getFormIntances',
    key: keyOf('getFormIntances', [formId, query]),
    tags: TAGS.lists(formId),
    isDefinition: false,
    read: (options) => instances.list(formId, query, options),
  }),
} as const;

function definition<T>(operation: string, args: readonly unknown[], read: Resource<T>['read']): Resource<T> {
  return { operation, key: keyOf(operation, args), tags: [], isDefinition: true, read };
}

// A tuple, so that no two lists of arguments read the same.
const keyOf = (operation: string, args: readonly unknown[]) => JSON.stringify([operation, ...args]) as ResourceKey;
