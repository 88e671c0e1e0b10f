import type { Dialect } from '../../upstream/dialect.ts';
import { isId, isInt64 } from '../../upstream/path.ts';
import { groupByCriterion } from '../../upstream/search.ts';
import type { Ask, LookUp, Place } from './place.ts';

/** An int64 in a search, with its separator: as many characters as it can have. */
const INT64_LENGTH = 23;
/** As long as a search may be; `upstream/search.ts` splits what is longer. */
const SEARCH_LENGTH = 3_000;

const KINDS = {
  formId: { isId, list: 'getForms', one: 'getForm' },
  instanceId: { isId: isInt64, list: 'getFormIntances', one: 'getFormIntance' },
} as const;

/** The calls that look up records of one list by ids which the operation states. */
export function askLookUps(wanted: readonly LookUp[], { isCertain }: Place, dialect: Dialect): Ask[] {
  const [first] = wanted;
  if (first === undefined) return [];
  const { list } = first;
  const { isId: isSayable, ...operations } = KINDS[first.kind];
  const ids = [...new Set(wanted.map(({ id }) => id))];
  const field = dialect.search[first.kind];
  const groups = (groupByCriterion(field, ids.filter(isSayable), dialect) ?? []).filter(
    ({ values }) => values.length > 1,
  );
  const together = new Set(groups.flatMap(({ values }) => values));
  const alone = ids.filter((id) => !together.has(id));
  const pages = groups.map((criterion) =>
    nameList(list, { where: [criterion], orderBy: [], pageNumber: 1, perPage: criterion.values.length }),
  );
  const reads = alone.map((id) => nameOne(list, id));
  return [
    { operation: operations.list, calls: first.times * groups.length, certain: isCertain ? pages : [] },
    { operation: operations.one, calls: first.times * alone.length, certain: isCertain ? reads : [] },
  ];
}

/** Names the call for one page of a list, so that equal ones are known. */
export const nameList = (list: string, query: object): string => JSON.stringify(['list', list, query]);
const nameOne = (list: string, id: string): string => JSON.stringify(['one', list, id]);

/** The calls that look up the targets of a reference in every record of a place. */
export function askReferences({ records, forms }: Place, { search, list }: Dialect): Ask {
  const { list: inList, one } = KINDS.instanceId;
  if (search.operators.IN === null || records === 1) return { operation: one, calls: records };
  const together = Math.min(list.maxPageSize, Math.floor(SEARCH_LENGTH / INT64_LENGTH));
  // One list at least for each form that is referred from, and one more for each that came full.
  const calls = Math.min(records, forms + Math.floor(Math.max(0, records - forms) / together));
  return { operation: inList, calls };
}
