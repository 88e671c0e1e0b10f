import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLDirective,
  type GraphQLField,
  GraphQLIncludeDirective,
  type GraphQLNamedType,
  type GraphQLSchema,
  GraphQLSkipDirective,
  getArgumentValues,
  getDirectiveValues,
  getVariableValues,
  isInterfaceType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql';

/** An operation that was found valid, with its variables. */
export interface ValidOperation {
  readonly schema: GraphQLSchema;
  readonly document: DocumentNode;
  readonly operation: OperationDefinitionNode;
  readonly variables: Readonly<Record<string, unknown>>;
}

/** A field as an operation selects it. Those of introspection are none: they ask nobody. */
export interface Selected {
  readonly node: FieldNode;
  readonly parent: GraphQLNamedType;
  readonly field: GraphQLField<unknown, unknown> | undefined;
  /** As they will be; nothing where they do not fit, since the field fails then. */
  args(): Readonly<Record<string, unknown>>;
}

/** Makes what gives the fields of a place: fragments put in, and without what is left out by a directive. */
export function createSelection({ schema, document, operation, variables }: ValidOperation) {
  const fragments = new Map(
    document.definitions
      .filter((node): node is FragmentDefinitionNode => node.kind === Kind.FRAGMENT_DEFINITION)
      .map((node) => [node.name.value, node]),
  );
  const { coerced = {} } = getVariableValues(schema, operation.variableDefinitions ?? [], variables, {
    hideSuggestions: true,
  });

  const isSet = (directive: GraphQLDirective, node: SelectionNode): unknown =>
    orEmpty(() => getDirectiveValues(directive, node, coerced))?.['if'];
  const isLeftOut = (node: SelectionNode): boolean => {
    if (node.directives === undefined || node.directives.length === 0) return false;
    return isSet(GraphQLSkipDirective, node) === true || isSet(GraphQLIncludeDirective, node) === false;
  };

  const toSelected = (node: FieldNode, parent: GraphQLNamedType): Selected => {
    const field = fieldNamed(node.name.value, parent);
    return { node, parent, field, args: () => (field ? orEmpty(() => getArgumentValues(field, node, coerced)) : {}) };
  };

  return function fieldsOf(set: SelectionSetNode, type: GraphQLNamedType): Selected[] {
    return set.selections
      .filter((node) => !isLeftOut(node))
      .flatMap((node) => {
        if (node.kind === Kind.FIELD) return [toSelected(node, type)];
        const fragment = node.kind === Kind.FRAGMENT_SPREAD ? fragments.get(node.name.value) : node;
        const condition = fragment?.typeCondition?.name.value;
        return fragment ? fieldsOf(fragment.selectionSet, (condition && schema.getType(condition)) || type) : [];
      });
  };
}

const fieldNamed = (name: string, type: GraphQLNamedType) =>
  isObjectType(type) || isInterfaceType(type) ? type.getFields()[name] : undefined;

function orEmpty<T>(read: () => T): T | Record<string, never> {
  try {
    return read();
  } catch {
    return {};
  }
}
