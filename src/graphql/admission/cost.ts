import { getNullableType, isListType } from 'graphql';

import { orUndefined } from '../../core/errors.ts';
import { MAX_FURTHER_CALLS } from '../../loaders/after-row.ts';
import {
  type CallGroup,
  type CostBasis,
  type CostRule,
  type FieldCost,
  lookUpCalls,
  ONE,
  type Place,
} from './cost-rules.ts';
import { isIncluded, readArgs, type SelectedOperation, type Selection, type Variables } from './selections.ts';

/** What an operation costs, computed before it runs. */
export interface Cost {
  /** Calls to the platform, at most. */
  readonly calls: number;
  /** At most so many more, where lists have changed since their cursors were given, and there is room. */
  readonly furtherCalls: number;
  /** Fields in the answer, at most. */
  readonly fields: number;
  /** What the calls are for, outer fields first. */
  readonly steps: readonly Step[];
  /** Calls that follow within each minute, at most; absent where the operation ends with its answer. */
  readonly callsPerMinute?: number;
}

/** Calls of one kind, for one place of an operation. */
export interface Step {
  /** The fields that they are for, by the names that the answer has. */
  readonly field: string;
  /** As the interface spells it. */
  readonly operation: CallGroup['operation'];
  /** At most. */
  readonly calls: number;
  /** For how many objects they are made, at most. */
  readonly objects: number;
}

/** Computes the cost of one operation with coerced variables. */
export type CostFunction = (variables: Variables, basis: CostBasis) => Cost;

/** The assumed length of a list that has no page size, such as a form's fields. */
const USUAL_LENGTH = 10;

/**
 * Makes what computes an operation's cost before any call, with page sizes and variables as they are. What a
 * platform's habits may add (lists that leave fields out, pages smaller than it should have) is for the call budget.
 */
export function compileCost({ definition, rootType, selections }: SelectedOperation): CostFunction {
  const fields = toCostFields(selections);
  const { goingOn } = rootType.extensions;
  let constant: Cost | undefined;

  return (variables, basis) => {
    // One process has one dialect and one size of pages.
    if (constant) return constant;
    const first = estimate(fields, { variables, basis });
    const callsPerMinute = orUndefined(() => goingOn?.callsPerMinute(first.steps, definition, variables));
    const cost = callsPerMinute === undefined ? first : { ...first, callsPerMinute };
    if (!definition.variableDefinitions?.length) constant = cost;
    return cost;
  };
}

/** A field of the answer. Those of introspection cost nothing. */
interface CostField {
  readonly selection: Selection;
  readonly rule: CostRule | undefined;
  readonly isList: boolean;
  readonly below: readonly CostField[];
}

/** What a condition leaves out costs nothing; one that fails is taken to leave it in. */
const isAllIncluded = ({ conditions }: Selection, variables: Variables): boolean =>
  conditions.every((node) => orUndefined(() => isIncluded(node, variables)) ?? true);

/** What several fragments select of one object is resolved once. What may be left out is counted on its own. */
function toCostFields(selections: readonly Selection[]): CostField[] {
  const groups = Map.groupBy(selections, (one) => (one.conditions.length > 0 ? one : `${one.parent.name}.${one.key}`));
  return [...groups.values()].flatMap((group) => {
    const [selection] = group;
    if (selection === undefined) return [];
    const { definition } = selection;
    const isMeta = selection.node.name.value.startsWith('__');
    return [
      {
        selection,
        rule: definition?.extensions.cost,
        isList: definition !== undefined && isListType(getNullableType(definition.type)),
        below: isMeta ? [] : toCostFields(group.flatMap((one) => one.selections)),
      },
    ];
  });
}

/** The arguments as they will be; none where they do not fit, since the field fails then. */
const argsOf = ({ definition, node }: Selection, variables: Variables): Variables =>
  (definition && orUndefined(() => readArgs(definition, node, variables))) ?? {};

/** A variable without a value may be a cursor; of several lists at one place, a cursor belongs to one. */
const mayHaveCursor = ({ selection }: CostField, variables: Variables): boolean =>
  selection.node.arguments?.some(({ name }) => name.value === 'after') === true &&
  argsOf(selection, variables)['after'] !== null;

interface Estimate {
  readonly variables: Variables;
  readonly basis: CostBasis;
}

function estimate(root: readonly CostField[], { variables, basis }: Estimate): Cost {
  const steps: Step[] = [];
  let furtherCalls = 0;

  /** Notes the calls of a place, and gives the number of its fields, all below it included. */
  const count = (fields: readonly CostField[], place: Place, above: string): number => {
    const selected = fields
      .filter(({ selection }) => isAllIncluded(selection, variables))
      .map((field) => {
        const name = above + field.selection.key;
        return { field, name, cost: costOf(field, place, { variables, basis }) };
      });
    for (const { name, group } of callsOf(selected, basis)) {
      const { operation, calls } = group;
      if (calls > 0) steps.push({ field: name, operation, calls, objects: place.objects });
    }
    furtherCalls += MAX_FURTHER_CALLS * selected.filter(({ field }) => mayHaveCursor(field, variables)).length;
    let total = selected.length * place.objects;
    for (const { field, name, cost } of selected) {
      if (field.below.length > 0) total += count(field.below, cost.below ?? place, `${name}.`);
    }
    return total;
  };

  const fields = count(root, ONE, '');
  return { calls: steps.reduce((sum, { calls }) => sum + calls, 0), furtherCalls, fields, steps };
}

interface PlacedCost {
  readonly name: string;
  readonly cost: FieldCost;
}

/** The calls of a place: those of each field, those that fields share, once, and look-ups, by list. */
function callsOf(placed: readonly PlacedCost[], { dialect }: CostBasis) {
  const own = placed.flatMap(({ name, cost: { own: group } }) => (group ? [{ name, group }] : []));
  const shared = new Map<string, { readonly name: string; readonly group: CallGroup }>();
  for (const { name, cost } of placed) {
    for (const [what, group] of Object.entries(cost.shared ?? {})) {
      if (!shared.has(what)) shared.set(what, { name, group });
    }
  }
  const keys = placed.flatMap(({ name, cost: { lookUp = [] } }) => [lookUp].flat().map((key) => ({ ...key, name })));
  const lookUps = [...Map.groupBy(keys, ({ list }) => list).values()].flatMap((ofList) => {
    const name = [...new Set(ofList.map((key) => key.name))].join(', ');
    return lookUpCalls(ofList, dialect).map((group) => ({ name, group }));
  });
  return [...own, ...shared.values(), ...lookUps];
}

function costOf({ selection, rule, isList }: CostField, place: Place, { variables, basis }: Estimate): FieldCost {
  const below = isList ? { ...place, objects: place.objects * USUAL_LENGTH } : place;
  return { below, ...rule?.(place, argsOf(selection, variables), basis) };
}
