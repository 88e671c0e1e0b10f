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
  type ArgumentSource,
  createArgumentReaders,
  type Variables,
} from './arguments.ts';
import { isIncluded, type SelectedOperation, type Selection } from './selections.ts';

/** The cost of an operation, computed before it runs. */
export interface Cost {
  /** Calls to the platform, at most. */
  readonly calls: number;
  /** Fields in the answer, at most. */
  readonly fields: number;
  /** The place with most fields of the answer, by the names that the answer has; empty at the root. */
  readonly widest: string;
  /** The fields that cause the calls, outer fields first. */
  readonly steps: readonly Step[];
}

/** Calls of one kind, for one place of an operation. */
export interface Step extends CallGroup {
  /** The fields that they are for, by the names that the answer has. */
  readonly field: string;
  /** For how many objects they are made, at most. */
  readonly objects: number;
}

/** Computes the cost of one operation with coerced variables. */
export type CostFunction = (variables: Variables, dialect: Dialect) => Cost;

/** The assumed length of a list that has no page size, such as a form's fields. */
const USUAL_LENGTH = 10;

/**
 * Computes an operation's cost before any call, with page sizes and variables as they are. What a
 * platform's habits may add (lists that leave fields out, pages smaller than it should have) is for the call budget.
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
  readonly keyOf: ReturnType<typeof createKeys>;
  readonly readerOf: ReturnType<typeof createArgumentReaders>;
}

/** The fields that are selected of one object. */
interface CostPlace {
  /** How many fields of the answer cost nothing and are always there, those below them included. */
  readonly freeFields: number;
  readonly fields: readonly CostField[];
}

/** A field of the answer whose cost depends on its arguments, on a condition or on what is below it. */
interface CostField {
  readonly selection: Selection;
  readonly rule: CostRule | undefined;
  readonly readArgs: ArgumentReader | undefined;
  readonly isList: boolean;
  readonly below: CostPlace;
}

/** A field that several fragments select of one object is resolved once. One that may be left out is counted on its own. */
function toPlace(selections: readonly Selection[], compilation: Compilation): CostPlace {
  const groups = Map.groupBy(selections.flatMap(withNeeds), (one) =>
    one.conditions.length > 0 ? one : compilation.keyOf(one),
  );
  let freeFields = 0;
  const fields: CostField[] = [];
  for (const group of groups.values()) {
    const field = toCostField(group, compilation);
    const { rule, isList, below, selection } = field;
    if (rule !== undefined || selection.conditions.length > 0 || below.fields.length > 0)
      fields.push(field);
    else freeFields += 1 + (isList ? USUAL_LENGTH : 1) * below.freeFields;
  }
  return { freeFields, fields };
}

/** The field of one object that several selections select together. Those of introspection cost nothing. */
function toCostField(group: readonly Selection[], compilation: Compilation): CostField {
  const [selection] = group as [Selection];
  const { definition, node, hasVariables } = selection;
  return {
    selection,
    rule: definition?.extensions.cost,
    readArgs: definition && compilation.readerOf(definition, node, hasVariables),
    isList: definition !== undefined && isListType(getNullableType(definition.type)),
    below: toPlace(
      node.name.value.startsWith('__') ? [] : group.flatMap((one) => one.selections),
      compilation,
    ),
  };
}

/** What a field needs stands beside it, under its name. */
const withNeeds = (one: Selection): readonly Selection[] => [
  one,
  ...one.needs.flatMap(withNeeds).map((need) => ({ ...need, key: `${one.key}.${need.key}` })),
];

/**
 * Creates a function that gives equal keys to fields of one type with equal names and arguments: a
 * field may be selected and needed by another one. It prints the arguments of a fragment's field
 * once, however often the fragment is spread.
 */
function createKeys() {
  const keys = new Map<string, number>();
  const keyOf = oncePer(({ alias, name, arguments: args = [] }: FieldNode): number => {
    const text = [(alias ?? name).value, name.value, ...args.map(print).sort()].join();
    const key = keys.get(text) ?? keys.size;
    keys.set(text, key);
    return key;
  });
  return ({ parent, node }: Selection): string => `${parent.name} ${keyOf(node)}`;
}

function estimate(root: CostPlace, variables: Variables, dialect: Dialect): Cost {
  const steps: Step[] = [];
  const source: ArgumentSource = { variables, args: [] };
  // Fields that a condition leaves out cost nothing; a condition that fails is taken to include them.
  const isIncludedHere = oncePer(
    (node: SelectionNode) => orUndefined(() => isIncluded(node, variables)) ?? true,
  );
  let widest = { name: '', fields: 0 };

  /** Notes the calls of a place, and gives the number of its fields, all below it included. */
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
      total += count(field.below, below(field, cost, node), `${name}.`);
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

const below = ({ isList }: CostField, cost: FieldCost, node: CostNode): CostNode =>
  cost.below ?? (isList ? { ...node, objects: node.objects * USUAL_LENGTH } : node);

const MAX_NAME_LENGTH = 200;

/** Cuts a path of names: an alias may have 90,000 characters, and all fields below it have it in their paths. */
const cut = (name: string): string =>
  name.length > MAX_NAME_LENGTH ? `${name.slice(0, MAX_NAME_LENGTH)}…` : name;

/** Applies a field's rule to its arguments as they will be; to none where they do not fit, since the field fails then. */
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

/** The calls of a place: those of each field, those that fields share, once, and look-ups, by list. */
function callsOf(placed: readonly PlacedCost[], dialect: Dialect): readonly PlacedCalls[] {
  const own: PlacedCalls[] = [];
  const shared = new Map<string, PlacedCalls>();
  const keys: (LookUpKey & { readonly name: string })[] = [];
  for (const { name, cost } of placed) {
    if (cost.own) own.push([name, cost.own]);
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

type PlacedCalls = readonly [field: string, group: CallGroup];

/** How much of the graph stands at one place of an operation, at most. */
export interface CostNode {
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
export const SINGLE_NODE: CostNode = { objects: 1, records: 1, forms: 1 };

/** Calls of one kind to the platform. */
export interface CallGroup {
  /** As the interface spells it; `extension` for calls that an extension makes. */
  readonly operation: string;
  /** At most. */
  readonly calls: number;
}

/** One record to be looked up by an id that the operation states. */
export interface LookUpKey {
  /** The list that it is in: all look-ups of one list go together. */
  readonly list: string;
  readonly entity: Entity<SomeIds>;
  readonly id: string;
  /** How many such lists there are. */
  readonly times: number;
}

/** The cost of a field, and of the fields below it. */
interface FieldCost {
  readonly own?: CallGroup;
  /** Calls that all fields of one place share, by what they are for. */
  readonly shared?: Readonly<Record<string, CallGroup>>;
  readonly lookUps?: readonly LookUpKey[];
  readonly below?: CostNode;
}

/** Tells what a field costs at a place, with its arguments. */
export type CostRule = (
  place: CostNode,
  args: Readonly<Record<string, unknown>>,
  dialect: Dialect,
) => FieldCost;

/** @throws {Error} for a field at a root of the schema without a rule: it would cost nothing, whatever it asks of the platform. */
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

/** The cost of a field of a record that may have to be read first, since only its ids are known. */
export const contentCost =
  (entity: Entity<SomeIds>): CostRule =>
  (place, _args, dialect) =>
    place.isFresh ? { shared: { content: recordCalls(entity, place, dialect) } } : {};
/** The cost of an object by which all below it is multiplied. */
export const passThrough: CostRule = (place) => ({ below: place });
/** The rows of a connection. */
export const perRow: CostRule = ({ objects, size = 1, ...rest }) => ({
  below: { ...rest, objects: objects * size },
});

/** The look-up of one record by the platform's ids. */
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
  // What cannot be read costs nothing.
  const key = orUndefined(readKey);
  if (key === undefined || matchesNothing(key.where))
    return { own: { operation, calls: 0 }, size: 0 };
  const order = key.after === undefined ? undefined : idOrderOf(operation, key, dialect);
  const isAfterId = order !== undefined && isFoundById(key, order);
  // The total of a page without rows is read with one row.
  const range = { ...key, count: Math.max(key.count, 1) };
  // What follows an id is a list of its own.
  const { numbers } = pagesCovering(
    isAfterId ? { ...range, offset: 0 } : range,
    maxPageSizeOf(dialect),
  );
  // One that is not known to follow ids has both its ends read, once in a process.
  const ends = isAfterId && dialect.list.isPagedById === undefined ? 2 : 0;
  // A list that is not known to state totals may have to show it, once for each form.
  const totals = key.count === 0 && dialect.list.total === undefined ? forms : 0;
  const calls = records * (numbers.length + ends) + totals;
  return { own: { operation, calls }, size: key.count };
}

/** The calls that look up records of one list by ids which the operation states. */
function lookUpCalls(keys: readonly LookUpKey[], dialect: Dialect): CallGroup[] {
  const [first] = keys;
  if (first === undefined) return [];
  const { times, entity } = first;
  const { one, list, find } = entity;
  if (one === undefined) return [{ operation: list.name, calls: times }];
  const ids = [...new Set(keys.map(({ id }) => id))];
  const found = find && groupByCriterion(find.field(dialect), ids.filter(find.isId), dialect);
  const groups = (found ?? []).filter(({ values }) => values.length > 1);
  const alone = groups.reduce((left, { values }) => left - values.length, ids.length);
  return [
    { operation: list.name, calls: times * groups.length },
    { operation: one.name, calls: times * alone },
  ];
}

/** An int64 in a search, with its separator: as many characters as it can have. */
const INT64_LENGTH = 23;

/** The calls that look up as many records as a place has: its own, or the targets of a reference in each. */
export function recordCalls(
  entity: Entity<SomeIds>,
  { records, forms }: CostNode,
  dialect: Dialect,
): CallGroup {
  const isFound = entity.find && !entity.isSummary && dialect.search.operators.IN !== null;
  if (!isFound || records === 1) return { operation: readOf(entity).name, calls: records };
  const together = Math.min(maxIdsOf(dialect), Math.floor(MAX_IDS_LENGTH / INT64_LENGTH));
  // One list at least for each form that is referred from, and one more for each that came full.
  const calls = Math.min(records, forms + Math.floor(Math.max(0, records - forms) / together));
  return { operation: entity.list.name, calls };
}
