import {
  type FieldNode,
  type FragmentDefinitionNode,
  type FragmentSpreadNode,
  type GraphQLDirective,
  GraphQLIncludeDirective,
  type GraphQLObjectType,
  type GraphQLSchema,
  GraphQLSkipDirective,
  type InlineFragmentNode,
  isAbstractType,
  Kind,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql';

import { givenArguments } from './given-arguments.ts';

/** What selections are read with. */
export interface SelectionBasis {
  readonly schema: GraphQLSchema;
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  /** The variables that `@skip` and `@include` ask for. */
  readonly conditions: Readonly<Record<string, unknown>>;
}

/** The nodes of each field of an object, by the name in the answer, in the order of the answer. */
export type Fields = Map<string, [FieldNode, ...FieldNode[]]>;

/** Collects the fields that are selected on an object type, as the specification's CollectFields does. */
export function collectFields(
  sets: readonly SelectionSetNode[],
  type: GraphQLObjectType,
  { schema, fragments, conditions }: SelectionBasis,
): Fields {
  const fields: Fields = new Map();
  const seen = new Set<string>();

  const ifOf = (directive: GraphQLDirective, { directives = [] }: SelectionNode): unknown => {
    const node = directives.find(({ name }) => name.value === directive.name);
    return node && givenArguments(directive, node, conditions)['if'];
  };
  const isMeant = (node: SelectionNode): boolean =>
    ifOf(GraphQLSkipDirective, node) !== true && ifOf(GraphQLIncludeDirective, node) !== false;
  const fits = (condition: string | undefined): boolean => {
    const wanted = condition === undefined ? type : schema.getType(condition);
    return wanted === type || (isAbstractType(wanted) && schema.isSubType(wanted, type));
  };
  const collect = ({ selections }: SelectionSetNode): void => {
    for (const node of selections.filter(isMeant)) {
      if (node.kind === Kind.FIELD) add(node);
      else enter(node);
    }
  };
  const enter = (node: FragmentSpreadNode | InlineFragmentNode): void => {
    const isSpread = node.kind === Kind.FRAGMENT_SPREAD;
    if (isSpread && seen.has(node.name.value)) return;
    if (isSpread) seen.add(node.name.value);
    const fragment = isSpread ? fragments.get(node.name.value) : node;
    if (fragment && fits(fragment.typeCondition?.name.value)) collect(fragment.selectionSet);
  };
  const add = (node: FieldNode): void => {
    const name = (node.alias ?? node.name).value;
    const others = fields.get(name);
    if (others) others.push(node);
    else fields.set(name, [node]);
  };

  for (const set of sets) collect(set);
  return fields;
}
