/** What a change may have changed: the instances of a form, one of them where it is known which, or any instance at all. */
export type Touched = { readonly formId: string; readonly instanceId?: string | undefined } | 'everything';

/** A part of what the upstream holds, that changes touch. Branded, so that no raw string can be one. */
export type Area = string & { readonly __brand: 'Area' };

const area = (...parts: readonly string[]) => JSON.stringify(parts) as Area;

/** Where instances and their lists lie. Definitions lie nowhere: no operation of the interface changes them. */
export const AREAS = {
  instance: (formId: string, instanceId: string): readonly Area[] => [
    area('everything'),
    area('instance', formId, instanceId),
  ],
  /** Its pages, whatever they are searched and ordered by, and look-ups by ids. */
  lists: (formId: string): readonly Area[] => [area('everything'), area('lists', formId)],
} as const;

/** Gives the areas that a change touches. */
export function areasOf(touched: Touched): readonly Area[] {
  if (touched === 'everything') return [area('everything')];
  const { formId, instanceId } = touched;
  const lists = area('lists', formId);
  return instanceId === undefined ? [lists] : [lists, area('instance', formId, instanceId)];
}

/**
 * Gives what a change touches: one of an instance that instance and the lists of its form, which alone can hold it. A case's
 * activity and a rule may have changed anything.
 */
export function touchedBy(input: object): Touched {
  const { formId, instanceId } = input as { readonly formId?: unknown; readonly instanceId?: unknown };
  if (typeof formId !== 'string') return 'everything';
  return { formId, instanceId: typeof instanceId === 'string' ? instanceId : undefined };
}
