/** What a change may have changed: one instance and the lists of its form, those lists alone, or any instance at all. */
export type Change = { readonly formId: string; readonly instanceId?: string | undefined } | 'everything';

/** Names what an entry depends on. Branded, so that no raw string can be one. */
export type Tag = string & { readonly __brand: 'Tag' };

const tag = (...parts: readonly string[]) => JSON.stringify(parts) as Tag;

/** The tags of entries. Definitions have none: no operation of the interface changes them. */
export const TAGS = {
  instance: (formId: string, instanceId: string): readonly Tag[] => [tag('instance', formId, instanceId)],
  /** Of all pages, whatever they are searched and ordered by, and of look-ups by ids. */
  lists: (formId: string): readonly Tag[] => [tag('lists', formId)],
} as const;

/** Counts changes, so that what was asked before one answers nobody afterwards. All callers share it: what one changes, others see. */
export interface Invalidation {
  /** How many changes there were until now. */
  generation(): number;
  invalidate(change: Change): void;
  /** Whether one of these tags may have been invalidated after that generation. */
  isStale(tags: Iterable<Tag>, since: number): boolean;
}

/** @param maxTags how many tags are counted by themselves; one more, and all of them count as invalidated. */
export function createInvalidation(maxTags = 10_000): Invalidation {
  const invalidatedAt = new Map<Tag, number>();
  let everythingAt = 0;
  let latest = 0;

  return {
    generation: () => latest,
    invalidate(change) {
      latest++;
      if (change === 'everything' || invalidatedAt.size >= maxTags) {
        everythingAt = latest;
        invalidatedAt.clear();
      }
      for (const changed of change === 'everything' ? [] : tagsOf(change)) invalidatedAt.set(changed, latest);
    },
    isStale(tags, since) {
      if (since === latest) return false;
      for (const one of tags) if (Math.max(everythingAt, invalidatedAt.get(one) ?? 0) > since) return true;
      return false;
    },
  };
}

const tagsOf = ({ formId, instanceId }: Exclude<Change, string>): readonly Tag[] =>
  instanceId === undefined ? TAGS.lists(formId) : [...TAGS.lists(formId), ...TAGS.instance(formId, instanceId)];

/**
 * Gives what a mutation changes, by its input: one of an instance changes it and the lists of its form, which alone can hold
 * it. A case's activity and a rule may change anything.
 */
export function changeOf(input: object): Change {
  const { formId, instanceId } = input as { readonly formId?: unknown; readonly instanceId?: unknown };
  if (typeof formId !== 'string') return 'everything';
  return { formId, instanceId: typeof instanceId === 'string' ? instanceId : undefined };
}
