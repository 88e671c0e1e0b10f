import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLCompositeType,
  GraphQLIncludeDirective,
  type GraphQLNamedType,
  type GraphQLSchema,
  GraphQLSkipDirective,
  getArgumentValues,
  getDirectiveValues,
  getNamedType,
  getNullableType,
  getVariableValues,
  isCompositeType,
  isInterfaceType,
  isListType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql';

import { countLookUps } from './look-ups.ts';
import { ONE, type Place } from './place.ts';
import { type CostBasis, RULES } from './rules.ts';

/** The worst case of an operation. */
export interface Cost {
  /** Calls to the platform. */
  readonly calls: number;
  /** Fields in the answer. */
  readonly fields: number;
}

/** How long a list is taken to be whose length nothing tells, such as a form's fields. */
const USUAL_LENGTH = 10;

/** An operation that was found valid, with its variables. */
export interface ValidOperation {
  readonly schema: GraphQLSchema;
  readonly document: DocumentNode;
  readonly operation: OperationDefinitionNode;
  readonly variables: Readonly<Record<string, unknown>>;
}

/**
 * Computes what an operation costs at worst, before anything is asked, with page sizes and variables as they are. What a
 * platform's habits may add (lists that leave fields out, pages smaller than it should have) is for the budget.
 */
export function estimateCost({ schema, document, operation, variables }: ValidOperation, basis: CostBasis): Cost {
  const fragments = new Map(
    document.definitions
      .filter((node): node is FragmentDefinitionNode => node.kind === Kind.FRAGMENT_DEFINITION)
      .map((node) => [node.name.value, node]),
  );
  const { coerced = {} } = getVariableValues(schema, operation.variableDefinitions ?? [], variables);

  const isLeftOut = (node: SelectionNode): boolean =>
    getDirectiveValues(GraphQLSkipDirective, node, coerced)?.['if'] === true ||
    getDirectiveValues(GraphQLIncludeDirective, node, coerced)?.['if'] === false;

  /** Gives the fields of a place, each with the type that it is selected on. */
  const fieldsOf = (set: SelectionSetNode, type: GraphQLNamedType): (readonly [FieldNode, GraphQLNamedType])[] =>
    set.selections
      .filter((node) => !isLeftOut(node))
      .flatMap((node) => {
        if (node.kind === Kind.FIELD) return [[node, type] as const];
        const fragment = node.kind === Kind.FRAGMENT_SPREAD ? fragments.get(node.name.value) : node;
        const condition = fragment?.typeCondition?.name.value;
        return fragment ? fieldsOf(fragment.selectionSet, (condition && schema.getType(condition)) || type) : [];
      });

  const costOfField = (node: FieldNode, parent: GraphQLNamedType, place: Place) => {
    const field = fieldNamed(node.name.value, parent);
    if (field === undefined) return undefined;
    const rule = RULES[parent.name]?.[field.name];
    const cost = rule?.(place, argumentsOf(field, node, coerced), basis) ?? {};
    const isList = isListType(getNullableType(field.type));
    const usual = isList ? { ...place, objects: place.objects * USUAL_LENGTH } : place;
    return { ...cost, below: cost.below ?? usual, type: getNamedType(field.type) };
  };

  const costOf = (set: SelectionSetNode, type: GraphQLCompositeType, place: Place): Cost => {
    const fields = fieldsOf(set, type).map(([node, parent]) => ({ node, cost: costOfField(node, parent, place) }));
    const own = fields.flatMap(({ cost }) => cost ?? []);
    const shared = new Map(own.flatMap((cost) => Object.entries(cost.shared ?? {})));
    const below = fields.flatMap(({ node: { selectionSet }, cost }) =>
      selectionSet && cost && isCompositeType(cost.type) ? costOf(selectionSet, cost.type, cost.below) : [],
    );
    return {
      calls:
        sum(own.map(({ calls = 0 }) => calls)) +
        sum([...shared.values()]) +
        countLookUps(
          own.flatMap(({ lookUp }) => lookUp ?? []),
          basis.dialect,
        ) +
        sum(below.map(({ calls }) => calls)),
      fields: fields.length * place.objects + sum(below.map((cost) => cost.fields)),
    };
  };

  const root = schema.getRootType(operation.operation);
  return root ? costOf(operation.selectionSet, root, ONE) : { calls: 0, fields: 0 };
}

/** The field of a type; `undefined` for those of introspection, which ask nobody. */
const fieldNamed = (name: string, type: GraphQLNamedType) =>
  isObjectType(type) || isInterfaceType(type) ? type.getFields()[name] : undefined;

type Field = NonNullable<ReturnType<typeof fieldNamed>>;

/** The arguments as they will be; nothing where they do not fit, since the field fails then. */
function argumentsOf(field: Field, node: FieldNode, variables: Readonly<Record<string, unknown>>) {
  try {
    return getArgumentValues(field, node, variables);
  } catch {
    return {};
  }
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);
