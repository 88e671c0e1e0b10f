import {
  type DocumentNode,
  type FieldNode,
  type GraphQLNamedType,
  type GraphQLSchema,
  getArgumentValues,
  getNamedType,
  getNullableType,
  getVariableValues,
  isInterfaceType,
  isListType,
  isObjectType,
  Kind,
  type NamedTypeNode,
  type OperationDefinitionNode,
  OperationTypeNode,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql';

import { orUndefined } from '../core/errors.ts';
import {
  type CallGroup,
  type CostBasis,
  type CostRule,
  costRuleOf,
  type FieldCost,
  lookUpCalls,
  type Place,
  ROOT,
} from './cost-rules.ts';
import { isIncluded, type Variables } from './executor/collect-fields.ts';

/** What an operation costs, computed before it runs. */
export interface Cost {
  /** Calls to the platform, at most. */
  readonly calls: number;
  /** The minimum of calls to the platform, where nothing fails and nothing is cached or in flight. */
  readonly leastCalls: number;
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

/** A valid operation of a schema. */
export interface ValidOperation {
  readonly schema: GraphQLSchema;
  readonly document: DocumentNode;
  readonly operation: OperationDefinitionNode;
}

/** Computes the cost of one operation with variables. */
export type CostFunction = (variables: Variables, basis: CostBasis) => Cost;

/** The assumed length of a list that has no page size, such as a form's fields. */
const USUAL_LENGTH = 10;

/**
 * Makes what computes an operation's cost before any call, with page sizes and variables as they are. What a
 * platform's habits may add (lists that leave fields out, pages smaller than it should have) is for the call budget.
 */
export function compileCost(valid: ValidOperation): CostFunction {
  const { schema, operation } = valid;
  const root = schema.getRootType(operation.operation);
  const fields = root ? toCostFields(root, valid) : [];
  const { variableDefinitions = [] } = operation;
  const isMutation = operation.operation === OperationTypeNode.MUTATION;

  let constant: Cost | undefined;

  return (given, basis) => {
    // One process has one dialect and one size of pages.
    if (constant) return constant;
    const { coerced = {} } = getVariableValues(schema, variableDefinitions, given, { hideSuggestions: true });
    const first = estimate(fields, { variables: coerced, basis, isMutation });
    const callsPerMinute = orUndefined(() => root?.extensions.goingOn?.callsPerMinute(first.steps, operation, given));
    const cost = callsPerMinute === undefined ? first : { ...first, callsPerMinute };
    if (variableDefinitions.length === 0) constant = cost;
    return cost;
  };
}

/** A field that an operation selects, fragments put in. Those of introspection cost nothing. */
interface CostField {
  /** Its name in the answer. */
  readonly key: string;
  readonly rule: CostRule | undefined;
  readonly isList: boolean;
  /** As they will be; none where they do not fit, since the field fails then. */
  readonly args: (variables: Variables) => Variables;
  /** Directives that may leave it out. */
  readonly conditions: readonly SelectionNode[];
  readonly below: readonly CostField[];
}

/** A field's node, the type that it is selected on, and all directives around it that may leave it out. */
interface Selected {
  readonly node: FieldNode;
  readonly parent: GraphQLNamedType;
  readonly conditions: readonly SelectionNode[];
}

function toCostFields(root: GraphQLNamedType, { schema, document, operation }: ValidOperation): CostField[] {
  const fragments = new Map(
    document.definitions.flatMap((node) => (node.kind === Kind.FRAGMENT_DEFINITION ? [[node.name.value, node]] : [])),
  );

  const select = ({ selections }: SelectionSetNode, parent: GraphQLNamedType, around: readonly SelectionNode[]) =>
    selections.flatMap((node): Selected[] => {
      const conditions = isConditional(node) ? [...around, node] : around;
      if (node.kind === Kind.FIELD) return [{ node, parent, conditions }];
      const fragment = node.kind === Kind.FRAGMENT_SPREAD ? fragments.get(node.name.value) : node;
      return fragment ? select(fragment.selectionSet, typeOf(fragment.typeCondition, parent), conditions) : [];
    });
  const typeOf = (condition: NamedTypeNode | undefined, parent: GraphQLNamedType) =>
    (condition && schema.getType(condition.name.value)) ?? parent;
  // What several fragments select of one object is resolved once. What may be left out is counted on its own.
  const collect = (selected: readonly Selected[]): CostField[] => {
    const groups = Map.groupBy(selected, (one) =>
      one.conditions.length > 0 ? one : `${one.parent.name}.${keyOf(one.node)}`,
    );
    return [...groups.values()].flatMap(([first, ...others]) => (first ? [toField(first, others)] : []));
  };
  const toField = ({ node, parent, conditions }: Selected, others: readonly Selected[]): CostField => {
    const hasFields = isObjectType(parent) || isInterfaceType(parent);
    const field = hasFields ? parent.getFields()[node.name.value] : undefined;
    const sets = [node, ...others.map((other) => other.node)].flatMap(({ selectionSet }) => selectionSet ?? []);
    return {
      key: keyOf(node),
      rule: field && costRuleOf(parent.name, field),
      isList: field !== undefined && isListType(getNullableType(field.type)),
      args: (variables) => (field && orUndefined(() => getArgumentValues(field, node, variables))) ?? {},
      conditions,
      below: field ? collect(sets.flatMap((set) => select(set, getNamedType(field.type), []))) : [],
    };
  };
  return collect(select(operation.selectionSet, root, []));
}

const keyOf = ({ alias, name }: FieldNode): string => (alias ?? name).value;

const isConditional = ({ directives = [] }: SelectionNode): boolean =>
  directives.some(({ name }) => name.value === 'skip' || name.value === 'include');

interface Estimate {
  readonly variables: Variables;
  readonly basis: CostBasis;
  readonly isMutation: boolean;
}

function estimate(root: readonly CostField[], { variables, basis, isMutation }: Estimate): Cost {
  const steps: Step[] = [];
  const certain = new Set<string>();

  const note = ({ operation, calls, certain: names = [] }: CallGroup, field: string, { objects }: Place): void => {
    if (calls > 0) steps.push({ field, operation, calls, objects });
    // A change is made wherever it stands; a read that was made already is not made again.
    for (const name of names) certain.add(isMutation ? `${field} ${name}` : name);
  };

  /** Notes the calls of a place, and gives the number of its fields, all below it included. */
  const count = (fields: readonly CostField[], place: Place, above: string): number => {
    const selected = fields
      .filter(({ conditions }) => conditions.every((node) => orUndefined(() => isIncluded(node, variables)) ?? true))
      .map((field) => ({ field, name: above + field.key, cost: costOf(field, place, { variables, basis }) }));
    for (const { name, calls } of callsOf(selected, place, basis)) note(calls, name, place);
    let total = selected.length * place.objects;
    for (const { field, name, cost } of selected) {
      if (field.below.length > 0) total += count(field.below, cost.below ?? place, `${name}.`);
    }
    return total;
  };

  const fields = count(root, ROOT, '');
  return { calls: steps.reduce((sum, { calls }) => sum + calls, 0), leastCalls: certain.size, fields, steps };
}

interface PlacedCost {
  readonly name: string;
  readonly cost: FieldCost;
}

/** The calls of a place: those of each field, those that fields share, once, and look-ups, by list. */
function callsOf(placed: readonly PlacedCost[], place: Place, { dialect }: CostBasis) {
  const own = placed.flatMap(({ name, cost: { own: calls } }) => (calls ? [{ name, calls }] : []));
  const shared = new Map<string, { readonly name: string; readonly calls: CallGroup }>();
  for (const { name, cost } of placed) {
    for (const [what, calls] of Object.entries(cost.shared ?? {})) {
      if (!shared.has(what)) shared.set(what, { name, calls });
    }
  }
  const keys = placed.flatMap(({ name, cost: { lookUp = [] } }) => [lookUp].flat().map((key) => ({ ...key, name })));
  const lookUps = [...Map.groupBy(keys, ({ list }) => list).values()].flatMap((ofList) => {
    const name = [...new Set(ofList.map((key) => key.name))].join(', ');
    return lookUpCalls(ofList, place, dialect).map((calls) => ({ name, calls }));
  });
  return [...own, ...shared.values(), ...lookUps];
}

function costOf(
  { rule, isList, args }: CostField,
  place: Place,
  { variables, basis }: Pick<Estimate, 'variables' | 'basis'>,
): FieldCost {
  const below = isList ? { ...place, objects: place.objects * USUAL_LENGTH } : place;
  return { below, ...rule?.(place, args(variables), basis) };
}
