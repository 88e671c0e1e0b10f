import type { Dialect } from '../upstream/dialect.ts';
import type { Upstream } from '../upstream/index.ts';
import type { InstanceKey, ReadOptions, ReadResult, RuleKey } from '../upstream/records.ts';
import type { ListQuery } from '../upstream/search.ts';
import { type Held, type Reading, toReading } from './held.ts';
import { type Resource, resourceKey } from './resource.ts';
import { AREAS } from './touched.ts';

/** What changes about as often as each other: `definitions` are forms and rules, `instances` are those asked by id. */
export type FreshnessClass = 'definitions' | 'instances' | 'lists';

/** A resource that somebody wants, and what to ask for it: plain data, so that it can be asked again later. */
export interface Wanted extends Resource {
  readonly question: Question;
  readonly freshness: FreshnessClass;
}

type Question =
  | { readonly operation: 'getForm'; readonly formId: string }
  | { readonly operation: 'getForms'; readonly query: ListQuery }
  | { readonly operation: 'getFormIntance'; readonly key: InstanceKey }
  | { readonly operation: 'getFormIntances'; readonly formId: string; readonly query: ListQuery }
  | { readonly operation: 'getParameters'; readonly key: RuleKey };

/** Says what is wanted, by the safe operations of the interface. */
export const want = {
  form: (formId: string): Wanted => definition({ operation: 'getForm', formId }, formId),
  forms: (query: ListQuery): Wanted => definition({ operation: 'getForms', query }, query),
  rule: ({ component, version }: RuleKey): Wanted =>
    definition({ operation: 'getParameters', key: { component, version } }, component, version),
  instance: ({ formId, instanceId }: InstanceKey): Wanted => ({
    operation: 'getFormIntance',
    key: resourceKey('getFormIntance', formId, instanceId),
    areas: AREAS.instance(formId, instanceId),
    question: { operation: 'getFormIntance', key: { formId, instanceId } },
    freshness: 'instances',
  }),
  instances: (formId: string, query: ListQuery, dialect: Dialect): Wanted => ({
    operation: 'getFormIntances',
    key: resourceKey('getFormIntances', formId, query),
    areas: AREAS.lists(formId),
    question: { operation: 'getFormIntances', formId, query },
    freshness: isLookUp(query, dialect) ? 'instances' : 'lists',
  }),
} as const;

const definition = (question: Question, ...args: readonly unknown[]): Wanted => ({
  operation: question.operation,
  key: resourceKey(question.operation, ...args),
  areas: [],
  question,
  freshness: 'definitions',
});

/** Whether a list is asked for instances by their ids: then it says of each what a read of it would. */
function isLookUp({ where: [first, ...others] }: ListQuery, { search }: Dialect): boolean {
  return first?.field === search.instanceId && first.operator === 'IN' && others.length === 0;
}

/** Asks the upstream what is wanted, on the condition that it has changed where something is held. */
export async function ask(
  upstream: Upstream,
  question: Question,
  { signal, held }: { readonly signal: AbortSignal; readonly held: Held<unknown> | undefined },
): Promise<Reading<unknown>> {
  return toReading(await read(upstream, question, { signal, ifModifiedSince: held?.validator }), held);
}

function read(
  { forms, instances, rules }: Upstream,
  question: Question,
  options: ReadOptions,
): Promise<ReadResult<unknown>> {
  switch (question.operation) {
    case 'getForm':
      return forms.read(question.formId, options);
    case 'getForms':
      return forms.list(question.query, options);
    case 'getFormIntance':
      return instances.read(question.key, options);
    case 'getFormIntances':
      return instances.list(question.formId, question.query, options);
    case 'getParameters':
      return rules.read(question.key, options);
  }
}
