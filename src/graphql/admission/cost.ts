import {
  type FieldNode,
  type GraphQLSchema,
  getNullableType,
  isListType,
  print,
  type SelectionNode,
} from 'graphql';
import { orUndefined } from '../../core/errors.ts';
import { oncePer } from '../../core/once-per.ts';
import { idOrderOf, isFoundById } from '../../loaders/id-range.ts';
import { type ListKey, pagesCovering } from '../../loaders/list-range.ts';
import type { Dialect } from '../../upstream/dialect.ts';
import {
  type AnyOperation,
  type Entity,
  ownIdOf,
  parentsOf,
  readOf,
} from '../../upstream/operation.ts';
import type { SomeIds } from '../../upstream/records.ts';
import {
  groupByCriterion,
  MAX_IDS_LENGTH,
  matchesNothing,
  maxIdsOf,
  maxPageSizeOf,
} from '../../upstream/search.ts';
import {
  type ArgumentReader,
  type ArgumentReaders,
  type ArgumentSource,
  createArgumentReaders,
  type Variables,
} from './arguments.ts';
import { isIncluded, type SelectedOperation, type Selection } from './selections.ts';

/** The cost of an operation, computed before it runs. */
export interface Cost {
  /** The highest number of calls to the platform. */
  readonly calls: number;
  /** The highest number of fields in the response. */
  readonly fields: number;
  /** The path of the object with most fields, by response names. Empty for the root. */
  readonly widest: string;
  /** The fields that cause the calls, outer fields first. */
  readonly steps: readonly CostStep[];
}

/** Calls of one operation for one field or look-up. */
export interface CostStep extends CallGroup {
  /** The path of the field, by response names. */
  readonly field: string;
  /** The highest number of objects that need the calls. */
  readonly objects: number;
}

/** Computes the cost of one operation with coerced variables. */
export type CostFunction = (variables: Variables, dialect: Dialect) => Cost;

/** The assumed length of a list that has no page size, such as a form's fields. */
const USUAL_LENGTH = 10;

/**
 * Returns a function that computes an operation's cost before any call, from its page sizes and
 * variables. The cost leaves out calls that depend on the platform's behaviour (lists without some
 * fields, smaller pages than requested). The call budget limits those.
 */
export function compileCost({ definition, selections }: SelectedOperation): CostFunction {
  const root = toPlace(selections, { keyOf: createKeys(), readerOf: createArgumentReaders() });
  let constant: { readonly cost: Cost; readonly dialect: Dialect } | undefined;

  return (variables, dialect) => {
    if (constant?.dialect === dialect) return constant.cost;
    const cost = estimate(root, variables, dialect);
    if (!definition.variableDefinitions?.length) constant = { cost, dialect };
    return cost;
  };
}

interface Compilation {
  readonly keyOf: KeyOf;
  readonly readerOf: ArgumentReaders;
}

/** The selected fields of one object. */
interface CostPlace {
  /** The number of response fields that are free and unconditional, including the nested ones. */
  readonly freeFields: number;
  readonly fields: readonly CostField[];
}

/** A response field whose cost depends on arguments, on a condition or on nested fields. */
interface CostField {
  readonly selection: Selection;
  readonly rule: CostRule | undefined;
  readonly readArgs: ArgumentReader | undefined;
  readonly isList: boolean;
  readonly children: CostPlace;
}

/**
 * Groups the selections of one object. A field that several fragments select is resolved once. A
 * conditional field is counted separately.
 */
function toPlace(selections: readonly Selection[], compilation: Compilation): CostPlace {
  const groups = Map.groupBy(selections.flatMap(withNeeds), (one) =>
    one.conditions.length > 0 ? one : compilation.keyOf(one),
  );
  let freeFields = 0;
  const fields: CostField[] = [];
  for (const group of groups.values()) {
    const field = toCostField(group, compilation);
    const { rule, isList, children, selection } = field;
    if (rule !== undefined || selection.conditions.length > 0 || children.fields.length > 0)
      fields.push(field);
    else freeFields += 1 + (isList ? USUAL_LENGTH : 1) * children.freeFields;
  }
  return { freeFields, fields };
}

/** Returns the field for equal selections of one object. Introspection fields are free. */
function toCostField(group: readonly Selection[], compilation: Compilation): CostField {
  const [selection] = group as [Selection];
  const { definition, node, hasVariables } = selection;
  return {
    selection,
    rule: definition?.extensions.cost,
    readArgs: definition && compilation.readerOf(definition, node, hasVariables),
    isList: definition !== undefined && isListType(getNullableType(definition.type)),
    children: toPlace(
      node.name.value.startsWith('__') ? [] : group.flatMap((one) => one.selections),
      compilation,
    ),
  };
}

/** The needs of a field are read from the same object, under the field's name. */
const withNeeds = (one: Selection): readonly Selection[] => [
  one,
  ...one.needs.flatMap(withNeeds).map((need) => ({ ...need, key: `${one.key}.${need.key}` })),
];

/** Returns equal keys for selections of one type with equal names and arguments. */
type KeyOf = (selection: Selection) => string;

/** Prints the arguments of a field in a fragment once for all spreads. */
function createKeys(): KeyOf {
  const keys = new Map<string, number>();
  const keyOf = oncePer(({ alias, name, arguments: args = [] }: FieldNode): number => {
    const text = [(alias ?? name).value, name.value, ...args.map(print).sort()].join();
    const key = keys.get(text) ?? keys.size;
    keys.set(text, key);
    return key;
  });
  return ({ parent, node }) => `${parent.name} ${keyOf(node)}`;
}

function estimate(root: CostPlace, variables: Variables, dialect: Dialect): Cost {
  const steps: CostStep[] = [];
  const source: ArgumentSource = { variables, args: [] };
  // Fields that a condition excludes are free. A condition that throws counts as true.
  const isIncludedHere = oncePer(
    (node: SelectionNode) => orUndefined(() => isIncluded(node, variables)) ?? true,
  );
  let widest = { name: '', fields: 0 };

  /**
   * Adds the calls of an object's fields to `steps`. Returns the number of response fields,
   * including nested ones.
   */
  const count = ({ freeFields, fields }: CostPlace, node: CostNode, above: string): number => {
    const placed = fields
      .filter(({ selection }) => selection.conditions.every(isIncludedHere))
      .map((field) => ({
        field,
        name: cut(above + cut(field.selection.key)),
        cost: costOf(field, node, source, dialect),
      }));
    for (const [field, group] of callsOf(placed, dialect)) {
      if (group.calls > 0) steps.push({ field, ...group, objects: node.objects });
    }
    let total = (freeFields + placed.length) * node.objects;
    if (total > widest.fields) widest = { name: above.slice(0, -1), fields: total };
    for (const { name, field, cost } of placed)
      total += count(field.children, childrenNode(field, cost, node), `${name}.`);
    return total;
  };

  const fields = count(root, SINGLE_NODE, '');
  return {
    calls: steps.reduce((sum, { calls }) => sum + calls, 0),
    fields,
    widest: widest.name,
    steps,
  };
}

const childrenNode = ({ isList }: CostField, cost: FieldCost, node: CostNode): CostNode =>
  cost.children ?? (isList ? { ...node, objects: node.objects * USUAL_LENGTH } : node);

const MAX_NAME_LENGTH = 200;

/**
 * Cuts a path. An alias may have 90,000 characters, and the paths of all nested fields repeat it.
 */
const cut = (name: string): string =>
  name.length > MAX_NAME_LENGTH ? `${name.slice(0, MAX_NAME_LENGTH)}…` : name;

/**
 * Applies a field's cost rule to its arguments. Invalid arguments count as absent, because the
 * field then fails.
 */
function costOf(
  { rule, readArgs }: CostField,
  place: CostNode,
  source: ArgumentSource,
  dialect: Dialect,
): FieldCost {
  if (rule === undefined || readArgs === undefined) return {};
  return rule(place, orUndefined(() => readArgs(source)) ?? {}, dialect);
}

interface PlacedCost {
  readonly name: string;
  readonly cost: FieldCost;
}

/**
 * Returns the calls of an object's fields: calls of single fields, shared calls once, and look-ups
 * grouped by list.
 */
function callsOf(placed: readonly PlacedCost[], dialect: Dialect): readonly PlacedCalls[] {
  const own = placed.flatMap(ownCallsOf);
  const shared = new Map<string, PlacedCalls>();
  const keys: (LookUpKey & { readonly name: string })[] = [];
  for (const { name, cost } of placed) {
    for (const what in cost.shared) {
      if (!shared.has(what)) shared.set(what, [name, cost.shared[what] as CallGroup]);
    }
    for (const key of cost.lookUps ?? []) keys.push({ ...key, name });
  }
  if (keys.length === 0) return [...own, ...shared.values()];
  const lookUps = [...Map.groupBy(keys, ({ list }) => list).values()].flatMap((ofList) => {
    const name = [...new Set(ofList.map((key) => key.name))].join(', ');
    return lookUpCalls(ofList, dialect).map((group): PlacedCalls => [name, group]);
  });
  return [...own, ...shared.values(), ...lookUps];
}

const ownCallsOf = ({ name, cost: { checks, own } }: PlacedCost): readonly PlacedCalls[] =>
  [checks, own].flatMap((group) => (group ? [[name, group]] : []));

type PlacedCalls = readonly [field: string, group: CallGroup];

/** The highest number of objects, records and forms at one position of an operation. */
export interface CostNode {
  /** The number of objects in the response. */
  readonly objects: number;
  /** The number of distinct records among them. A record is read once. */
  readonly records: number;
  /** The number of distinct forms of these records. */
  readonly forms: number;
  /** For a connection: the number of rows in one connection. */
  readonly size?: number;
  /**
   * Whether the record was just changed. It may have to be read before its fields are available.
   */
  readonly isFresh?: boolean;
}

/** One object, for example the record of a single read. Every operation starts here. */
export const SINGLE_NODE: CostNode = { objects: 1, records: 1, forms: 1 };

/** Calls of one kind to the platform. */
export interface CallGroup {
  /** The operation's name in the interface. `extension` for calls of an extension. */
  readonly operation: string;
  /** The highest number of calls. */
  readonly calls: number;
}

/** A look-up of one record by an id in the operation. */
export interface LookUpKey {
  /** The key of the record's list. All look-ups in one list are sent together. */
  readonly list: string;
  readonly entity: Entity<SomeIds>;
  readonly id: string;
  /** The number of lists that are searched for this id. */
  readonly times: number;
}

/** The cost of a field, and of the fields below it. */
interface FieldCost {
  readonly own?: CallGroup;
  /** The reads that a change needs before it is sent. */
  readonly checks?: CallGroup;
  /** Calls that the fields of one object share, by purpose. */
  readonly shared?: Readonly<Record<string, CallGroup>>;
  readonly lookUps?: readonly LookUpKey[];
  readonly children?: CostNode;
}

/** Returns the cost of a field from its position, its arguments and the dialect. */
export type CostRule = (
  place: CostNode,
  args: Readonly<Record<string, unknown>>,
  dialect: Dialect,
) => FieldCost;

/**
 * Checks that every root field has a cost rule. A field without a rule would be free.
 *
 * @throws {Error} for a root field without a rule.
 */
export function checkRootCosts(schema: GraphQLSchema): void {
  for (const root of [
    schema.getQueryType(),
    schema.getMutationType(),
    schema.getSubscriptionType(),
  ]) {
    const without = Object.values(root?.getFields() ?? {}).find(
      ({ extensions }) => !extensions.cost,
    );
    if (without) throw new Error(`${root}.${without.name} has no rule of cost.`);
  }
}

/** Returns the cost of a record's field. The record is read first if only its ids are known. */
export const contentCost =
  (entity: Entity<SomeIds>): CostRule =>
  (place, _args, dialect) =>
    place.isFresh ? { shared: { content: recordCalls(entity, place, dialect) } } : {};
/** The rule of a free object. Nested fields keep the counts of its position. */
export const passThrough: CostRule = (place) => ({ children: place });
/** The rule of a connection's rows. It multiplies the counts by the page size. */
export const perRow: CostRule = ({ objects, size = 1, ...rest }) => ({
  children: { ...rest, objects: objects * size },
});

/** Returns the look-up of a record by the platform's ids. */
export const lookUpOf = (entity: Entity<SomeIds>, ids: SomeIds): LookUpKey => ({
  list: JSON.stringify([entity.kind, ...parentsOf(entity, ids)]),
  entity,
  id: String(ids[ownIdOf(entity)]),
  times: 1,
});

/** Returns the calls for one page of a connection for each record of a place, and its rows. Invalid arguments cost nothing. */
export function pageCalls(
  { name: operation }: Pick<AnyOperation, 'name'>,
  { records, forms }: Pick<CostNode, 'records' | 'forms'>,
  readKey: () => ListKey,
  dialect: Dialect,
) {
  // Arguments that cannot be read make the field fail without a call.
  const key = orUndefined(readKey);
  if (key === undefined || matchesNothing(key.where))
    return { own: { operation, calls: 0 }, size: 0 };
  const order = key.after === undefined ? undefined : idOrderOf(operation, key, dialect);
  const isAfterId = order !== undefined && isFoundById(key, order);
  // The total of a page without rows is read with one row.
  const range = { ...key, count: Math.max(key.count, 1) };
  // The rows after an id form a list of their own.
  const { numbers } = pagesCovering(
    isAfterId ? { ...range, offset: 0 } : range,
    maxPageSizeOf(dialect),
  );
  // If the dialect does not state that lists are paged by id, the gateway reads both ends of the
  // list once per process.
  const ends = isAfterId && dialect.list.isPagedById === undefined ? 2 : 0;
  // A list that is not known to state totals may have to show it, once for each form.
  const totals = key.count === 0 && dialect.list.total === undefined ? forms : 0;
  const calls = records * (numbers.length + ends) + totals;
  return { own: { operation, calls }, size: key.count };
}

/** Returns the calls that look up records of one list by the ids in the operation. */
function lookUpCalls(keys: readonly LookUpKey[], dialect: Dialect): CallGroup[] {
  const [first] = keys;
  if (first === undefined) return [];
  const { times, entity } = first;
  const { one, list, find } = entity;
  if (one === undefined) return [{ operation: list.name, calls: times }];
  if (keys.length === 1) return [{ operation: one.name, calls: times }];
  const ids = [...new Set(keys.map(({ id }) => id))];
  const found = find && groupByCriterion(find.field(dialect), ids.filter(find.isId), dialect);
  const groups = (found ?? []).filter(({ values }) => values.length > 1);
  const alone = groups.reduce((left, { values }) => left - values.length, ids.length);
  return [
    { operation: list.name, calls: times * groups.length },
    { operation: one.name, calls: times * alone },
  ];
}

/** The most characters of an int64 in a search, including the separator. */
const INT64_LENGTH = 23;

/** Returns the calls that read the records of a position, or one reference of each record. */
export function recordCalls(
  entity: Entity<SomeIds>,
  { records, forms }: CostNode,
  dialect: Dialect,
): CallGroup {
  const isFound = entity.find && !entity.isSummary && dialect.search.operators.IN !== null;
  if (!isFound || records === 1) return { operation: readOf(entity).name, calls: records };
  const together = Math.min(maxIdsOf(dialect), Math.floor(MAX_IDS_LENGTH / INT64_LENGTH));
  // One list per form, plus one for each further full list.
  const calls = Math.min(records, forms + Math.floor(Math.max(0, records - forms) / together));
  return { operation: entity.list.name, calls };
}
