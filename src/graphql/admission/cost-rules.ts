import { orUndefined } from '../../core/errors.ts';
import type { ListKey } from '../../loaders/index.ts';
import { pagesCovering } from '../../loaders/offset-range.ts';
import type { Dialect } from '../../upstream/dialect.ts';
import { groupByCriterion, isId, isInt64, type OperationName } from '../../upstream/operations.ts';
import { type ConnectionArgs, type PageLimits, parseNodeId, toInstanceId, toListKey } from '../relay.ts';

/** What costs are computed from, besides the operation. */
export interface CostBasis {
  readonly pages: PageLimits;
  readonly dialect: Dialect;
}

/** How much of the graph stands at one place of an operation, at most. */
export interface Place {
  /** Objects in the answer. */
  readonly objects: number;
  /** Different records among them: equal ones are read once. */
  readonly records: number;
  /** Different forms that these records are, or belong to. */
  readonly forms: number;
  /** For a connection: how many rows one of them has. */
  readonly size?: number;
  /** For what was just created: it may have to be read before it can be shown. */
  readonly isFresh?: boolean;
}

/** One object, such as what is below a read of one record. An operation starts at one. */
export const ONE: Place = { objects: 1, records: 1, forms: 1 };

/** Calls of one kind to the platform. */
export interface CallGroup {
  /** As the interface spells it; `extension` for calls that an extension makes. */
  readonly operation: OperationName | 'getToken' | 'extension';
  /** At most. */
  readonly calls: number;
}

/** One record to be looked up by an id that the operation states. */
interface LookUpKey {
  /** The list that it is in: all look-ups of one list go together. */
  readonly list: string;
  /** Which field of the list's search holds the id. */
  readonly kind: keyof typeof KINDS;
  readonly id: string;
  /** How many such lists there are. */
  readonly times: number;
}

/** What a field costs, and what stands below it. */
export interface FieldCost {
  readonly own?: CallGroup;
  /** Calls that all fields of one place share, by what they are for. */
  readonly shared?: Readonly<Record<string, CallGroup>>;
  readonly lookUp?: LookUpKey | readonly LookUpKey[] | undefined;
  readonly below?: Place;
}

/** Tells what a field costs at a place, with its arguments. */
export type CostRule = (place: Place, args: Readonly<Record<string, unknown>>, basis: CostBasis) => FieldCost;

/** Puts a cost rule on a field that is made in code. GraphQL copies what has a prototype. */
export const withCost = (rule: CostRule, meaning: { readonly read?: true } = {}) => ({
  extensions: { __proto__: null, cost: rule, ...meaning },
});

/** A field whose value may have to be read first, where the record was just created. */
export const content: CostRule = (place, _args, { dialect }) =>
  place.isFresh ? { shared: { content: recordCalls(place, dialect) } } : {};
/** What an object costs that stands for what is below it. */
export const same: CostRule = (place) => ({ below: place });
/** The rows of a connection. */
export const rows: CostRule = ({ objects, size = 1, ...rest }) => ({ below: { ...rest, objects: objects * size } });

/** The look-up of a form. */
export const formLookUp = (id: string): LookUpKey => ({ list: 'forms', kind: 'formId', id, times: 1 });

/** The look-up of one instance, by the platform's id or by the global one. */
export const instanceLookUp = (formId: string, id: string): LookUpKey => ({
  list: JSON.stringify(['instances', formId]),
  kind: 'instanceId',
  id: orUndefined(() => toInstanceId(formId, id)) ?? id,
  times: 1,
});

/** The look-up of what a global id names; `undefined` for what is none. */
export function nodeLookUp(id: string): LookUpKey | undefined {
  const [type, formId, instanceId = ''] = orUndefined(() => parseNodeId(id)) ?? [];
  if (formId === undefined) return undefined;
  return type === 'Form' ? formLookUp(formId) : instanceLookUp(formId, instanceId);
}

/** The calls for one page of a connection in every form of a place, and its rows. Invalid arguments cost nothing. */
export function pageCalls(
  operation: 'getForms' | 'getFormIntances',
  place: Place,
  args: ConnectionArgs,
  { pages, dialect }: CostBasis,
) {
  // What cannot be read costs nothing.
  const key = orUndefined((): ListKey => toListKey(args, pages));
  if (key === undefined) return { own: { operation, calls: 0 }, size: 0 };
  const { numbers } = pagesCovering(key, dialect.list.maxPageSize);
  return { own: { operation, calls: place.forms * numbers.length }, size: key.count };
}

const KINDS = {
  formId: { isSearchable: isId, list: 'getForms', one: 'getForm' },
  instanceId: { isSearchable: isInt64, list: 'getFormIntances', one: 'getFormIntance' },
} as const;

/** The calls that look up records of one list by ids which the operation states. */
export function lookUpCalls(keys: readonly LookUpKey[], dialect: Dialect): CallGroup[] {
  const [first] = keys;
  if (first === undefined) return [];
  const { times } = first;
  const { isSearchable, ...operations } = KINDS[first.kind];
  const ids = [...new Set(keys.map(({ id }) => id))];
  const groups = (groupByCriterion(dialect.search[first.kind], ids.filter(isSearchable), dialect) ?? []).filter(
    ({ values }) => values.length > 1,
  );
  const together = new Set(groups.flatMap(({ values }) => values));
  const alone = ids.filter((id) => !together.has(id));
  return [
    { operation: operations.list, calls: times * groups.length },
    { operation: operations.one, calls: times * alone.length },
  ];
}

/** An int64 in a search, with its separator: as many characters as it can have. */
const INT64_LENGTH = 23;
/** As long as a search may be; `upstream/operations.ts` splits what is longer. */
const SEARCH_LENGTH = 3_000;

/** The calls that look up as many records as a place has: its own, or the targets of a reference in each. */
export function recordCalls({ records, forms }: Place, { search, list }: Dialect): CallGroup {
  if (search.operators.IN === null || records === 1) return { operation: 'getFormIntance', calls: records };
  const together = Math.min(list.maxPageSize, Math.floor(SEARCH_LENGTH / INT64_LENGTH));
  // One list at least for each form that is referred from, and one more for each that came full.
  const calls = Math.min(records, forms + Math.floor(Math.max(0, records - forms) / together));
  return { operation: 'getFormIntances', calls };
}
