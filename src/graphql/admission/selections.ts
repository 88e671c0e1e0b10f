import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type FragmentSpreadNode,
  type GraphQLDirective,
  GraphQLError,
  type GraphQLField,
  GraphQLFloat,
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
  locatedError,
  type NamedTypeNode,
  type OperationDefinitionNode,
  SchemaMetaFieldDef,
  type SelectionNode,
  type SelectionSetNode,
  TypeMetaFieldDef,
  TypeNameMetaFieldDef,
  typeFromAST,
  type ValueNode,
} from 'graphql';

import { MAX_CLIENT_ZEROS } from '../../core/decimal.ts';
import { isHeldExactly } from '../../core/json.ts';
import { createLocate, type Locate } from '../locations.ts';
import { NOT_HELD, type Violation, ViolationError } from '../violations.ts';
import { readArgs, type Variables } from './arguments.ts';
import { LIMITS, MAX_DEPTH, tooMany } from './limits.ts';

/**
 * A selected field of an object, with fragments expanded. Several selections may belong to one
 * response field.
 */
export interface Selection {
  readonly node: FieldNode;
  /** The response name. */
  readonly key: string;
  /** The type that it is selected on: the object's type, or the type of the innermost fragment. */
  readonly parent: GraphQLNamedType;
  /** `undefined` if the document does not match the schema. */
  readonly definition: GraphQLField<unknown, unknown> | undefined;
  /** Whether its arguments depend on variables. */
  readonly hasVariables: boolean;
  /** The innermost enclosing fragment. */
  readonly fragment: SelectedFragment | undefined;
  /** The field and its enclosing fragments, if they have `@skip` or `@include`. */
  readonly conditions: readonly SelectionNode[];
  readonly selections: readonly Selection[];
  /**
   * The selections that the field's resolver needs from its object, in addition to the client's.
   */
  readonly needs: readonly Selection[];
}

/** A fragment at one position in the operation. */
export interface SelectedFragment {
  readonly node: FragmentSpreadNode | InlineFragmentNode;
  /** Its type condition. */
  readonly type: GraphQLNamedType | undefined;
  /** The enclosing fragment. */
  readonly around: SelectedFragment | undefined;
}

/** The position of a value in the arguments of a field. */
interface ValuePosition {
  /** The path from the argument on. */
  readonly path: Violation['path'];
  /** The input field that has the value, if there is one. */
  readonly field: GraphQLInputField | undefined;
}

/** The uses of a variable in an operation, with the position of the first use. */
interface VariableUse extends ValuePosition {
  /** The number of uses in arguments of fields, counting each spread of a fragment. */
  uses: number;
  /** The length of its default, computed like `literalsLength`. */
  defaultLength: number;
}

/** An operation with its tree of selections. Admission, cost and executor read it. */
export interface SelectedOperation {
  readonly schema: GraphQLSchema;
  readonly definition: OperationDefinitionNode;
  readonly rootType: GraphQLObjectType;
  readonly selections: readonly Selection[];
  /** The number of fields and fragments, counting each spread of a fragment. */
  readonly size: number;
  readonly variables: ReadonlyMap<string, VariableUse>;
  /** The variables in `@skip` and `@include`. */
  readonly conditionNames: ReadonlySet<string>;
  /**
   * The characters of the literals in arguments, including the zeros of exponents, and counting
   * each spread of a fragment.
   */
  readonly literalsLength: number;
  readonly locate: Locate;
}

/**
 * Returns the requested operation of a valid document. Returns an error if the operation does not
 * exist (with the message of graphql-js), or exceeds a limit.
 */
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

  const { depth, inexact, ...selected } = selectFields(document, { schema, definition, rootType });
  const { size, selections } = selected;
  if (size > LIMITS.selections) {
    return tooMany('selections, fragments put in', LIMITS.selections, size);
  }
  if (depth > MAX_DEPTH) return tooMany('levels of selections, fragments put in', MAX_DEPTH, depth);
  if (inexact.length > 0) return locatedError(new ViolationError(inexact), undefined);
  if (selections.length > LIMITS.rootFields) {
    return tooMany('fields at the root of the operation', LIMITS.rootFields, selections.length);
  }
  return { schema, definition, rootType, ...selected, locate: createLocate(document) };
}

/** Returns the requested operation. Other operations of the document do not run. */
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

/** The context of a selection. */
interface Around {
  readonly parent: Selection['parent'];
  readonly fragment: Selection['fragment'];
  readonly conditions: Selection['conditions'];
  /** The number of enclosing fields. */
  readonly level: number;
}

/**
 * Builds the tree of selections. Nested fragments can grow exponentially, so it stops above the
 * limit.
 */
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
  const argumentsOf = new Map<FieldNode, FoundValues>();
  const inexact: Violation[] = [];
  let literalsLength = 0;
  let size = 0;
  let depth = 0;

  const select = ({ selections }: SelectionSetNode, around: Around): Selection[] => {
    const selected: Selection[] = [];
    for (const node of selections) {
      if (size > LIMITS.selections) break;
      selected.push(...selectNode(node, around));
    }
    return selected;
  };
  const selectNode = (node: SelectionNode, around: Around): readonly Selection[] => {
    size++;
    let inside = around;
    if (isConditional(node)) inside = { ...around, conditions: [...around.conditions, node] };
    if (node.kind === Kind.FIELD) return [toSelection(node, inside)];

    noteDirectives(node);
    if (node.kind === Kind.INLINE_FRAGMENT) return selectFragment(node, node, inside);
    const fragment = definitions.get(node.name.value);
    return fragment ? selectFragment(node, fragment, inside) : [];
  };
  const selectFragment = (
    node: SelectedFragment['node'],
    { typeCondition, selectionSet: children }: FragmentDefinitionNode | InlineFragmentNode,
    around: Around,
  ): Selection[] => {
    const type = typeCondition && schema.getType(typeCondition.name.value);
    return select(children, {
      ...around,
      parent: type ?? around.parent,
      fragment: { node, type, around: around.fragment },
    });
  };
  const toSelection = (node: FieldNode, around: Around): Selection => {
    const { parent, fragment, conditions } = around;
    const key = (node.alias ?? node.name).value;
    const definition = definitionOf(parent, node.name.value);
    const hasVariables = noteArguments(node, definition);
    noteDirectives(node);

    const level = node.name.value.startsWith('__') ? UNCOUNTED : around.level + 1;
    depth = Math.max(depth, level);
    let selections: readonly Selection[] = [];
    if (definition && node.selectionSet) {
      const type = getNamedType(definition.type);
      selections = select(node.selectionSet, { ...NOTHING, parent: type, level });
    }

    let needs: readonly Selection[] = [];
    if (definition?.extensions.needs) {
      const inside = { ...NOTHING, parent, conditions, level: UNCOUNTED };
      needs = select(definition.extensions.needs, inside);
    }
    return { node, key, parent, definition, hasVariables, fragment, conditions, selections, needs };
  };
  /** Reads the arguments of a field once, even if its fragment is spread several times. */
  const noteArguments = (node: FieldNode, definition: Selection['definition']): boolean => {
    const found = argumentsOf.get(node) ?? findArguments(node, definition, inexact);
    argumentsOf.set(node, found);
    literalsLength += found.length;
    for (const variable of found.variables) noteVariable(variable).uses++;
    return found.variables.length > 0;
  };
  const noteDirectives = (node: SelectionNode | OperationDefinitionNode): void => {
    const directives = node.directives ?? [];
    for (const { name, value } of directives.flatMap(({ arguments: args = [] }) => args)) {
      if (value.kind !== Kind.VARIABLE) continue;
      const variable = value.name.value;
      if (node.kind !== Kind.OPERATION_DEFINITION) conditionNames.add(variable);
      noteVariable({ name: variable, path: [name.value], field: undefined });
    }
  };
  const noteVariable = ({ name, path, field }: FoundVariable): VariableUse => {
    const use = variables.get(name) ?? { path, field, uses: 0, defaultLength: 0 };
    variables.set(name, use);
    return use;
  };

  noteDirectives(definition);
  const selections = select(definition.selectionSet, { ...NOTHING, parent: rootType, level: 0 });
  for (const { variable, type, defaultValue } of definition.variableDefinitions ?? []) {
    if (defaultValue === undefined) continue;
    const { value: name } = variable.name;
    const use = noteVariable({ name, path: [name], field: undefined });
    // Validation has refused types that are not input types.
    const inputType = typeFromAST(schema, type as NamedTypeNode) as GraphQLInputType | undefined;
    const found: FoundValues = { length: 0, variables: [], inexact };
    findValues(defaultValue, { path: [name], field: undefined, type: inputType }, found);
    use.defaultLength = found.length;
  }
  return { selections, size, depth, variables, conditionNames, literalsLength, inexact };
}

const NOTHING = { fragment: undefined, conditions: [] };

/** The level of introspection fields and needs. They do not count for the depth. */
const UNCOUNTED = Number.NEGATIVE_INFINITY;

function definitionOf(parent: GraphQLNamedType, name: string): Selection['definition'] {
  const meta = META_FIELDS.find((field) => field.name === name);
  if (meta) return meta;
  return isObjectType(parent) || isInterfaceType(parent) ? parent.getFields()[name] : undefined;
}

const META_FIELDS = [SchemaMetaFieldDef, TypeMetaFieldDef, TypeNameMetaFieldDef];

/** The literals and variables in a field's arguments or in a default. */
interface FoundValues {
  /** Characters in the document, plus the highest number of zeros for each exponent. */
  length: number;
  readonly variables: FoundVariable[];
  /** Literals of `Float` that graphql-js would round, for example 1e309 to `Infinity`. */
  readonly inexact: Violation[];
}

interface FoundVariable extends ValuePosition {
  readonly name: string;
}

function findArguments(
  { arguments: args = [] }: FieldNode,
  definition: Selection['definition'],
  inexact: Violation[],
): FoundValues {
  const found: FoundValues = { length: 0, variables: [], inexact };
  for (const { name, value } of args) {
    const type = definition?.args.find((argument) => argument.name === name.value)?.type;
    findValues(value, { path: [name.value], type, field: undefined }, found);
  }
  return found;
}

interface TypedPosition extends ValuePosition {
  readonly type: GraphQLInputType | undefined;
}

/** Adds the literals and variables of an argument or a default to `found`. */
function findValues(value: ValueNode, position: TypedPosition, found: FoundValues): void {
  if (value.kind !== Kind.VARIABLE && value.loc) found.length += value.loc.end - value.loc.start;
  findWithin(value, position, found);
}

function findWithin(
  value: ValueNode,
  { path, field, type }: TypedPosition,
  found: FoundValues,
): void {
  switch (value.kind) {
    case Kind.VARIABLE:
      found.variables.push({ name: value.name.value, path, field });
      return;
    case Kind.LIST:
      for (const [index, item] of value.values.entries()) {
        findWithin(item, { path: [...path, index], field: undefined, type }, found);
      }
      return;
    case Kind.OBJECT:
      for (const { name, value: member } of value.fields) {
        const input = inputFieldOf(type, name.value);
        findWithin(member, { path: [...path, name.value], field: input, type: input?.type }, found);
      }
      return;
    case Kind.INT:
    case Kind.FLOAT:
      if (/e/i.test(value.value)) found.length += MAX_CLIENT_ZEROS;
      if (getNamedType(type) !== GraphQLFloat) return;
      if (isHeldExactly(value.value, Number(value.value))) return;
      found.inexact.push({ path, constraint: 'kind', message: NOT_HELD });
  }
}

function inputFieldOf(
  type: GraphQLInputType | undefined,
  name: string,
): GraphQLInputField | undefined {
  const object = getNamedType(type);
  return isInputObjectType(object) ? object.getFields()[name] : undefined;
}

const isConditional = ({ directives = [] }: SelectionNode): boolean =>
  directives.some(({ name }) => name.value === 'skip' || name.value === 'include');

/**
 * Returns whether `@skip` and `@include` include a field or fragment.
 *
 * @throws {ArgumentError} like `readArgs`.
 */
export const isIncluded = (node: SelectionNode, variables: Variables): boolean =>
  readCondition(GraphQLSkipDirective, node, variables) !== true &&
  readCondition(GraphQLIncludeDirective, node, variables) !== false;

function readCondition(
  directive: GraphQLDirective,
  { directives = [] }: SelectionNode,
  variables: Variables,
): unknown {
  const node = directives.find(({ name }) => name.value === directive.name);
  return node && readArgs(directive, node, variables)['if'];
}
