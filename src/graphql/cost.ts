import {
  BREAK,
  type DocumentNode,
  type FieldNode,
  type FragmentSpreadNode,
  GraphQLIncludeDirective,
  type GraphQLNamedType,
  type GraphQLSchema,
  GraphQLSkipDirective,
  getArgumentValues,
  getDirectiveValues,
  getNamedType,
  getNullableType,
  getVariableValues,
  type InlineFragmentNode,
  isInterfaceType,
  isListType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  OperationTypeNode,
  type SelectionNode,
  type SelectionSetNode,
  visit,
} from 'graphql';

import {
  type CallGroup,
  type CostBasis,
  type CostRule,
  costRuleOf,
  type FieldCost,
  lookUpCalls,
  orUndefined,
  type Place,
  ROOT,
} from './cost-rules.ts';

/** What an operation costs, computed before it runs. */
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

type Variables = Readonly<Record<string, unknown>>;

/** Computes the cost of one operation with variables. */
export type CostFunction = (variables: Variables, basis: CostBasis) => Cost;

/** The assumed length of a list that has no page size, such as a form's fields. */
const USUAL_LENGTH = 10;

/**
 * Makes what computes an operation's cost before anything is asked, with page sizes and variables as they are. What a
 * platform's habits may add (lists that leave fields out, pages smaller than it should have) is for the call budget.
 */
export function compileCost({ schema, document, operation }: ValidOperation): CostFunction {
  const root = schema.getRootType(operation.operation);
  const fields = root ? collectFields(operation.selectionSet, root, { schema, document }) : [];
  const { variableDefinitions = [] } = operation;
  const isMutation = operation.operation === OperationTypeNode.MUTATION;

  let constant: Cost | undefined;

  return (given, basis) => {
    // One process has one dialect and one size of pages.
    if (constant) return constant;
    const { coerced = {} } = getVariableValues(schema, variableDefinitions, given, { hideSuggestions: true });
    const cost = estimate(fields, { variables: coerced, basis, isMutation });
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

interface Selected {
  readonly schema: GraphQLSchema;
  readonly document: DocumentNode;
}

function collectFields(root: SelectionSetNode, type: GraphQLNamedType, { schema, document }: Selected): CostField[] {
  const fragments = new Map(
    document.definitions.flatMap((node) => (node.kind === Kind.FRAGMENT_DEFINITION ? [[node.name.value, node]] : [])),
  );

  const collect = (
    { selections }: SelectionSetNode,
    parent: GraphQLNamedType,
    around: readonly SelectionNode[],
  ): CostField[] =>
    selections.flatMap((node) => {
      const conditions = isConditional(node) ? [...around, node] : around;
      return node.kind === Kind.FIELD ? [toField(node, parent, conditions)] : inFragment(node, parent, conditions);
    });
  const inFragment = (
    node: FragmentSpreadNode | InlineFragmentNode,
    parent: GraphQLNamedType,
    conditions: readonly SelectionNode[],
  ): CostField[] => {
    const fragment = node.kind === Kind.FRAGMENT_SPREAD ? fragments.get(node.name.value) : node;
    if (fragment === undefined) return [];
    const { typeCondition, selectionSet } = fragment;
    return collect(selectionSet, (typeCondition && schema.getType(typeCondition.name.value)) ?? parent, conditions);
  };
  const toField = (node: FieldNode, parent: GraphQLNamedType, conditions: readonly SelectionNode[]): CostField => {
    const hasFields = isObjectType(parent) || isInterfaceType(parent);
    const field = hasFields ? parent.getFields()[node.name.value] : undefined;
    const { selectionSet } = node;
    return {
      key: (node.alias ?? node.name).value,
      rule: field && costRuleOf(parent.name, field),
      isList: field !== undefined && isListType(getNullableType(field.type)),
      args: field ? argsReader(field, node) : () => ({}),
      conditions,
      below: field && selectionSet ? collect(selectionSet, getNamedType(field.type), []) : [],
    };
  };
  return collect(root, type, []);
}

const isConditional = ({ directives = [] }: SelectionNode): boolean =>
  directives.some(({ name }) => name.value === 'skip' || name.value === 'include');

/** Arguments are read once where they depend on no variable. */
function argsReader(field: Parameters<typeof getArgumentValues>[0], node: FieldNode): CostField['args'] {
  const read = (variables: Variables) => orUndefined(() => getArgumentValues(field, node, variables)) ?? {};
  if (hasVariable(node)) return read;
  let constant: Variables | undefined;
  return () => {
    constant ??= read({});
    return constant;
  };
}

function hasVariable({ arguments: args = [] }: FieldNode): boolean {
  let isFound = false;
  const Variable = () => {
    isFound = true;
    return BREAK;
  };
  for (const arg of args) visit(arg, { Variable });
  return isFound;
}

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
      .filter(({ conditions }) => conditions.every((node) => isIncluded(node, variables)))
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
  const keys = placed.flatMap(({ name, cost: { lookUp } }) => (lookUp ? [{ ...lookUp, name }] : []));
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

function isIncluded(node: SelectionNode, variables: Variables): boolean {
  const isSet = (directive: typeof GraphQLSkipDirective): unknown =>
    orUndefined(() => getDirectiveValues(directive, node, variables))?.['if'];
  return isSet(GraphQLSkipDirective) !== true && isSet(GraphQLIncludeDirective) !== false;
}
