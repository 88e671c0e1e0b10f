import {
  BREAK,
  buildSchema,
  defaultTypeResolver,
  type FieldNode,
  type GraphQLAbstractType,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLResolveInfo,
  getNullableType,
  isAbstractType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  type OperationDefinitionNode,
  SchemaMetaFieldDef,
  type SelectionSetNode,
  TypeMetaFieldDef,
  visit,
} from 'graphql';

import { type Args, type CollectOptions, collectFields, type FieldNodes, readArgs } from './collect-fields.ts';
import {
  type Chunk,
  type Execution,
  ignoreRejections,
  isPromiseLike,
  type Path,
  Placeholder,
  pathOf,
  type ValueInfo,
  type WriteValue,
} from './execution.ts';
import { compileLeaf, quote } from './json.ts';

/** An operation whose conditions (`@skip`, `@include`) are decided. */
export interface Compilation extends CollectOptions {
  readonly operation: OperationDefinitionNode;
  /** Whether callers may see the schema. */
  readonly isIntrospectable: boolean;
  /** How many fields have arguments that depend on variables, so far. */
  variableArgs: number;
}

/** A field of an object, ready to be resolved and written. */
export interface FieldInfo extends ValueInfo {
  /** Its response name. */
  readonly key: string;
  /** What is written before its value: the separator, and the key as JSON. */
  readonly label: string;
  /** What an alias adds to the length of the answer; unlike a field's name, it may be as long as a client likes. */
  readonly aliasLength: number;
  /** Gives the value, or its promise. @throws what the resolver throws. */
  readonly resolve: (execution: Execution, source: unknown, prev: Path | undefined) => unknown;
}

/** A field as its parts are compiled from it. */
interface FieldBasis {
  readonly compilation: Compilation;
  readonly parentType: GraphQLObjectType;
  readonly definition: GraphQLField<unknown, unknown>;
  readonly key: string;
  readonly nodes: FieldNodes;
  readonly order: number;
}

/** Gives the fields that are selected on an object type, in the order of the answer. What is below them is compiled when it is needed. */
export function compileFields(
  compilation: Compilation,
  parentType: GraphQLObjectType,
  sets: readonly SelectionSetNode[],
): readonly FieldInfo[] {
  return [...collectFields(sets, parentType, compilation)].map(([key, nodes], order): FieldInfo => {
    const name = nodes[0].name.value;
    const coordinate = `${parentType.name}.${name}`;
    const label = `${order === 0 ? '{' : ','}${quote(key)}:`;
    const aliasLength = nodes[0].alias ? key.length : 0;
    const info = { key, label, aliasLength, nodes, order, coordinate, typename: parentType.name };
    if (name === '__typename') return { ...info, ...compileTypename(parentType) };

    const definition = introspectionField(name, compilation) ?? parentType.getFields()[name];
    if (definition === undefined) throw new Error(`There is no field ${coordinate}.`);
    const basis = { compilation, parentType, definition, key, nodes, order };
    return {
      ...info,
      isNullable: !isNonNullType(definition.type),
      resolve: compileResolve(basis),
      write: compileValue(definition.type, info, basis).write,
    };
  });
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
    value = field.resolve(execution, source, prev);
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

function compileResolve(basis: FieldBasis): FieldInfo['resolve'] {
  const { resolve, name } = basis.definition;
  const argsOf = compileArgs(basis);
  if (resolve === undefined) {
    return (execution, source, prev) => {
      if (typeof source !== 'object' || source === null) return undefined;
      const member = (source as Readonly<Record<string, unknown>>)[name];
      if (typeof member !== 'function') return member;
      return member.call(source, argsOf(execution), execution.context, resolveInfo(basis, execution, prev));
    };
  }
  // Few resolvers take `info`, and making it for each value would cost more than most of them.
  if (resolve.length < 4) {
    return (execution, source) => resolve(source, argsOf(execution), execution.context, undefined as never);
  }
  return (execution, source, prev) =>
    resolve(source, argsOf(execution), execution.context, resolveInfo(basis, execution, prev));
}

/** Arguments are coerced once: for good where they are the document's alone, else once for each execution. */
function compileArgs({ compilation, definition, nodes: [node] }: FieldBasis): (execution: Execution) => Args {
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

function resolveInfo(
  { compilation, parentType, definition, key, nodes, order }: FieldBasis,
  { variables }: Execution,
  prev: Path | undefined,
): GraphQLResolveInfo {
  return {
    fieldName: definition.name,
    fieldNodes: nodes,
    returnType: definition.type,
    parentType,
    path: { prev, key, typename: parentType.name, order } as Path,
    schema: compilation.schema,
    fragments: compilation.fragments,
    rootValue: undefined,
    operation: compilation.operation,
    variableValues: variables,
  };
}

type ValuePlace = Omit<ValueInfo, 'isNullable' | 'write'>;

/** Compiles what stands at a field, or at the items of its list. */
function compileValue(type: GraphQLOutputType, place: ValuePlace, basis: FieldBasis): ValueInfo {
  const info = { ...place, isNullable: !isNonNullType(type) };
  return { ...info, write: compileWriter(getNullableType(type), info, basis) };
}

type InfoWithoutWriter = Omit<ValueInfo, 'write'>;

function compileWriter(type: GraphQLOutputType, info: InfoWithoutWriter, basis: FieldBasis): WriteValue {
  if (isLeafType(type)) return compileLeafWriter(compileLeaf(type));
  if (isListType(type)) return compileList(compileValue(type.ofType, info, basis), info);
  if (isAbstractType(type)) return compileAbstract(type, info, basis);
  return compileObject(type as GraphQLObjectType, info, basis);
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

function compileObject(type: GraphQLObjectType, info: InfoWithoutWriter, basis: FieldBasis): WriteValue {
  const { isNullable } = info;
  let fields: readonly FieldInfo[] | undefined;
  return (execution, source, prev, key) => {
    if (type.isTypeOf?.(source, execution.context, resolveInfo(basis, execution, aroundField(prev, key))) === false) {
      throw new Error(`The value of ${info.coordinate} is no "${type.name}".`);
    }
    fields ??= compileFields(basis.compilation, type, selectionSets(basis));
    return writeFields(execution, fields, { source, path: pathOf(info, prev, key), isNullable });
  };
}

function compileAbstract(type: GraphQLAbstractType, place: InfoWithoutWriter, basis: FieldBasis): WriteValue {
  const { schema } = basis.compilation;
  const resolveType = type.resolveType ?? defaultTypeResolver;
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
    const write = compileObject(found, place, basis);
    writers.set(name, write);
    return write;
  };
  return (execution, value, prev, key) => {
    const info = resolveType.length < 3 ? undefined : resolveInfo(basis, execution, aroundField(prev, key));
    const name = resolveType(value, execution.context, info as GraphQLResolveInfo, type);
    if (!isPromiseLike(name)) return writerOf(name)(execution, value, prev, key);
    const write: WriteValue = (_execution, resolved) => writerOf(resolved)(execution, value, prev, key);
    return execution.complete({ ...place, write }, name, prev, key);
  };
}

const selectionSets = ({ nodes }: FieldBasis): readonly SelectionSetNode[] =>
  nodes.flatMap(({ selectionSet }) => selectionSet ?? []);

/** The place around a field, from that of its value or of an item in its list. */
function aroundField(prev: Path | undefined, key: string | number): Path | undefined {
  return typeof key === 'number' && prev ? aroundField(prev.prev, prev.key) : prev;
}
