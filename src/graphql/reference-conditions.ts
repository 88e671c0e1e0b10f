import { FilterTooWideError, orUndefined } from '../core/errors.ts';
import type { Loaders } from '../loaders/index.ts';
import type { ListKey } from '../loaders/list-range.ts';
import type { Dialect } from '../upstream/dialect.ts';
import type { AnyOperation } from '../upstream/operation.ts';
import { INSTANCES } from '../upstream/resources/instances.ts';
import { type Criterion, matchesNothing } from '../upstream/search.ts';
import { type CostNode, pageCalls, SINGLE_NODE } from './admission/cost.ts';
import { MAX_SEARCH_LENGTH, searchLength } from './search-length.ts';

/** Conditions on the targets of a reference field. */
export interface ReferenceCondition {
  /** The platform's name of the field. */
  readonly field: string;
  /** The place of the conditions in the arguments, for messages. */
  readonly place: string;
  /** The form of the targets. */
  readonly formId: string;
  readonly where: readonly Criterion[];
}

/** A range of a list with conditions on the targets of reference fields. */
export interface SearchKey extends ListKey {
  readonly references?: readonly ReferenceCondition[];
}

/** The parts of an operation that read targets. */
export interface TargetSource {
  readonly loaders: Loaders;
  readonly dialect: Dialect;
}

/** The highest number of matching targets. The ids of all of them are in one search. */
const MAX_TARGETS = 100;

/**
 * Replaces conditions on targets by the ids of the matching targets, with one list call for each. The
 * call is a read of the target's form, with its permission.
 *
 * @throws {FilterTooWideError} for more targets than a search can contain.
 */
export async function findTargets(
  { references = [], ...key }: SearchKey,
  { loaders, dialect }: TargetSource,
): Promise<ListKey> {
  if (references.length === 0 || matchesNothing(key.where)) return key;

  const conditions = references.map(async (condition): Promise<Criterion> => {
    const { field, formId } = condition;
    const range = targetsOf(condition, dialect);
    const { rows, total, hasNext } = await loaders.of(INSTANCES, formId).lists.load(range);
    if (hasNext || (total ?? 0) > range.count) throw tooManyTargets(condition, total, range.count);
    const values = rows.map((row) => {
      if (row instanceof Error) throw row;
      return row.instanceId;
    });
    return { field, operator: 'IN', values };
  });
  const where = [...key.where, ...(await Promise.all(conditions))];

  if (searchLength(where, key.orderBy) > MAX_SEARCH_LENGTH) throw searchTooLong();
  return { ...key, where };
}

/**
 * Returns the cost in calls of a page of a connection: one page for each record of a place, and one
 * list for each condition on targets.
 */
export function searchCalls(
  list: AnyOperation,
  place: Pick<CostNode, 'records' | 'forms'>,
  readKey: () => SearchKey,
  dialect: Dialect,
) {
  const { references = [] } = orUndefined(readKey) ?? {};
  const shared = references.map((condition) => {
    const { own } = pageCalls(
      INSTANCES.list,
      SINGLE_NODE,
      () => targetsOf(condition, dialect),
      dialect,
    );
    // Equal conditions are read once.
    return [JSON.stringify([condition.formId, condition.where]), own] as const;
  });
  return { ...pageCalls(list, place, readKey, dialect), shared: Object.fromEntries(shared) };
}

const targetsOf = ({ where }: ReferenceCondition, { search }: Dialect): ListKey => ({
  where,
  orderBy: [],
  offset: 0,
  count: Math.min(MAX_TARGETS, search.maxIds ?? MAX_TARGETS),
});

function tooManyTargets(
  { place }: ReferenceCondition,
  total: number | undefined,
  limit: number,
): FilterTooWideError {
  const found = total !== undefined && total > limit ? total : undefined;
  const number = found === undefined ? `more than ${limit}` : String(found);
  return new FilterTooWideError(
    `${place} matches ${number} instances, and at most ${limit} can be searched for: add conditions.`,
    { found, limit },
  );
}

const searchTooLong = (): FilterTooWideError =>
  new FilterTooWideError(
    `With the ids of all matching targets the search has more than ${MAX_SEARCH_LENGTH} characters: add conditions.`,
    { found: undefined, limit: MAX_SEARCH_LENGTH },
  );
