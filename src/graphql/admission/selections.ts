import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type FragmentSpreadNode,
  type GraphQLDirective,
  GraphQLError,
  type GraphQLField,
  GraphQLIncludeDirective,
  type GraphQLInputField,
  type GraphQLInputType,
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLSchema,
  GraphQLSkipDirective,
  getNamedType,
  type InlineFragmentNode,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  SchemaMetaFieldDef,
  type SelectionNode,
  type SelectionSetNode,
  TypeMetaFieldDef,
  TypeNameMetaFieldDef,
  type ValueNode,
} from 'graphql';

import { MAX_CLIENT_ZEROS } from '../../core/decimal.ts';
import { createLocate, type Locate } from '../locations.ts';
import { readArgs, type Variables } from './arguments.ts';
import { LIMITS, MAX_DEPTH, tooMany } from './limits.ts';

/** A field that an operation selects of an object, with fragments put in. Several may select one field of the answer. */
export interface Selection {
  readonly node: FieldNode;
  /** Its name in the answer. */
  readonly key: string;
  /** The type that it is selected on: that of the object, or of the innermost fragment around it. */
  readonly parent: GraphQLNamedType;
  /** `undefined` in a document that does not fit the schema. */
  readonly definition: GraphQLField<unknown, unknown> | undefined;
  /** Whether its arguments depend on variables. */
  readonly hasVariables: boolean;
  /** The innermost fragment around it. */
  readonly fragment: SelectedFragment | undefined;
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
  /** The next fragment around it. */
  readonly around: SelectedFragment | undefined;
}

/** Where an operation names a variable. */
interface VariableUse {
  /** From the argument on, at the first place that names it. */
  readonly path: readonly string[];
  /** The field of an input that it is the value of there, if it is one. */
  readonly field: GraphQLInputField | undefined;
  /** How often arguments of fields name it, at every place where they stand. */
  uses: number;
}

/** An operation of a document, with the tree of its selections, which admission, cost and executor read. */
export interface SelectedOperation {
  readonly schema: GraphQLSchema;
  readonly definition: OperationDefinitionNode;
  readonly rootType: GraphQLObjectType;
  readonly selections: readonly Selection[];
  /** How many fields and fragments there are, at every place where they are spread. */
  readonly size: number;
  readonly variables: ReadonlyMap<string, VariableUse>;
  /** The names of the variables that `@skip` and `@include` depend on. */
  readonly conditionNames: ReadonlySet<string>;
  /** Characters of the literals in its fields' arguments, as `literalLength` counts them, at every place where they stand. */
  readonly literalsLength: number;
  readonly locate: Locate;
}

/** Gives the requested operation of a valid document, or the error where it cannot be run, in the words of graphql-js, or selects too much. */
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
  const { depth, ...selected } = selectFields(document, { schema, definition, rootType });
  const { size, selections } = selected;
  if (size > LIMITS.selections) return tooMany('selections, fragments put in', LIMITS.selections, size);
  if (depth > MAX_DEPTH) return tooMany('levels of selections, fragments put in', MAX_DEPTH, depth);
  return selections.length > LIMITS.rootFields
    ? tooMany('fields at the root of the operation', LIMITS.rootFields, selections.length)
    : { schema, definition, rootType, ...selected, locate: createLocate() };
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
interface Around extends Pick<Selection, 'parent' | 'fragment' | 'conditions'> {
  /** Levels of fields around it. */
  readonly level: number;
}

/** Builds the tree of an operation of a valid document. Fragments that double grow without bounds, so it ends above the limit. */
function selectFields(
  document: DocumentNode,
  { schema, definition, rootType }: Pick<SelectedOperation, 'schema' | 'definition' | 'rootType'>,
) {
  const definitions = new Map<string, FragmentDefinitionNode>();
  for (const node of document.definitions) {
    if (node.kind === Kind.FRAGMENT_DEFINITION) definitions.set(node.name.value, node);
  }
  const variables = new Map<string, VariableUse>();
  const conditionNames = new Set<string>();
  const argumentsOf = new Map<FieldNode, FieldArguments>();
  let literalsLength = 0;
  let size = 0;
  let depth = 0;

  const select = ({ selections }: SelectionSetNode, around: Around): Selection[] =>
    selections.flatMap((node) => (size > LIMITS.selections ? [] : selectNode(node, around)));
  const selectNode = (node: SelectionNode, around: Around): Selection[] => {
    size++;
    const inside = isConditional(node) ? { ...around, conditions: [...around.conditions, node] } : around;
    if (node.kind === Kind.FIELD) return [toSelection(node, inside)];
    noteDirectives(node);
    if (node.kind === Kind.INLINE_FRAGMENT) return selectFragment(node, node, inside);
    const fragment = definitions.get(node.name.value);
    return fragment ? selectFragment(node, fragment, inside) : [];
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
      fragment: { node, type, around: around.fragment },
    });
  };
  const toSelection = (node: FieldNode, around: Around): Selection => {
    const { parent, fragment, conditions } = around;
    const definition = definitionOf(parent, node.name.value);
    const hasVariables = noteArguments(node, definition);
    noteDirectives(node);
    const level = node.name.value.startsWith('__') ? UNCOUNTED : around.level + 1;
    depth = Math.max(depth, level);
    const selections =
      definition && node.selectionSet
        ? select(node.selectionSet, { ...NOTHING, parent: getNamedType(definition.type), level })
        : [];
    const needed = definition?.extensions.needs;
    const needs = needed ? select(needed, { ...NOTHING, parent, conditions, level: UNCOUNTED }) : [];
    const key = (node.alias ?? node.name).value;
    return { node, key, parent, definition, hasVariables, fragment, conditions, selections, needs };
  };
  /** A fragment's field stands at many places, and its arguments are looked at once. */
  const noteArguments = (node: FieldNode, definition: Selection['definition']): boolean => {
    const found = argumentsOf.get(node) ?? findArguments(node, definition);
    argumentsOf.set(node, found);
    literalsLength += found.literals;
    for (const one of found.variables) noteVariable(one).uses++;
    return found.variables.length > 0;
  };
  const noteDirectives = (node: SelectionNode | OperationDefinitionNode): void => {
    for (const { name, value } of node.directives?.flatMap((directive) => directive.arguments ?? []) ?? []) {
      if (value.kind !== Kind.VARIABLE) continue;
      if (node.kind !== Kind.OPERATION_DEFINITION) conditionNames.add(value.name.value);
      noteVariable({ name: value.name.value, path: [name.value], field: undefined });
    }
  };
  const noteVariable = ({ name, path, field }: FoundVariable): VariableUse => {
    const use = variables.get(name) ?? { path, field, uses: 0 };
    variables.set(name, use);
    return use;
  };
  noteDirectives(definition);
  const selections = select(definition.selectionSet, { ...NOTHING, parent: rootType, level: 0 });
  return { selections, size, depth, variables, conditionNames, literalsLength };
}

const NOTHING = { fragment: undefined, conditions: [] };

/** The level of fields that count for no depth: those of introspection, and needs. */
const UNCOUNTED = Number.NEGATIVE_INFINITY;

function definitionOf(parent: GraphQLNamedType, name: string): Selection['definition'] {
  const meta = META_FIELDS.find((field) => field.name === name);
  if (meta) return meta;
  return isObjectType(parent) || isInterfaceType(parent) ? parent.getFields()[name] : undefined;
}

const META_FIELDS = [SchemaMetaFieldDef, TypeMetaFieldDef, TypeNameMetaFieldDef];

interface FieldArguments {
  readonly literals: number;
  readonly variables: readonly FoundVariable[];
}

interface FoundVariable extends Omit<VariableUse, 'uses'> {
  readonly name: string;
}

function findArguments({ arguments: args = [] }: FieldNode, definition: Selection['definition']): FieldArguments {
  const variables: FoundVariable[] = [];
  let literals = 0;
  for (const { name, value } of args) {
    if (value.kind !== Kind.VARIABLE) literals += literalLength(value);
    const type = definition?.args.find((argument) => argument.name === name.value)?.type;
    findVariables(value, { path: [name.value], type, field: undefined }, variables);
  }
  return { literals, variables };
}

/** Characters of a literal in its document, with the zeros that its exponents may stand for. */
export const literalLength = (value: ValueNode): number =>
  (value.loc ? value.loc.end - value.loc.start : 0) + countExponents(value) * MAX_CLIENT_ZEROS;

function countExponents(value: ValueNode): number {
  if (value.kind === Kind.FLOAT) return /e/i.test(value.value) ? 1 : 0;
  const values = value.kind === Kind.LIST ? value.values : [];
  const members = value.kind === Kind.OBJECT ? value.fields.map((field) => field.value) : values;
  let count = 0;
  for (const member of members) count += countExponents(member);
  return count;
}

interface ValuePlace extends Omit<FoundVariable, 'name'> {
  readonly type: GraphQLInputType | undefined;
}

function findVariables(value: ValueNode, { path, field, type }: ValuePlace, found: FoundVariable[]): void {
  if (value.kind === Kind.VARIABLE) found.push({ name: value.name.value, path, field });
  if (value.kind === Kind.LIST) {
    for (const item of value.values) findVariables(item, { path, field: undefined, type }, found);
  }
  if (value.kind !== Kind.OBJECT) return;
  const object = getNamedType(type);
  for (const { name, value: member } of value.fields) {
    const input = isInputObjectType(object) ? object.getFields()[name.value] : undefined;
    findVariables(member, { path: [...path, name.value], field: input, type: input?.type }, found);
  }
}

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
