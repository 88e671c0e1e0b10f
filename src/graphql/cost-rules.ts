import type { MutationResolvers } from '../__generated__/resolvers.ts';
import { orUndefined } from '../core/errors.ts';
import { isJsonObject } from '../core/json.ts';
import type { ListKey } from '../loaders/index.ts';
import { pagesCovering } from '../loaders/offset-range.ts';
import type { Dialect } from '../upstream/dialect.ts';
import { groupByCriterion, isId, isInt64, type OperationName } from '../upstream/operations.ts';
import type { ReadMeaning } from './meanings.ts';
import { type ConnectionArgs, type PageLimits, parseNodeId, toFormId, toInstanceId, toListKey } from './relay.ts';
import type { instancePayloads } from './resolvers/instance.ts';

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
  /** Whether it stands there whatever the platform has: the root does, and what a change gives back. */
  readonly isCertain?: boolean;
}

/** One object, such as what is below a read of one record. */
export const ONE: Place = { objects: 1, records: 1, forms: 1 };
/** Where an operation starts. */
export const ROOT: Place = { ...ONE, isCertain: true };

/** Calls of one kind to the platform. */
export interface CallGroup {
  /** As the interface spells it; `extension` for calls that an extension makes. */
  readonly operation: OperationName | 'getToken' | 'extension';
  /** At most. */
  readonly calls: number;
  /** Names of the calls that are made whatever the platform has, unless one fails; equal names are one call. */
  readonly certain?: readonly string[];
}

/** One record to be looked up by an id that the operation states. */
export interface LookUpKey {
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
export const withCost = (rule: CostRule, meaning: { readonly read?: ReadMeaning } = {}) => ({
  extensions: { __proto__: null, cost: rule, ...meaning },
});

/** The rule of a field, if it costs anything or leads to what does. */
export const costRuleOf = (
  type: string,
  { name, extensions }: { readonly name: string; readonly extensions: { readonly cost?: CostRule } },
): CostRule | undefined => extensions.cost ?? COST_RULES[type]?.[name];

/** A change. What it gives back is there for certain; the same one sent again, by its key, is not made again. */
const change =
  (operation: CallGroup['operation'], below: Place = ROOT): CostRule =>
  (_place, { input }) => {
    const isRepeatable = isJsonObject(input) && input['idempotencyKey'] != null;
    return { own: { operation, calls: 1, certain: isRepeatable ? [] : [operation] }, below };
  };

/** The record that was changed, read since its change is answered without it. */
const readBack: CostRule = ({ isCertain }) => ({
  shared: { readBack: { operation: 'getFormIntance', calls: 1, ...(isCertain && { certain: ['read back'] }) } },
  below: ONE,
});

/** A field whose value may have to be read first, where the record was just created. */
export const content: CostRule = (place, _args, { dialect }) =>
  place.isFresh ? { shared: { content: recordCalls(place, dialect) } } : {};
/** What an object costs that stands for what is below it. */
export const same: CostRule = (place) => ({ below: place });
/** The rows of a connection. */
export const rows: CostRule = ({ objects, size = 1, ...rest }) => ({ below: { ...rest, objects: objects * size } });

const formCalls = ({ forms }: Place): CallGroup => ({ operation: 'getForm', calls: forms });

/** What the fields of every instance cost. */
const INSTANCE_COSTS: Readonly<Record<string, CostRule>> = {
  values: content,
  value: content,
  links: content,
  can: content,
  form: (place) => ({
    shared: { form: formCalls(place) },
    below: { ...place, records: place.forms, isFresh: false, isCertain: false },
  }),
  reference: (place, _args, { dialect }) => ({
    own: recordCalls(place, dialect),
    shared: { form: formCalls(place), ...(place.isFresh && { content: recordCalls(place, dialect) }) },
    below: { ...place, isFresh: false, isCertain: false },
  }),
};

const CONNECTION: Readonly<Record<string, CostRule>> = { nodes: rows, edges: rows };
const EDGE: Readonly<Record<string, CostRule>> = { node: same };
/** Payloads whose instance is read back. */
const READ_BACK_COSTS: Readonly<Record<keyof typeof instancePayloads, Readonly<Record<string, CostRule>>>> = {
  ReplaceInstancePayload: { instance: readBack },
  UpdateInstancePayload: { instance: readBack },
};

/** What each change costs: one that has no rule here does not compile. */
const MUTATION_COSTS = {
  // What is created is there for certain, but what it holds may have to be read.
  createInstance: change('createFormIntance', { ...ONE, isFresh: true }),
  replaceInstance: change('updateFormIntance'),
  updateInstance: change('updateValuesOfFormIntance'),
  deleteInstance: change('deleteFormIntance'),
  startCase: change('startCase'),
  executeActivity: change('executeCurrentActivity'),
  executeRule: change('execute'),
  signIn: change('getToken'),
  signOut: same,
} satisfies Record<keyof MutationResolvers, CostRule>;

/**
 * What each field costs that costs something, or that leads to what does. Kept in step with the resolvers, by a test that
 * compares both over random operations.
 */
export const COST_RULES: Readonly<Record<string, Readonly<Record<string, CostRule>>>> = {
  Query: {
    node: (_place, { id }) => ({ lookUp: nodeLookUp(String(id)), below: ONE }),
    form: (_place, { formId }) => ({ lookUp: formLookUp(platformFormId(formId)), below: ONE }),
    forms: (place, args, basis) => {
      const { own, size } = pageCalls('forms', place, args, basis);
      return { own, below: { objects: 1, records: size, forms: size, size } };
    },
    instance: (_place, { formId, instanceId }) => ({
      lookUp: instanceLookUp(platformFormId(formId), String(instanceId)),
      below: ONE,
    }),
    instances: (place, args, basis) => {
      const { own, size } = pageCalls(instancesOf(platformFormId(args['formId'])), place, args, basis);
      return { own, below: { objects: 1, records: size, forms: 1, size } };
    },
    rule: (_place, { component, version }) => ({
      own: { operation: 'getParameters', calls: 1, certain: [JSON.stringify(['rule', component, version])] },
      below: ONE,
    }),
  },
  Mutation: MUTATION_COSTS,
  CreateInstancePayload: { instance: same },
  ...READ_BACK_COSTS,
  Form: {
    instances: ({ objects, forms }, args, basis) => {
      const { own, size } = pageCalls('of these forms', { objects, records: forms, forms }, args, basis);
      return { own, below: { objects, records: forms * size, forms, size } };
    },
    instance: ({ objects, forms }, { instanceId }) => ({
      lookUp: { list: 'of these forms', kind: 'instanceId', id: String(instanceId), times: forms },
      below: { objects, records: forms, forms },
    }),
  },
  FormConnection: CONNECTION,
  FormEdge: EDGE,
  InstanceConnection: CONNECTION,
  InstanceEdge: EDGE,
  Instance: INSTANCE_COSTS,
  GenericInstance: INSTANCE_COSTS,
};

const formLookUp = (id: string): LookUpKey => ({ list: 'forms', kind: 'formId', id, times: 1 });

/** Names the list of a form's instances. */
export const instancesOf = (formId: string): string => JSON.stringify(['instances', formId]);

/** The look-up of one instance, by the platform's id or by the global one. */
export const instanceLookUp = (formId: string, id: string): LookUpKey => ({
  list: instancesOf(formId),
  kind: 'instanceId',
  id: orUndefined(() => toInstanceId(formId, id)) ?? id,
  times: 1,
});

const platformFormId = (id: unknown): string => orUndefined(() => toFormId(String(id))) ?? String(id);

/** The look-up of what a global id names; `undefined` for what is none. */
export function nodeLookUp(id: string): LookUpKey | undefined {
  const [type, formId, instanceId = ''] = orUndefined(() => parseNodeId(id)) ?? [];
  if (formId === undefined) return undefined;
  return type === 'Form' ? formLookUp(formId) : instanceLookUp(formId, instanceId);
}

/** The calls for one page of a connection in every form of a place, and its rows. Invalid arguments cost nothing. */
export function pageCalls(list: string, place: Place, args: ConnectionArgs, { pages, dialect }: CostBasis) {
  const operation = list === 'forms' ? 'getForms' : 'getFormIntances';
  // What cannot be read costs nothing.
  const key = orUndefined((): ListKey => toListKey(args, pages));
  if (key === undefined) return { own: { operation, calls: 0 } as const, size: 0 };
  const { offset: _, count, ...query } = key;
  const { perPage, numbers } = pagesCovering(key, dialect.list.maxPageSize);
  const certain = numbers.map((pageNumber) => nameList(list, { ...query, pageNumber, perPage }));
  const calls = place.forms * numbers.length;
  return { own: { operation, calls, ...(place.isCertain && { certain }) } as const, size: count };
}

const KINDS = {
  formId: { isSearchable: isId, list: 'getForms', one: 'getForm' },
  instanceId: { isSearchable: isInt64, list: 'getFormIntances', one: 'getFormIntance' },
} as const;

/** The calls that look up records of one list by ids which the operation states. */
export function lookUpCalls(keys: readonly LookUpKey[], { isCertain }: Place, dialect: Dialect): CallGroup[] {
  const [first] = keys;
  if (first === undefined) return [];
  const { list, times } = first;
  const { isSearchable, ...operations } = KINDS[first.kind];
  const ids = [...new Set(keys.map(({ id }) => id))];
  const groups = (groupByCriterion(dialect.search[first.kind], ids.filter(isSearchable), dialect) ?? []).filter(
    ({ values }) => values.length > 1,
  );
  const together = new Set(groups.flatMap(({ values }) => values));
  const alone = ids.filter((id) => !together.has(id));
  const pages = groups.map((criterion) =>
    nameList(list, { where: [criterion], orderBy: [], pageNumber: 1, perPage: criterion.values.length }),
  );
  const reads = alone.map((id) => JSON.stringify(['one', list, id]));
  return [
    { operation: operations.list, calls: times * groups.length, certain: isCertain ? pages : [] },
    { operation: operations.one, calls: times * alone.length, certain: isCertain ? reads : [] },
  ];
}

/** Names the call for one page of a list, so that equal ones are known. */
const nameList = (list: string, query: object): string => JSON.stringify(['list', list, query]);

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
