import {
  BREAK,
  buildSchema,
  type FieldNode,
  type GraphQLAbstractType,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  getNullableType,
  isAbstractType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  Kind,
  SchemaMetaFieldDef,
  TypeMetaFieldDef,
  visit,
} from 'graphql';

import {
  type Args,
  isIncluded,
  readArgs,
  type SelectedFragment,
  type Selection,
  type Variables,
} from '../admission/selections.ts';
import {
  type Chunk,
  compileLeaf,
  type Execution,
  type FieldNodes,
  ignoreRejections,
  isPromiseLike,
  type Path,
  Placeholder,
  pathOf,
  quote,
  type ValueInfo,
  type WriteValue,
} from './execution.ts';

/** An operation whose conditions (`@skip`, `@include`) are decided. */
export interface Compilation {
  readonly schema: GraphQLSchema;
  /** The variables of the conditions. */
  readonly conditions: Variables;
  /** Whether callers may see the schema. */
  readonly isIntrospectable: boolean;
  /** How many fields have arguments that depend on variables, so far. */
  variableArgs: number;
}

/** A field of an object, ready to be resolved and written. */
export interface FieldInfo extends ValueInfo {
  /** Its response name. */
  readonly key: string;
  /** The text before its value: the separator, and the key as JSON. */
  readonly label: string;
  /** The length that an alias adds to the answer; unlike a field's name, it may be as long as a client likes. */
  readonly aliasLength: number;
  /** Gives the value, or its promise. @throws what the resolver throws. */
  readonly resolve: (execution: Execution, source: unknown) => unknown;
}

/** A field as its parts are compiled from it. */
interface SelectedField {
  readonly compilation: Compilation;
  readonly definition: GraphQLField<unknown, unknown>;
  readonly node: FieldNode;
  readonly selections: readonly Selection[];
}

/** Gives the fields that are selected on an object type, in the order of the answer. What is below them is compiled when it is needed. */
export function compileFields(
  compilation: Compilation,
  parentType: GraphQLObjectType,
  selections: readonly Selection[],
): readonly FieldInfo[] {
  return [...collectFields(selections, parentType, compilation)].map(([key, [first, ...others]], order): FieldInfo => {
    const { node } = first;
    const name = node.name.value;
    const coordinate = `${parentType.name}.${name}`;
    const label = `${order === 0 ? '{' : ','}${quote(key)}:`;
    const aliasLength = node.alias ? key.length : 0;
    const nodes: FieldNodes = [node, ...others.map((other) => other.node)];
    const info = { key, label, aliasLength, nodes, order, coordinate };
    if (name === '__typename') return { ...info, ...compileTypename(parentType) };

    const definition = introspectionField(name, compilation) ?? parentType.getFields()[name];
    if (definition === undefined) throw new Error(`There is no field ${coordinate}.`);
    const below = others.length === 0 ? first.selections : [first, ...others].flatMap((one) => one.selections);
    const field = { compilation, definition, node, selections: below };
    return {
      ...info,
      isNullable: !isNonNullType(definition.type),
      resolve: compileResolve(field),
      write: compileValue(definition.type, info, field).write,
    };
  });
}

type SameKey = [Selection, ...Selection[]];

/** Groups what is selected of an object type by response name, in the order of the answer. The first one has the arguments. */
function collectFields(
  selections: readonly Selection[],
  type: GraphQLObjectType,
  { schema, conditions }: Compilation,
): ReadonlyMap<string, SameKey> {
  const entered = new Map<SelectedFragment, boolean>();
  const named = new Set<string>();
  const isOf = (condition: GraphQLNamedType): boolean =>
    condition === type || (isAbstractType(condition) && schema.isSubType(condition, type));
  /** A fragment counts at the first place that spreads it. `@skip` and `@include`, which may fail, come before its type. */
  const enter = ({ node, type: condition }: SelectedFragment): boolean => {
    const name = node.kind === Kind.FRAGMENT_SPREAD ? node.name.value : undefined;
    if ((name && named.has(name)) || !isIncluded(node, conditions)) return false;
    if (name) named.add(name);
    return condition === undefined || isOf(condition);
  };
  const isEntered = (fragment: SelectedFragment): boolean => {
    const known = entered.get(fragment) ?? enter(fragment);
    entered.set(fragment, known);
    return known;
  };
  const fields = new Map<string, SameKey>();
  for (const selection of selections) {
    if (!selection.fragments.every(isEntered) || !isIncluded(selection.node, conditions)) continue;
    const known = fields.get(selection.key);
    if (known === undefined) fields.set(selection.key, [selection]);
    else known.push(selection);
  }
  return fields;
}

/** Writes an object; `undefined` where a field failed that may not be `null`. */
export function writeFields(
  execution: Execution,
  fields: readonly FieldInfo[],
  { source, path, isNullable }: { source: unknown; path: Path | undefined; isNullable: boolean },
): Chunk | undefined {
  let text = fields.length === 0 ? '{' : '';
  let placeholder: Placeholder | undefined;
  for (const field of fields) {
    if (execution.isTooLarge) return 'null';
    const chunk = writeField(execution, field, source, path);
    if (chunk === undefined) return undefined;
    text += field.label;
    if (typeof chunk === 'string') text += chunk;
    else {
      placeholder = (placeholder ?? new Placeholder(isNullable)).append(text).append(chunk);
      text = '';
    }
  }
  return placeholder === undefined ? `${text}}` : placeholder.append(`${text}}`);
}

/** Writes a field's value; `undefined` where it failed and may not be `null`. */
export function writeField(
  execution: Execution,
  field: FieldInfo,
  source: unknown,
  prev: Path | undefined,
): Chunk | undefined {
  execution.length += field.aliasLength;
  let value: unknown;
  try {
    value = field.resolve(execution, source);
  } catch (thrown) {
    return execution.fail(thrown, field, prev, field.key);
  }
  return execution.complete(field, value, prev, field.key);
}

function compileTypename({ name }: GraphQLObjectType): Pick<FieldInfo, 'isNullable' | 'resolve' | 'write'> {
  return { isNullable: false, resolve: () => name, write: compileLeafWriter(() => quote(name)) };
}

/**
 * Gives the introspection field of a query. Where callers may not see the schema, `__type` is `null` and
 * `__schema` has nothing in it: an error would be no valid answer to a valid query.
 */
function introspectionField(
  name: string,
  { isIntrospectable }: Compilation,
): GraphQLField<unknown, unknown> | undefined {
  const field = [SchemaMetaFieldDef, TypeMetaFieldDef].find((known) => known.name === name);
  if (field === undefined || isIntrospectable) return field;
  const visible = name === '__schema' ? buildSchema('type Query { _: Boolean }') : null;
  return { ...field, resolve: () => visible };
}

function compileResolve(field: SelectedField): FieldInfo['resolve'] {
  const { resolve, name } = field.definition;
  const { schema } = field.compilation;
  const argsOf = compileArgs(field);
  // GraphQL's `info` is made for nobody: introspection takes no more of it than this.
  const info = { schema } as GraphQLResolveInfo;
  if (resolve) return (execution, source) => resolve(source, argsOf(execution), execution.context, info);
  return (execution, source) => {
    if (typeof source !== 'object' || source === null) return undefined;
    const member = (source as Readonly<Record<string, unknown>>)[name];
    return typeof member === 'function' ? member.call(source, argsOf(execution), execution.context) : member;
  };
}

/** Arguments are coerced once: for good where they are the document's alone, else once for each execution. */
function compileArgs({ compilation, definition, node }: SelectedField): (execution: Execution) => Args {
  if (!hasVariable(node)) {
    let constant: Args | undefined;
    return () => {
      constant ??= Object.freeze(readArgs(definition, node));
      return constant;
    };
  }
  const number = compilation.variableArgs++;
  return ({ args, variables }) => {
    args[number] ??= Object.freeze(readArgs(definition, node, variables));
    return args[number];
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

type ValuePlace = Omit<ValueInfo, 'isNullable' | 'write'>;

/** Compiles what stands at a field, or at the items of its list. */
function compileValue(type: GraphQLOutputType, place: ValuePlace, field: SelectedField): ValueInfo {
  const info = { ...place, isNullable: !isNonNullType(type) };
  return { ...info, write: compileWriter(getNullableType(type), info, field) };
}

type InfoWithoutWriter = Omit<ValueInfo, 'write'>;

function compileWriter(type: GraphQLOutputType, info: InfoWithoutWriter, field: SelectedField): WriteValue {
  if (isLeafType(type)) return compileLeafWriter(compileLeaf(type));
  if (isListType(type)) return compileList(compileValue(type.ofType, info, field), info);
  if (isAbstractType(type)) return compileAbstract(type, info, field);
  return compileObject(type as GraphQLObjectType, info, field);
}

function compileLeafWriter(write: (value: unknown) => string): WriteValue {
  return (execution, value) => {
    const text = write(value);
    execution.length += text.length;
    return text;
  };
}

function compileList(item: ValueInfo, list: InfoWithoutWriter): WriteValue {
  return (execution, value, prev, key) =>
    writeItems(execution, toItems(value, list.coordinate), {
      item,
      path: pathOf(list, prev, key),
      isNullable: list.isNullable,
    });
}

interface Items {
  readonly item: ValueInfo;
  readonly path: Path;
  readonly isNullable: boolean;
}

/** Writes a list; `undefined` where an item failed that may not be `null`. */
function writeItems(
  execution: Execution,
  values: readonly unknown[],
  { item, path, isNullable }: Items,
): Chunk | undefined {
  let text = '[';
  let placeholder: Placeholder | undefined;
  for (let index = 0; index < values.length; index++) {
    const chunk = execution.complete(item, values[index], path, index);
    if (chunk === undefined || execution.isTooLarge) return ignoreRejections(values.slice(index + 1));
    if (index > 0) text += ',';
    if (typeof chunk === 'string') text += chunk;
    else {
      placeholder = (placeholder ?? new Placeholder(isNullable)).append(text).append(chunk);
      text = '';
    }
  }
  execution.length += values.length;
  return placeholder === undefined ? `${text}]` : placeholder.append(`${text}]`);
}

function toItems(value: unknown, coordinate: string): readonly unknown[] {
  if (Array.isArray(value)) return value;
  if (typeof value === 'object' && value !== null && Symbol.iterator in value) return [...(value as Iterable<unknown>)];
  throw new Error(`Expected Iterable, but did not find one for field "${coordinate}".`);
}

function compileObject(type: GraphQLObjectType, info: InfoWithoutWriter, field: SelectedField): WriteValue {
  const { isNullable } = info;
  let fields: readonly FieldInfo[] | undefined;
  return (execution, source, prev, key) => {
    fields ??= compileFields(field.compilation, type, field.selections);
    return writeFields(execution, fields, { source, path: pathOf(info, prev, key), isNullable });
  };
}

function compileAbstract(type: GraphQLAbstractType, place: InfoWithoutWriter, field: SelectedField): WriteValue {
  const { schema } = field.compilation;
  const resolveType = type.resolveType ?? readTypename;
  const writers = new Map<unknown, WriteValue>();

  const writerOf = (name: unknown): WriteValue => {
    const known = writers.get(name);
    if (known) return known;
    const found = typeof name === 'string' ? schema.getType(name) : undefined;
    if (!isObjectType(found) || !schema.isSubType(type, found)) {
      throw new Error(
        `Abstract type "${type.name}" was resolved to a type "${name}" that does not exist inside the schema.`,
      );
    }
    const write = compileObject(found, place, field);
    writers.set(name, write);
    return write;
  };
  return (execution, value, prev, key) => {
    const name: unknown = resolveType(value, execution.context, undefined as never, type);
    if (!isPromiseLike(name)) return writerOf(name)(execution, value, prev, key);
    const write: WriteValue = (_execution, resolved) => writerOf(resolved)(execution, value, prev, key);
    return execution.complete({ ...place, write }, name, prev, key);
  };
}

const readTypename = (value: unknown): unknown => (value as { readonly __typename?: unknown }).__typename;
