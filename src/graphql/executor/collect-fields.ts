import {
  type ASTVisitor,
  type DirectiveNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLDirective,
  GraphQLError,
  type GraphQLField,
  GraphQLIncludeDirective,
  type GraphQLObjectType,
  type GraphQLSchema,
  GraphQLSkipDirective,
  getArgumentValues,
  isAbstractType,
  Kind,
  type OperationDefinitionNode,
  type SelectionNode,
  type SelectionSetNode,
  visit,
} from 'graphql';

export type Args = Record<string, unknown>;
export type Variables = Readonly<Record<string, unknown>>;
export type Fragments = Readonly<Record<string, FragmentDefinitionNode>>;

/** All nodes of a document that select one field of an object; the first one has its arguments. */
export type FieldNodes = readonly [FieldNode, ...FieldNode[]];

/** What selections are collected with. */
export interface CollectOptions {
  readonly schema: GraphQLSchema;
  readonly fragments: Fragments;
  /** The variables of `@skip` and `@include`, and at least those. */
  readonly conditions: Variables;
}

/** Gives the nodes of each field that is selected on an object type, by response name and in the order of the answer. */
export function collectFields(
  sets: readonly SelectionSetNode[],
  type: GraphQLObjectType,
  { schema, fragments, conditions }: CollectOptions,
): ReadonlyMap<string, FieldNodes> {
  const fields = new Map<string, [FieldNode, ...FieldNode[]]>();
  const visited = new Set<string>();

  const applies = (condition: string | undefined): boolean => {
    const conditional = condition === undefined ? type : schema.getType(condition);
    return conditional === type || (isAbstractType(conditional) && schema.isSubType(conditional, type));
  };
  const addField = (node: FieldNode): void => {
    const name = (node.alias ?? node.name).value;
    const nodes = fields.get(name);
    if (nodes) nodes.push(node);
    else fields.set(name, [node]);
  };
  const collect = ({ selections }: SelectionSetNode): void => {
    for (const node of selections) {
      if (!isIncluded(node, conditions)) continue;
      if (node.kind === Kind.FIELD) addField(node);
      else collectFragment(node);
    }
  };
  const collectFragment = (node: Exclude<SelectionNode, FieldNode>): void => {
    const name = node.kind === Kind.FRAGMENT_SPREAD ? node.name.value : undefined;
    if (name !== undefined && visited.has(name)) return;
    if (name !== undefined) visited.add(name);
    const fragment = node.kind === Kind.FRAGMENT_SPREAD ? fragments[node.name.value] : node;
    if (fragment && applies(fragment.typeCondition?.name.value)) collect(fragment.selectionSet);
  };

  for (const set of sets) collect(set);
  return fields;
}

/** Whether its directives leave a node in. @throws {GraphQLError} as `readArgs`. */
export function isIncluded(node: SelectionNode, conditions: Variables): boolean {
  return (
    (node.directives ?? []).length === 0 ||
    (conditionOf(GraphQLSkipDirective, node, conditions) !== true &&
      conditionOf(GraphQLIncludeDirective, node, conditions) !== false)
  );
}

function conditionOf(directive: GraphQLDirective, { directives = [] }: SelectionNode, conditions: Variables): unknown {
  const node = directives.find(({ name }) => name.value === directive.name);
  return node && readArgs(directive, node, conditions)['if'];
}

/**
 * Gives the coerced arguments of a field or a directive.
 *
 * @throws {GraphQLError} BAD_USER_INPUT where a variable with a default is `null` and its place takes no `null`, which
 *   validation cannot know.
 */
export function readArgs(
  definition: GraphQLField<unknown, unknown> | GraphQLDirective,
  node: FieldNode | DirectiveNode,
  variables?: Variables,
): Args {
  try {
    return getArgumentValues(definition, node, variables);
  } catch (error) {
    if (!(error instanceof GraphQLError)) throw error;
    throw new GraphQLError(error.message, { nodes: error.nodes ?? null, extensions: { code: 'BAD_USER_INPUT' } });
  }
}

/**
 * Gives the values of the variables in conditions (`@skip`, `@include`).
 *
 * @throws {GraphQLError} BAD_USER_INPUT where one is `null`.
 */
export function readConditions(directives: readonly DirectiveNode[], variables: Variables): Variables {
  const conditions: Record<string, unknown> = {};
  for (const node of directives) {
    readArgs(node.name.value === 'skip' ? GraphQLSkipDirective : GraphQLIncludeDirective, node, variables);
    for (const { value } of node.arguments ?? []) {
      if (value.kind === Kind.VARIABLE) conditions[value.name.value] = variables[value.name.value];
    }
  }
  return conditions;
}

/** Gives the conditions that depend on variables, of an operation and of the fragments that it spreads. */
export function findConditions(operation: OperationDefinitionNode, fragments: Fragments): readonly DirectiveNode[] {
  const conditions: DirectiveNode[] = [];
  const visited = new Set<string>();
  const visitor: ASTVisitor = {
    Directive(node) {
      const isCondition = node.name.value === 'skip' || node.name.value === 'include';
      if (isCondition && node.arguments?.some(({ value }) => value.kind === Kind.VARIABLE)) conditions.push(node);
    },
    FragmentSpread({ name: { value: name } }) {
      const fragment = fragments[name];
      if (fragment === undefined || visited.has(name)) return;
      visited.add(name);
      visit(fragment, visitor);
    },
  };
  visit(operation, visitor);
  return conditions;
}
