import {
  type DirectiveNode,
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type FragmentSpreadNode,
  type GraphQLDirective,
  GraphQLError,
  type GraphQLField,
  GraphQLIncludeDirective,
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLSchema,
  GraphQLSkipDirective,
  getArgumentValues,
  getNamedType,
  type InlineFragmentNode,
  isInterfaceType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  SchemaMetaFieldDef,
  type SelectionNode,
  type SelectionSetNode,
  TypeMetaFieldDef,
  TypeNameMetaFieldDef,
} from 'graphql';

import { LIMITS } from './limits.ts';

export type Args = Record<string, unknown>;
export type Variables = Readonly<Record<string, unknown>>;

/** A field that an operation selects of an object, with fragments put in. Several may select one field of the answer. */
export interface Selection {
  readonly node: FieldNode;
  /** Its name in the answer. */
  readonly key: string;
  /** The type that it is selected on: that of the object, or of the innermost fragment around it. */
  readonly parent: GraphQLNamedType;
  /** `undefined` in a document that does not fit the schema. */
  readonly definition: GraphQLField<unknown, unknown> | undefined;
  /** The fragments around it, from the outside in. */
  readonly fragments: readonly SelectedFragment[];
  /** The field, and the fragments around it, as far as `@skip` or `@include` may leave them out. */
  readonly conditions: readonly SelectionNode[];
  readonly selections: readonly Selection[];
  /** What the field itself needs of its object, whatever else is selected of that. */
  readonly needs: readonly Selection[];
}

/** A fragment at one of its places. */
export interface SelectedFragment {
  readonly node: FragmentSpreadNode | InlineFragmentNode;
  /** Its type condition. */
  readonly type: GraphQLNamedType | undefined;
}

/** An operation of a document, with the tree of its selections. */
export interface SelectedOperation {
  readonly schema: GraphQLSchema;
  readonly definition: OperationDefinitionNode;
  readonly rootType: GraphQLObjectType;
  readonly selections: readonly Selection[];
  /** How many fields and fragments there are, at every place where they are spread. Above the limit the tree has no more. */
  readonly size: number;
}

/** Gives the requested operation of a valid document, or the error, in the words of graphql-js, where it cannot be run. */
export function selectOperation(
  schema: GraphQLSchema,
  document: DocumentNode,
  operationName: string | undefined,
): SelectedOperation | GraphQLError {
  const definition = findOperation(document, operationName);
  if (definition instanceof GraphQLError) return definition;
  const rootType = schema.getRootType(definition.operation);
  if (!rootType) {
    const message = `Schema is not configured to execute ${definition.operation} operation.`;
    return new GraphQLError(message, { nodes: definition });
  }
  const operation = { schema, definition, rootType };
  return { ...operation, ...selectFields(document, operation) };
}

/** Gives the requested operation; the document's other ones do not run. */
function findOperation(
  { definitions }: DocumentNode,
  name: string | undefined,
): OperationDefinitionNode | GraphQLError {
  const operations = definitions.filter((node) => node.kind === Kind.OPERATION_DEFINITION);
  if (name !== undefined) {
    const found = operations.find((node) => node.name?.value === name);
    return found ?? new GraphQLError(`Unknown operation named "${name}".`);
  }
  const [operation, ...others] = operations;
  if (others.length > 0) {
    return new GraphQLError('Must provide operation name if query contains multiple operations.');
  }
  return operation ?? new GraphQLError('Must provide an operation.');
}

/** The surroundings of a field. */
type Around = Pick<Selection, 'parent' | 'fragments' | 'conditions'>;

/** Builds the tree of an operation of a valid document. Fragments that double grow without bounds, so it ends above the limit. */
function selectFields(
  document: DocumentNode,
  { schema, definition, rootType }: Pick<SelectedOperation, 'schema' | 'definition' | 'rootType'>,
): Pick<SelectedOperation, 'selections' | 'size'> {
  const definitions = new Map<string, FragmentDefinitionNode>();
  for (const node of document.definitions) {
    if (node.kind === Kind.FRAGMENT_DEFINITION) definitions.set(node.name.value, node);
  }
  let size = 0;

  const select = ({ selections }: SelectionSetNode, around: Around): Selection[] =>
    selections.flatMap((node) => (size > LIMITS.selections ? [] : selectNode(node, around)));
  const selectNode = (node: SelectionNode, around: Around): Selection[] => {
    size++;
    const conditions = isConditional(node) ? [...around.conditions, node] : around.conditions;
    if (node.kind === Kind.FIELD) return [toSelection(node, { ...around, conditions })];
    if (node.kind === Kind.INLINE_FRAGMENT) return selectFragment(node, node, { ...around, conditions });
    const fragment = definitions.get(node.name.value);
    return fragment ? selectFragment(node, fragment, { ...around, conditions }) : [];
  };
  const selectFragment = (
    node: SelectedFragment['node'],
    { typeCondition, selectionSet: below }: FragmentDefinitionNode | InlineFragmentNode,
    around: Around,
  ): Selection[] => {
    const type = typeCondition && schema.getType(typeCondition.name.value);
    return select(below, {
      ...around,
      parent: type ?? around.parent,
      fragments: [...around.fragments, { node, type }],
    });
  };
  const toSelection = (node: FieldNode, { parent, fragments, conditions }: Around): Selection => {
    const definition = definitionOf(parent, node.name.value);
    const selections =
      definition && node.selectionSet
        ? select(node.selectionSet, { ...NOTHING, parent: getNamedType(definition.type) })
        : [];
    const needed = definition?.extensions.needs;
    const needs = needed ? select(needed, { ...NOTHING, parent, conditions }) : [];
    return { node, key: (node.alias ?? node.name).value, parent, definition, fragments, conditions, selections, needs };
  };
  const selections = select(definition.selectionSet, { ...NOTHING, parent: rootType });
  return { selections, size };
}

const NOTHING = { fragments: [], conditions: [] };

function definitionOf(parent: GraphQLNamedType, name: string): Selection['definition'] {
  const meta = META_FIELDS.find((field) => field.name === name);
  if (meta) return meta;
  return isObjectType(parent) || isInterfaceType(parent) ? parent.getFields()[name] : undefined;
}

const META_FIELDS = [SchemaMetaFieldDef, TypeMetaFieldDef, TypeNameMetaFieldDef];

const isConditional = ({ directives = [] }: SelectionNode): boolean =>
  directives.some(({ name }) => name.value === 'skip' || name.value === 'include');

/** Whether `@skip` and `@include` leave a field or fragment in. @throws {GraphQLError} as `readArgs`. */
export const isIncluded = (node: SelectionNode, variables: Variables): boolean =>
  readCondition(GraphQLSkipDirective, node, variables) !== true &&
  readCondition(GraphQLIncludeDirective, node, variables) !== false;

function readCondition(directive: GraphQLDirective, { directives = [] }: SelectionNode, variables: Variables): unknown {
  const node = directives.find(({ name }) => name.value === directive.name);
  return node && readArgs(directive, node, variables)['if'];
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
