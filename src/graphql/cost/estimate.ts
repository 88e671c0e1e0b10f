import {
  type GraphQLCompositeType,
  getNamedType,
  getNullableType,
  isCompositeType,
  isListType,
  OperationTypeNode,
  type SelectionSetNode,
} from 'graphql';

import type { CostBasis } from './basis.ts';
import { askLookUps } from './look-ups.ts';
import { type Ask, type FieldCost, type Place, ROOT } from './place.ts';
import { ruleOf } from './rule.ts';
import { RULES } from './rules.ts';
import { createSelection, type Selected, type ValidOperation } from './selection.ts';

/** What an operation costs, told before it runs. */
export interface Cost {
  /** Calls to the platform, at most. */
  readonly calls: number;
  /** Calls to the platform at least, where nothing fails and nothing of it is known or asked already. */
  readonly leastCalls: number;
  /** Fields in the answer, at most. */
  readonly fields: number;
  /** What the calls are for, outer fields first. */
  readonly steps: readonly Step[];
}

/** Calls of one kind, for one place of an operation. */
export interface Step {
  /** The fields that they are for, by the names that the answer has. */
  readonly field: string;
  /** As the interface spells it. */
  readonly operation: Ask['operation'];
  /** At most. */
  readonly calls: number;
  /** For how many objects they are made, at most. */
  readonly objects: number;
}

/** How long a list is taken to be whose length nothing tells, such as a form's fields. */
const USUAL_LENGTH = 10;

interface PlacedField extends FieldCost {
  /** Where it stands, by the names that the answer has. */
  readonly name: string;
}

/**
 * Computes what an operation costs, before anything is asked, with page sizes and variables as they are. What a
 * platform's habits may add (lists that leave fields out, pages smaller than it should have) is for the budget.
 */
export function estimateCost(asked: ValidOperation, basis: CostBasis): Cost {
  const { schema, operation } = asked;
  const fieldsOf = createSelection(asked);
  const steps: Step[] = [];
  const certain = new Set<string>();

  const note = (ask: Ask, field: string, { objects }: Place): void => {
    if (ask.calls > 0) steps.push({ field, operation: ask.operation, calls: ask.calls, objects });
    // A change is made wherever it stands; a read that was made already is not made again.
    const isChange = operation.operation === OperationTypeNode.MUTATION;
    for (const name of ask.certain ?? []) certain.add(isChange ? `${field} ${name}` : name);
  };

  /** Notes the calls of a place, and gives the number of its fields, all below it included. */
  const visit = (set: SelectionSetNode, type: GraphQLCompositeType, place: Place, above: string): number => {
    const selected = fieldsOf(set, type);
    const placed = selected.map((one) => ({ ...costOf(one, place, basis), name: above + keyOf(one), one }));
    for (const { name, ask } of asksOf(placed, place, basis)) note(ask, name, place);
    const below = placed.map(({ one: { node, field }, name, below: under = place }) => {
      const inner = field && getNamedType(field.type);
      return node.selectionSet && isCompositeType(inner) ? visit(node.selectionSet, inner, under, `${name}.`) : 0;
    });
    return selected.length * place.objects + sum(below);
  };

  const root = schema.getRootType(operation.operation);
  const fields = root ? visit(operation.selectionSet, root, ROOT, '') : 0;
  return { calls: sum(steps.map(({ calls }) => calls)), leastCalls: certain.size, fields, steps };
}

const keyOf = ({ node: { alias, name } }: Selected): string => (alias ?? name).value;

function costOf({ parent, field, args }: Selected, place: Place, basis: CostBasis): FieldCost {
  if (field === undefined) return {};
  const rule = ruleOf(field) ?? RULES[parent.name]?.[field.name];
  const cost = rule?.(place, args(), basis) ?? {};
  const isList = isListType(getNullableType(field.type));
  const usual = isList ? { ...place, objects: place.objects * USUAL_LENGTH } : place;
  return { below: usual, ...cost };
}

/** The calls of a place: those of each field, those that fields share, once, and look-ups, by list. */
function asksOf(placed: readonly PlacedField[], place: Place, basis: CostBasis) {
  // Most places ask nobody.
  if (placed.every(({ ask, shared, lookUp }) => ask === undefined && shared === undefined && lookUp === undefined))
    return [];
  const own = placed.flatMap(({ name, ask }) => (ask ? [{ name, ask }] : []));
  const all = placed.flatMap(({ name, shared = {} }) =>
    Object.entries(shared).map(([what, ask]) => ({ name, what, ask })),
  );
  const shared = [...Map.groupBy(all, ({ what }) => what).values()].flatMap(([first]) => first ?? []);
  const wanted = placed.flatMap(({ name, lookUp }) => (lookUp ? [{ ...lookUp, name }] : []));
  const lookUps = [...Map.groupBy(wanted, ({ list }) => list).values()].flatMap((ofList) => {
    const name = [...new Set(ofList.map((lookUp) => lookUp.name))].join(', ');
    return askLookUps(ofList, place, basis.dialect).map((ask) => ({ name, ask }));
  });
  return [...own, ...shared, ...lookUps];
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);
