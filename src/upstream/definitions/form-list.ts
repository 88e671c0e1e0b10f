import type { Forms } from '../forms.ts';
import type { FormRecord, PageRecord } from '../records.ts';
import { type Known, reread } from './reread.ts';

/** How many pages are read at most, of a platform whose list does not end. */
const PAGES_MAX = 1_000;

/** Makes what reads the whole list of forms, each form once. Pages that were read before are asked whether they have changed. */
export function readFormList(forms: Forms, perPage: number) {
  const held = new Map<number, Known<PageRecord<FormRecord>>>();

  const readPage = async (pageNumber: number, signal: AbortSignal | undefined) => {
    const query = { where: [], orderBy: [], pageNumber, perPage };
    const known = await reread((options) => forms.list(query, options), held.get(pageNumber), signal);
    held.set(pageNumber, known);
    return known.record;
  };

  return async (signal: AbortSignal | undefined): Promise<readonly FormRecord[]> => {
    const found = new Map<string, FormRecord>();
    for (let pageNumber = 1; pageNumber <= PAGES_MAX; pageNumber++) {
      const page = await readPage(pageNumber, signal);
      const fresh = page.items.filter(({ formId }) => !found.has(formId));
      for (const form of fresh) found.set(form.formId, form);
      // A platform that knows no pages gives the same ones again.
      if (fresh.length === 0 || !hasMore(page, found.size, perPage)) break;
    }
    return [...found.values()];
  };
}

const hasMore = ({ items, total, hasNext }: PageRecord<FormRecord>, count: number, perPage: number): boolean =>
  total === undefined ? (hasNext ?? items.length >= perPage) : total > count;
