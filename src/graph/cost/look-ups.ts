import type { Dialect } from '../../upstream/dialect.ts';
import { isId, isInt64 } from '../../upstream/path.ts';
import { groupByCriterion } from '../../upstream/search.ts';
import type { LookUp, Place } from './place.ts';

/** An int64 in a search, with its separator: as many characters as it can have. */
const INT64_LENGTH = 23;
/** As long as a search may be; `upstream/search.ts` splits what is longer. */
const SEARCH_LENGTH = 3_000;

const IS_ID = { formId: isId, instanceId: isInt64 } as const;

/** Counts the calls that look up records by ids which the operation states: those of one list together. */
export function countLookUps(lookUps: readonly LookUp[], dialect: Dialect): number {
  const lists = Map.groupBy(lookUps, ({ list }) => list);
  return [...lists.values()].reduce((calls, wanted) => calls + countList(wanted, dialect), 0);
}

function countList(wanted: readonly LookUp[], dialect: Dialect): number {
  const [first] = wanted;
  if (first === undefined) return 0;
  const ids = [...new Set(wanted.map(({ id }) => id))];
  const sayable = ids.filter(IS_ID[first.kind]);
  const groups = (groupByCriterion(dialect.search[first.kind], sayable, dialect) ?? []).filter(
    ({ values }) => values.length > 1,
  );
  const together = groups.reduce((sum, { values }) => sum + values.length, 0);
  return first.times * (groups.length + ids.length - together);
}

/** Counts the calls that look up the targets of a reference in every record of a place. */
export function countReferences({ records, forms }: Place, { search, list }: Dialect): number {
  if (search.operators.IN === null) return records;
  const together = Math.min(list.maxPageSize, Math.floor(SEARCH_LENGTH / INT64_LENGTH));
  // One list at least for each form that is referred from, and one more for each that came full.
  return Math.min(records, forms + Math.floor(Math.max(0, records - forms) / together));
}
