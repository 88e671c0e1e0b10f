import {
  type FieldNode,
  type GraphQLAbstractType,
  GraphQLBoolean,
  GraphQLError,
  type GraphQLField,
  GraphQLFloat,
  GraphQLID,
  GraphQLInt,
  type GraphQLLeafType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  GraphQLString,
  getNullableType,
  isAbstractType,
  isIntrospectionType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  Kind,
  locatedError,
  OperationTypeNode,
} from 'graphql';
import { UpstreamError } from '../core/errors.ts';
import {
  ArgumentError,
  type ArgumentReaders,
  type ArgumentSource,
  createArgumentReaders,
  type Variables,
} from './admission/arguments.ts';
import {
  isIncluded,
  type SelectedFragment,
  type SelectedOperation,
  type Selection,
} from './admission/selections.ts';
import { introspectionField, maxSchemaFields, type VisibleTo } from './introspection.ts';
import type { Locate } from './locations.ts';
import type { ReadNeeds, ReadPayload } from './schema-metadata.ts';

/** The result of an operation. */
export interface Result {
  /** JSON. `undefined` if nothing was executed. */
  readonly data: string | undefined;
  readonly errors: readonly GraphQLError[];
  /** Whether a root field has a value. */
  readonly hasData: boolean;
}

/**
 * Executes an operation with coerced variables. Returns the result synchronously if nothing is
 * pending. It throws only for bugs in the gateway.
 */
export type RunCompiled = (context: unknown, variables: Variables) => Result | Promise<Result>;

/** An object or list of the response, linked to its parents. */
interface ResponseNode {
  readonly value: Record<string | number, unknown>;
  /** The enclosing object or list. `undefined` for `data`. */
  readonly prev: ResponseNode | undefined;
  readonly key: string | number;
  readonly isNullable: boolean;
  /** The fields of an object. They define the order of the errors. */
  readonly fields: readonly FieldPlan[];
  /** Whether this value or an enclosing one became `null` because of a nested failure. */
  isNull: boolean;
}

/** The plan for the values of a field, or for the items of its list. */
interface ValuePlan {
  readonly nodes: readonly FieldNode[];
  /** `Type.field`, for messages. */
  readonly coordinate: string;
  readonly isNullable: boolean;
  /** Writes a value that is not `null`. @throws its own failure. */
  readonly write: (
    execution: Execution,
    value: unknown,
    node: ResponseNode,
    key: string | number,
  ) => void;
}

/** The plan of an object's field: resolve, then write. */
interface FieldPlan extends ValuePlan {
  readonly key: string;
  readonly resolve: (execution: Execution, source: unknown) => unknown;
}

interface Compilation {
  readonly schema: GraphQLSchema;
  /** The variables of `@skip` and `@include`. */
  readonly conditions: Variables;
  readonly visibleTo: VisibleTo;
  readonly readerOf: ArgumentReaders;
  /** Counts the compiled fields. */
  readonly memory: { fields: number };
}

interface CompileOptions {
  /** The highest number of characters of a response. Longer ones fail with ANSWER_TOO_LARGE. */
  readonly maxLength: number;
  /**
   * The highest number of errors in a response. The last one contains the number of omitted errors.
   */
  readonly maxErrors?: number;
  /** By default the whole schema is visible. */
  readonly visibleTo?: VisibleTo;
}

/**
 * The highest number of compiled combinations of `@skip` and `@include` per operation. Also limits
 * the compiled fields, in multiples of the operation's size.
 */
const MAX_VARIANTS = 4;

/**
 * Compiles an operation of a valid document. Its results equal the results of graphql-js and take
 * less time. Resolvers get no `info`.
 */
export function compileOperation(
  operation: SelectedOperation,
  { maxLength, maxErrors = 200, visibleTo = () => operation.schema }: CompileOptions,
): RunCompiled {
  const { schema, definition, rootType, selections } = operation;
  const names = [...operation.conditionNames];
  const variants = new Map<string, readonly FieldPlan[]>();
  const memory = { fields: 0 };
  let readerOf = createArgumentReaders();
  const fieldsFor = (variables: Variables): readonly FieldPlan[] => {
    const id = names.map((name) => variables[name]).join();
    const known = variants.get(id);
    // The fields of an interface are compiled for each object type that occurs. There may be
    // hundreds of types.
    const isFull = memory.fields > MAX_VARIANTS * operation.size;
    if (known && !isFull) return known;
    if (isFull || variants.size >= MAX_VARIANTS) {
      variants.clear();
      memory.fields = 0;
      readerOf = createArgumentReaders();
    }
    const conditions = Object.fromEntries(names.map((name) => [name, variables[name]]));
    const compilation = { schema, conditions, visibleTo, readerOf, memory };
    const fields = compileFields(compilation, rootType, selections);
    variants.set(id, fields);
    return fields;
  };
  const isSerial = definition.operation === OperationTypeNode.MUTATION;

  return (context, variables) => {
    try {
      const execution = new Execution(context, variables, maxLength, fieldsFor(variables));
      const finish = () => execution.finish(maxErrors, operation.locate);
      if (isSerial) return writeInSeries(execution).then(finish);
      writeFields(execution, undefined, execution.data);
      return execution.isWaiting ? execution.idle().then(finish) : finish();
    } catch (error) {
      if (!(error instanceof ArgumentError)) throw error;
      return withoutData(operation.locate(error, [error.node]));
    }
  };
}

/** A value of the response that is pending. */
interface Waiter {
  readonly plan: ValuePlan;
  readonly node: ResponseNode;
  readonly key: string | number;
}

/** A failed value of the response. Its error is created at the end, if it is within `maxErrors`. */
interface Failure extends Waiter {
  readonly thrown: unknown;
}

/** One execution: pending values, failures and the response data. */
class Execution {
  readonly context: unknown;
  readonly variables: Variables;
  readonly maxLength: number;
  /** Coerced arguments with variables, by the number of their reader. */
  readonly args: ArgumentSource['args'] = [];
  readonly data: ResponseNode;
  /** A lower bound of the response's characters. */
  length = 0;
  /** The number of fields below `__schema` and `__type`. */
  #schemaFields = 0;
  #maxSchemaFields: number | undefined;
  #hasTooManySchemaFields = false;
  /** Rows that refer to the same record share one promise. */
  readonly #waiters = new Map<PromiseLike<unknown>, Waiter[]>();
  readonly #failures: Failure[] = [];
  /** The fields of each list that have failed with an `isOncePerList` error. */
  readonly #failedOnce = new Map<ResponseNode | undefined, Set<ValuePlan>>();
  #onIdle: (() => void) | undefined;

  constructor(
    context: unknown,
    variables: Variables,
    maxLength: number,
    fields: readonly FieldPlan[],
  ) {
    this.context = context;
    this.variables = variables;
    this.maxLength = maxLength;
    this.data = {
      value: creatorOf(fields)(),
      prev: undefined,
      key: 'data',
      isNullable: true,
      fields,
      isNull: false,
    };
  }

  /** Whether the response exceeds a limit. Nothing more is then read or written. */
  get isTooLarge(): boolean {
    return this.length > this.maxLength || this.#hasTooManySchemaFields;
  }

  /** Counts fields below `__schema` and `__type` towards their limit. */
  addSchemaFields(count: number, visibleTo: VisibleTo): void {
    this.#maxSchemaFields ??= maxSchemaFields(visibleTo(this.context));
    this.#schemaFields += count;
    this.#hasTooManySchemaFields = this.#schemaFields > this.#maxSchemaFields;
  }

  get isWaiting(): boolean {
    return this.#waiters.size > 0;
  }

  idle(): Promise<void> {
    return new Promise((resolve) => {
      this.#onIdle = resolve;
    });
  }

  /**
   * Writes a value. A failure writes `null` to this value or an enclosing one (GraphQL spec,
   * 6.4.4).
   */
  put(plan: ValuePlan, value: unknown, node: ResponseNode, key: string | number): void {
    try {
      if (value === null || value === undefined) {
        if (!plan.isNullable) {
          throw new Error(`Cannot return null for non-nullable field ${plan.coordinate}.`);
        }
        this.length += 'null'.length;
        node.value[key] = null;
        return;
      }
      // Most values are no objects, and take the shortest way.
      if (typeof value === 'object') {
        if (isPromiseLike(value)) {
          this.#wait(value, { plan, node, key });
          return;
        }
        if (value instanceof Error) throw value;
      }
      plan.write(this, value, node, key);
    } catch (thrown) {
      this.fail(thrown, plan, node, key);
    }
  }

  fail(thrown: unknown, plan: ValuePlan, node: ResponseNode, key: string | number): void {
    const { isNullable } = plan;
    const isRepeated = isNullable && this.#isRepeated(thrown, plan, node);
    if (!isRepeated) this.#failures.push({ thrown, plan, node, key });
    if (isNullable) {
      node.value[key] = null;
      return;
    }

    let nulled = node;
    nulled.isNull = true;
    while (!nulled.isNullable && nulled.prev) {
      nulled = nulled.prev;
      nulled.isNull = true;
    }
    if (nulled.prev) nulled.prev.value[nulled.key] = null;
  }

  /** Returns whether the innermost list already has this error in another row. */
  #isRepeated(thrown: unknown, plan: ValuePlan, node: ResponseNode): boolean {
    if (!(thrown instanceof UpstreamError) || !thrown.isOncePerList) return false;
    let row: ResponseNode | undefined = node;
    while (row && typeof row.key === 'string') row = row.prev;
    if (row === undefined) return false;

    const failed = this.#failedOnce.get(row.prev) ?? new Set();
    this.#failedOnce.set(row.prev, failed);
    const isRepeated = failed.has(plan);
    failed.add(plan);
    return isRepeated;
  }

  #wait(promise: PromiseLike<unknown>, waiter: Waiter): void {
    // Reserves the member's position in the object.
    waiter.node.value[waiter.key] = null;
    const known = this.#waiters.get(promise);
    if (known) {
      known.push(waiter);
      return;
    }

    const waiters = [waiter];
    this.#waiters.set(promise, waiters);
    const native = promise instanceof Promise ? promise : Promise.resolve(promise);
    native.then(
      (value) => {
        this.#waiters.delete(promise);
        for (const { plan, node, key } of waiters) {
          const isDropped = isLost(node) || this.isTooLarge;
          if (isDropped) ignoreRejections(value);
          else this.put(plan, value, node, key);
        }
        if (!this.isWaiting) this.#onIdle?.();
      },
      (thrown) => {
        this.#waiters.delete(promise);
        for (const { plan, node, key } of waiters) {
          if (!isLost(node)) this.fail(thrown, plan, node, key);
        }
        if (!this.isWaiting) this.#onIdle?.();
      },
    );
  }

  finish(maxErrors: number, locate: Locate): Result {
    if (this.isTooLarge) return withoutData(this.#excess());
    const data = JSON.stringify(this.#value);
    if (data.length > this.maxLength) return withoutData(tooLarge(this.maxLength));

    const count = this.#failures.length;
    const isCut = count > maxErrors;
    const shown = inOrder(this.#failures).slice(0, isCut ? maxErrors - 1 : count);
    const errors = shown.map((failure) => toError(failure, locate));
    if (isCut) errors.push(leftOut(count - shown.length));

    const rootValues = Object.values(this.#value ?? {});
    const hasData = count === 0 || rootValues.some((value) => value !== null);
    return { data, errors, hasData };
  }

  /**
   * Returns the data, or the error behind the first failure. Adds the length to another execution.
   *
   * @param isPartial whether failed values are `null` instead.
   */
  read(outer: Execution, isPartial: boolean): unknown {
    outer.length += this.length;
    if (this.isTooLarge) return this.#excess();
    const [failure] = isPartial ? [] : inOrder(this.#failures);
    return failure ? withoutPlace(toError(failure)) : this.#value;
  }

  #excess(): GraphQLError {
    if (!this.#hasTooManySchemaFields) return tooLarge(this.maxLength);
    return tooManySchemaFields(this.#maxSchemaFields);
  }

  get #value(): ResponseNode['value'] | null {
    return this.data.isNull ? null : this.data.value;
  }
}

/** Returns the original failure, so that the dependent field can fail with it. */
export const withoutPlace = ({ message, extensions, originalError }: GraphQLError): Error =>
  originalError ?? new GraphQLError(message, { extensions });

const withoutData = (error: GraphQLError): Result => ({
  data: 'null',
  errors: [error],
  hasData: false,
});

function tooLarge(maxLength: number): GraphQLError {
  const message = `The answer is not given: it has more than ${maxLength} characters. What was changed is changed.`;
  return new GraphQLError(message, { extensions: { code: 'ANSWER_TOO_LARGE' } });
}

function tooManySchemaFields(max: number | undefined): GraphQLError {
  const reason = 'twice as many as the standard introspection query selects';
  const message = `The answer may have at most ${max} fields below \`__schema\` and \`__type\`, ${reason}.`;
  return new GraphQLError(message, { extensions: { code: 'COST_EXCEEDED' } });
}

const leftOut = (count: number) =>
  new GraphQLError(`${count} more errors are left out.`, {
    extensions: { code: 'TOO_MANY_ERRORS' },
  });

/** Returns whether the value is inside a part that became `null`. */
function isLost(node: ResponseNode): boolean {
  for (let around: ResponseNode | undefined = node; around; around = around.prev) {
    if (around.isNull) return true;
  }
  return false;
}

function pathOf(node: ResponseNode, key: string | number): (string | number)[] {
  const path = [key];
  for (let around = node; around.prev; around = around.prev) path.unshift(around.key);
  return path;
}

/** Creates the error of a failure with its path and locations. */
function toError({ thrown, plan, node, key }: Failure, locate?: Locate): GraphQLError {
  const error = locatedError(thrown, undefined, pathOf(node, key));
  if (!locate) return error;
  const nodes = thrown instanceof ArgumentError ? [thrown.node] : plan.nodes;
  return locate(error, nodes);
}

/** Sorts failures by response order, so that equal responses have equal bytes. */
function inOrder(failures: readonly Failure[]): readonly Failure[] {
  if (failures.length < 2) return failures;
  const orders = new Map<ResponseNode, readonly number[]>();
  const orderOf = (node: ResponseNode): readonly number[] => {
    const known = orders.get(node);
    if (known) return known;
    const order = node.prev ? [...orderOf(node.prev), positionIn(node.prev, node.key)] : [];
    orders.set(node, order);
    return order;
  };

  const placed = failures.map((failure) => {
    const { node, key } = failure;
    return { failure, order: [...orderOf(node), positionIn(node, key)] };
  });
  placed.sort((one, other) => compareOrders(one.order, other.order));
  return placed.map(({ failure }) => failure);
}

/** Compares two positions level by level. An enclosing value comes before its parts. */
function compareOrders(one: readonly number[], other: readonly number[]): number {
  for (const [level, position] of one.entries()) {
    const otherPosition = other[level];
    if (otherPosition === undefined) break;
    if (position !== otherPosition) return position - otherPosition;
  }
  return one.length - other.length;
}

const positionIn = ({ fields }: ResponseNode, key: string | number): number =>
  typeof key === 'number' ? key : fields.findIndex((field) => field.key === key);

export function isPromiseLike(value: unknown): value is PromiseLike<unknown> {
  return (
    typeof value === 'object' &&
    value !== null &&
    typeof (value as PromiseLike<unknown>).then === 'function'
  );
}

/** Handles rejections in a discarded list, because nothing else awaits them. */
function ignoreRejections(value: unknown): void {
  if (!Array.isArray(value)) return;
  for (const item of value) {
    if (isPromiseLike(item)) item.then(undefined, () => undefined);
  }
}

function writeFields(execution: Execution, source: unknown, node: ResponseNode): void {
  for (const field of node.fields) {
    if (node.isNull || execution.isTooLarge) return;
    writeField(execution, field, source, node);
  }
}

function writeField(
  execution: Execution,
  field: FieldPlan,
  source: unknown,
  node: ResponseNode,
): void {
  let value: unknown;
  try {
    value = field.resolve(execution, source);
  } catch (thrown) {
    execution.fail(thrown, field, node, field.key);
    return;
  }
  execution.put(field, value, node, field.key);
}

/**
 * Executes the fields of a mutation one after the other (GraphQL spec, 6.2.2). A field starts after
 * all nested fields of the previous one.
 */
async function writeInSeries(execution: Execution): Promise<void> {
  for (const field of execution.data.fields) {
    writeField(execution, field, undefined, execution.data);
    if (execution.isWaiting) await execution.idle();
    if (execution.data.isNull) return;
  }
}

/**
 * Returns the selected fields of an object type in response order. Nested fields are compiled on
 * first use.
 */
function compileFields(
  compilation: Compilation,
  parent: GraphQLObjectType,
  selections: readonly Selection[],
): readonly FieldPlan[] {
  const selected = collectFields(selections, parent, compilation);
  compilation.memory.fields += selected.size;
  return [...selected].map(([key, sameKey]) => compileField(compilation, parent, key, sameKey));
}

/** Compiles the selections of one response name. */
function compileField(
  compilation: Compilation,
  parent: GraphQLObjectType,
  key: string,
  sameKey: SameKey,
): FieldPlan {
  const [first, ...others] = sameKey;
  const name = first.node.name.value;
  const coordinate = `${parent.name}.${name}`;
  const nodes = sameKey.map(({ node }) => node);
  if (name === '__typename') {
    return {
      key,
      coordinate,
      nodes,
      isNullable: false,
      resolve: () => parent.name,
      write: writerOfLeaf(GraphQLString),
    };
  }

  const definition = introspectionField(name, compilation.visibleTo) ?? parent.getFields()[name];
  if (definition === undefined) throw new Error(`There is no field ${coordinate}.`);
  const children =
    others.length === 0 ? first.selections : sameKey.flatMap(({ selections }) => selections);
  const { isNullable, write } = compileValuePlan(
    definition.type,
    { nodes, coordinate },
    compilation,
    children,
  );
  const resolve = compileResolve(definition, first, parent, compilation, children);
  return { key, coordinate, nodes, isNullable, resolve, write };
}

type SameKey = [Selection, ...Selection[]];

/**
 * Groups selections of an object type by response name, in response order. The first selection of a
 * group has the arguments.
 */
function collectFields(
  selections: readonly Selection[],
  type: GraphQLObjectType,
  { schema, conditions }: Compilation,
): ReadonlyMap<string, SameKey> {
  const entered = new Map<SelectedFragment, boolean>();
  const named = new Set<string>();
  /**
   * Only the first spread of a fragment counts. `@skip` and `@include` are evaluated before the
   * type condition, because they may fail.
   */
  const enter = ({ node, type: condition }: SelectedFragment): boolean => {
    const name = node.kind === Kind.FRAGMENT_SPREAD ? node.name.value : undefined;
    if (name && named.has(name)) return false;
    if (!isIncluded(node, conditions)) return false;
    if (name) named.add(name);
    return isMatching(condition, type, schema);
  };
  const isEntered = (fragment: SelectedFragment | undefined): boolean => {
    if (fragment === undefined) return true;
    const known = entered.get(fragment);
    if (known !== undefined) return known;
    const isNow = isEntered(fragment.around) && enter(fragment);
    entered.set(fragment, isNow);
    return isNow;
  };

  const fields = new Map<string, SameKey>();
  for (const selection of selections) {
    if (!isEntered(selection.fragment) || !isIncluded(selection.node, conditions)) continue;
    const known = fields.get(selection.key);
    if (known === undefined) fields.set(selection.key, [selection]);
    else known.push(selection);
  }
  return fields;
}

/** Returns whether a fragment's type condition includes an object type. */
function isMatching(
  condition: SelectedFragment['type'],
  type: GraphQLObjectType,
  schema: GraphQLSchema,
): boolean {
  if (condition === undefined || condition === type) return true;
  return isAbstractType(condition) && schema.isSubType(condition, type);
}

function compileResolve(
  definition: GraphQLField<unknown, unknown>,
  selected: Selection,
  parent: GraphQLObjectType,
  compilation: Compilation,
  children: readonly Selection[],
): FieldPlan['resolve'] {
  const { resolve, name } = definition;
  const { needs } = selected;
  const argsOf = compilation.readerOf(definition, selected.node, selected.hasVariables);
  if (resolve && needs.length > 0) {
    const readNeeds = compileNeeds(needs, parent, compilation);
    return (execution, source) =>
      resolve(source, argsOf(execution), execution.context, readNeeds(execution, source) as never);
  }
  const payload = getNullableType(definition.type);
  if (resolve && definition.extensions.change && isObjectType(payload)) {
    // The payload as the client selects it, for a change that is not made.
    const readPayload = compileNeeds(children, payload, compilation, true);
    return (execution, source) => {
      const read: ReadPayload = (value) => readPayload(execution, value)((selected) => selected);
      return resolve(source, argsOf(execution), execution.context, read as never);
    };
  }
  // The executor creates no full `info`. Introspection reads only this member.
  const info = { schema: compilation.schema } as GraphQLResolveInfo;
  if (resolve)
    return (execution, source) => resolve(source, argsOf(execution), execution.context, info);
  return (execution, source) => {
    if (typeof source !== 'object' || source === null) return undefined;
    const member = (source as Readonly<Record<string, unknown>>)[name];
    return typeof member === 'function'
      ? member.call(source, argsOf(execution), execution.context)
      : member;
  };
}

/**
 * Returns a function that resolves a field's `needs` separately from the response.
 *
 * @param isPartial whether failed values are `null`. Otherwise the failure is returned.
 */
function compileNeeds(
  needs: readonly Selection[],
  parent: GraphQLObjectType,
  compilation: Compilation,
  isPartial = false,
) {
  let fields: readonly FieldPlan[] | undefined;
  return (outer: Execution, source: unknown): ReadNeeds =>
    (use) => {
      fields ??= compileFields(compilation, parent, needs);
      const execution = new Execution(outer.context, outer.variables, outer.maxLength, fields);
      writeFields(execution, source, execution.data);
      const finish = () => use(execution.read(outer, isPartial));
      return execution.isWaiting ? execution.idle().then(finish) : finish();
    };
}

/** Compiles the plan for a field's value, or for the items of its list. */
function compileValuePlan(
  type: GraphQLOutputType,
  info: Pick<ValuePlan, 'nodes' | 'coordinate'>,
  compilation: Compilation,
  children: readonly Selection[],
): ValuePlan {
  const inner = getNullableType(type);
  const isNullable = !isNonNullType(type);
  let write: ValuePlan['write'];
  if (isLeafType(inner)) {
    write = writerOfLeaf(inner);
  } else if (isListType(inner)) {
    const item = compileValuePlan(inner.ofType, info, compilation, children);
    write = writerOfList(item, isNullable);
  } else if (isAbstractType(inner)) {
    write = writerOfAbstract(inner, isNullable, compilation, children);
  } else {
    write = writerOfObject(inner as GraphQLObjectType, isNullable, compilation, children);
  }
  return { nodes: info.nodes, coordinate: info.coordinate, isNullable, write };
}

function writerOfLeaf(type: GraphQLLeafType): ValuePlan['write'] {
  const serialize = serializerOf(type);
  return (execution, value, node, key) => {
    const serialized = serialize(value);
    execution.length += lengthOf(serialized);
    node.value[key] = serialized;
  };
}

/**
 * Returns the serializer of a scalar or enum. For built-in scalars, values of the right type are
 * returned unchanged.
 */
export function serializerOf(type: GraphQLLeafType): (value: unknown) => unknown {
  const serialize = (value: unknown): unknown => {
    const serialized = type.serialize(value);
    if (serialized == null) throw new Error(`Expected \`${type}.serialize()\` to return a value.`);
    return serialized;
  };
  switch (type) {
    case GraphQLString:
    case GraphQLID:
      return (value) => (typeof value === 'string' ? value : serialize(value));
    case GraphQLBoolean:
      return (value) => (typeof value === 'boolean' ? value : serialize(value));
    case GraphQLInt:
      return (value) => (((value as number) | 0) === value ? value : serialize(value));
    case GraphQLFloat:
      return (value) => (Number.isFinite(value) ? value : serialize(value));
    default:
      return serialize;
  }
}

/** In shorter strings, escapes are not counted. A response has at most 20,000 strings. */
const LONG_STRING = 100;

/** Returns the number of characters of a value as JSON. */
function lengthOf(value: unknown): number {
  if (typeof value === 'string') {
    return value.length > LONG_STRING ? JSON.stringify(value).length : value.length + 2;
  }
  if (typeof value !== 'object' || value === null) return String(value).length;
  let length = 1;
  if (Array.isArray(value)) {
    for (const item of value) length += 1 + lengthOf(item);
    return length;
  }
  for (const name in value) length += lengthOf(name) + 2 + lengthOf((value as Variables)[name]);
  return length;
}

function writerOfList(item: ValuePlan, isNullable: boolean): ValuePlan['write'] {
  return (execution, value, prev, key) => {
    const values = toItems(value, item.coordinate);
    const items: unknown[] = [];
    const node: ResponseNode = {
      value: items as unknown as ResponseNode['value'],
      prev,
      key,
      isNullable,
      fields: [],
      isNull: false,
    };
    prev.value[key] = items;
    execution.length += values.length;
    for (let index = 0; index < values.length; index++) {
      execution.put(item, values[index], node, index);
      if (node.isNull || execution.isTooLarge) return ignoreRejections(values.slice(index + 1));
    }
  };
}

function toItems(value: unknown, coordinate: string): readonly unknown[] {
  if (Array.isArray(value)) return value;
  if (typeof value === 'object' && value !== null && Symbol.iterator in value)
    return [...(value as Iterable<unknown>)];
  throw new Error(`Expected Iterable, but did not find one for field "${coordinate}".`);
}

function writerOfObject(
  type: GraphQLObjectType,
  isNullable: boolean,
  compilation: Compilation,
  children: readonly Selection[],
): ValuePlan['write'] {
  let fields: readonly FieldPlan[] | undefined;
  let createObject = creatorOf([]);
  let keysLength = 0;
  const isOfSchema = isIntrospectionType(type);
  return (execution, source, prev, key) => {
    if (fields === undefined) {
      fields = compileFields(compilation, type, children);
      createObject = creatorOf(fields);
      for (const field of fields) keysLength += field.key.length + 4;
    }
    const object = createObject();
    prev.value[key] = object;
    execution.length += keysLength;
    if (isOfSchema) execution.addSchemaFields(fields.length, compilation.visibleTo);
    writeFields(execution, source, { value: object, prev, key, isNullable, fields, isNull: false });
  };
}

/**
 * Returns a function that creates the objects of a selection. For an alias `__proto__` they have no
 * prototype, because assigning that name sets the prototype of a normal object.
 */
const creatorOf = (fields: readonly FieldPlan[]): (() => ResponseNode['value']) =>
  fields.some(({ key }) => key === '__proto__') ? () => Object.create(null) : () => ({});

function writerOfAbstract(
  type: GraphQLAbstractType,
  isNullable: boolean,
  compilation: Compilation,
  children: readonly Selection[],
): ValuePlan['write'] {
  const { schema } = compilation;
  const resolveType =
    type.resolveType ??
    ((value: unknown) => (value as { readonly __typename?: string }).__typename);
  const writers = new Map<unknown, ValuePlan['write']>();
  return (execution, value, node, key) => {
    const name: unknown = resolveType(value, execution.context, undefined as never, type);
    let write = writers.get(name);
    if (write === undefined) {
      const found = typeof name === 'string' ? schema.getType(name) : undefined;
      if (!isObjectType(found) || !schema.isSubType(type, found)) {
        throw new Error(
          `Abstract type "${type.name}" was resolved to a type "${name}" that does not exist inside the schema.`,
        );
      }
      write = writerOfObject(found, isNullable, compilation, children);
      writers.set(name, write);
    }
    write(execution, value, node, key);
  };
}
