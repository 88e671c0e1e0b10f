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
interface Slot {
  readonly value: Record<string | number, unknown>;
  /** The enclosing object or list. `undefined` for `data`. */
  readonly prev: Slot | undefined;
  readonly key: string | number;
  readonly isNullable: boolean;
  /** The fields of an object. They define the order of the errors. */
  readonly fields: readonly Field[];
  /** Whether this value or an enclosing one became `null` because of a nested failure. */
  isNull: boolean;
}

/** The plan for the values of a field, or for the items of its list. */
interface Place {
  readonly nodes: readonly FieldNode[];
  /** `Type.field`, for messages. */
  readonly coordinate: string;
  readonly isNullable: boolean;
  /** Writes a value that is not `null`. @throws its own failure. */
  readonly write: (run: Run, value: unknown, slot: Slot, key: string | number) => void;
}

/** The plan of an object's field: resolve, then write. */
interface Field extends Place {
  readonly key: string;
  readonly resolve: (run: Run, source: unknown) => unknown;
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
  const variants = new Map<string, readonly Field[]>();
  const memory = { fields: 0 };
  let readerOf = createArgumentReaders();
  const fieldsFor = (variables: Variables): readonly Field[] => {
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
      const run = new Run(context, variables, maxLength, fieldsFor(variables));
      const finish = () => run.finish(maxErrors, operation.locate);
      if (isSerial) return writeInSeries(run).then(finish);
      writeFields(run, undefined, run.data);
      return run.isWaiting ? run.idle().then(finish) : finish();
    } catch (error) {
      if (!(error instanceof ArgumentError)) throw error;
      return withoutData(operation.locate(error, [error.node]));
    }
  };
}

/** A value of the response that is pending. */
interface Waiter {
  readonly place: Place;
  readonly slot: Slot;
  readonly key: string | number;
}

/** A failed value of the response. Its error is created at the end, if it is within `maxErrors`. */
interface Failure extends Waiter {
  readonly thrown: unknown;
}

/** One execution: pending values, failures and the response data. */
class Run {
  readonly context: unknown;
  readonly variables: Variables;
  readonly maxLength: number;
  /** Coerced arguments with variables, by the number of their reader. */
  readonly args: ArgumentSource['args'] = [];
  readonly data: Slot;
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
  readonly #failedOnce = new Map<Slot | undefined, Set<Place>>();
  #onIdle: (() => void) | undefined;

  constructor(context: unknown, variables: Variables, maxLength: number, fields: readonly Field[]) {
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
  put(place: Place, value: unknown, slot: Slot, key: string | number): void {
    try {
      if (value === null || value === undefined) {
        if (!place.isNullable) {
          throw new Error(`Cannot return null for non-nullable field ${place.coordinate}.`);
        }
        this.length += 'null'.length;
        slot.value[key] = null;
        return;
      }
      if (isPromiseLike(value)) {
        this.#wait(value, { place, slot, key });
        return;
      }
      if (value instanceof Error) throw value;
      place.write(this, value, slot, key);
    } catch (thrown) {
      this.fail(thrown, place, slot, key);
    }
  }

  fail(thrown: unknown, place: Place, slot: Slot, key: string | number): void {
    const { isNullable } = place;
    const isRepeated = isNullable && this.#isRepeated(thrown, place, slot);
    if (!isRepeated) this.#failures.push({ thrown, place, slot, key });
    if (isNullable) {
      slot.value[key] = null;
      return;
    }

    let nulled = slot;
    nulled.isNull = true;
    while (!nulled.isNullable && nulled.prev) {
      nulled = nulled.prev;
      nulled.isNull = true;
    }
    if (nulled.prev) nulled.prev.value[nulled.key] = null;
  }

  /** Returns whether the innermost list already has this error in another row. */
  #isRepeated(thrown: unknown, place: Place, slot: Slot): boolean {
    if (!(thrown instanceof UpstreamError) || !thrown.isOncePerList) return false;
    let row: Slot | undefined = slot;
    while (row && typeof row.key === 'string') row = row.prev;
    if (row === undefined) return false;

    const failed = this.#failedOnce.get(row.prev) ?? new Set();
    this.#failedOnce.set(row.prev, failed);
    const isRepeated = failed.has(place);
    failed.add(place);
    return isRepeated;
  }

  #wait(promise: PromiseLike<unknown>, waiter: Waiter): void {
    // Reserves the member's position in the object.
    waiter.slot.value[waiter.key] = null;
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
        for (const { place, slot, key } of waiters) {
          const isDropped = isLost(slot) || this.isTooLarge;
          if (isDropped) ignoreRejections(value);
          else this.put(place, value, slot, key);
        }
        if (!this.isWaiting) this.#onIdle?.();
      },
      (thrown) => {
        this.#waiters.delete(promise);
        for (const { place, slot, key } of waiters) {
          if (!isLost(slot)) this.fail(thrown, place, slot, key);
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

  /** Returns the data, or the error behind the first failure. Adds the length to another run. */
  read(outer: Run): unknown {
    outer.length += this.length;
    if (this.isTooLarge) return this.#excess();
    const [failure] = inOrder(this.#failures);
    return failure ? withoutPlace(toError(failure)) : this.#value;
  }

  #excess(): GraphQLError {
    if (!this.#hasTooManySchemaFields) return tooLarge(this.maxLength);
    return tooManySchemaFields(this.#maxSchemaFields);
  }

  get #value(): Slot['value'] | null {
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
function isLost(slot: Slot): boolean {
  for (let around: Slot | undefined = slot; around; around = around.prev) {
    if (around.isNull) return true;
  }
  return false;
}

function pathOf(slot: Slot, key: string | number): (string | number)[] {
  const path = [key];
  for (let around = slot; around.prev; around = around.prev) path.unshift(around.key);
  return path;
}

/** Creates the error of a failure with its path and locations. */
function toError({ thrown, place, slot, key }: Failure, locate?: Locate): GraphQLError {
  const error = locatedError(thrown, undefined, pathOf(slot, key));
  if (!locate) return error;
  const nodes = thrown instanceof ArgumentError ? [thrown.node] : place.nodes;
  return locate(error, nodes);
}

/** Sorts failures by response order, so that equal responses have equal bytes. */
function inOrder(failures: readonly Failure[]): readonly Failure[] {
  if (failures.length < 2) return failures;
  const orders = new Map<Slot, readonly number[]>();
  const orderOf = (slot: Slot): readonly number[] => {
    const known = orders.get(slot);
    if (known) return known;
    const order = slot.prev ? [...orderOf(slot.prev), positionIn(slot.prev, slot.key)] : [];
    orders.set(slot, order);
    return order;
  };

  const placed = failures.map((failure) => {
    const { slot, key } = failure;
    return { failure, order: [...orderOf(slot), positionIn(slot, key)] };
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

const positionIn = ({ fields }: Slot, key: string | number): number =>
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

function writeFields(run: Run, source: unknown, slot: Slot): void {
  for (const field of slot.fields) {
    if (slot.isNull || run.isTooLarge) return;
    writeField(run, field, source, slot);
  }
}

function writeField(run: Run, field: Field, source: unknown, slot: Slot): void {
  let value: unknown;
  try {
    value = field.resolve(run, source);
  } catch (thrown) {
    run.fail(thrown, field, slot, field.key);
    return;
  }
  run.put(field, value, slot, field.key);
}

/**
 * Executes the fields of a mutation one after the other (GraphQL spec, 6.2.2). A field starts after
 * all nested fields of the previous one.
 */
async function writeInSeries(run: Run): Promise<void> {
  for (const field of run.data.fields) {
    writeField(run, field, undefined, run.data);
    if (run.isWaiting) await run.idle();
    if (run.data.isNull) return;
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
): readonly Field[] {
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
): Field {
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
  const below =
    others.length === 0 ? first.selections : sameKey.flatMap(({ selections }) => selections);
  const { isNullable, write } = compilePlace(
    definition.type,
    { nodes, coordinate },
    compilation,
    below,
  );
  const resolve = compileResolve(definition, first, parent, compilation, below);
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
  below: readonly Selection[],
): Field['resolve'] {
  const { resolve, name } = definition;
  const { needs } = selected;
  const argsOf = compilation.readerOf(definition, selected.node, selected.hasVariables);
  if (resolve && needs.length > 0) {
    const readNeeds = compileNeeds(needs, parent, compilation);
    return (run, source) =>
      resolve(source, argsOf(run), run.context, readNeeds(run, source) as never);
  }
  const payload = getNullableType(definition.type);
  if (resolve && definition.extensions.change && isObjectType(payload)) {
    // The payload as the client selects it, for a change that is not made.
    const readPayload = compileNeeds(below, payload, compilation);
    return (run, source) => {
      const read: ReadPayload = (value) => readPayload(run, value)((selected) => selected);
      return resolve(source, argsOf(run), run.context, read as never);
    };
  }
  // The executor creates no full `info`. Introspection reads only this member.
  const info = { schema: compilation.schema } as GraphQLResolveInfo;
  if (resolve) return (run, source) => resolve(source, argsOf(run), run.context, info);
  return (run, source) => {
    if (typeof source !== 'object' || source === null) return undefined;
    const member = (source as Readonly<Record<string, unknown>>)[name];
    return typeof member === 'function' ? member.call(source, argsOf(run), run.context) : member;
  };
}

/** Returns a function that resolves a field's `needs` separately from the response. */
function compileNeeds(
  needs: readonly Selection[],
  parent: GraphQLObjectType,
  compilation: Compilation,
) {
  let fields: readonly Field[] | undefined;
  return (outer: Run, source: unknown): ReadNeeds =>
    (use) => {
      fields ??= compileFields(compilation, parent, needs);
      const run = new Run(outer.context, outer.variables, outer.maxLength, fields);
      writeFields(run, source, run.data);
      if (run.isWaiting) return run.idle().then(() => use(run.read(outer)));
      return use(run.read(outer));
    };
}

/** Compiles the plan for a field's value, or for the items of its list. */
function compilePlace(
  type: GraphQLOutputType,
  info: Pick<Place, 'nodes' | 'coordinate'>,
  compilation: Compilation,
  below: readonly Selection[],
): Place {
  const inner = getNullableType(type);
  const isNullable = !isNonNullType(type);
  let write: Place['write'];
  if (isLeafType(inner)) {
    write = writerOfLeaf(inner);
  } else if (isListType(inner)) {
    const item = compilePlace(inner.ofType, info, compilation, below);
    write = writerOfList(item, isNullable);
  } else if (isAbstractType(inner)) {
    write = writerOfAbstract(inner, isNullable, compilation, below);
  } else {
    write = writerOfObject(inner as GraphQLObjectType, isNullable, compilation, below);
  }
  return { nodes: info.nodes, coordinate: info.coordinate, isNullable, write };
}

function writerOfLeaf(type: GraphQLLeafType): Place['write'] {
  const serialize = serializerOf(type);
  return (run, value, slot, key) => {
    const serialized = serialize(value);
    run.length += lengthOf(serialized);
    slot.value[key] = serialized;
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

function writerOfList(item: Place, isNullable: boolean): Place['write'] {
  return (run, value, prev, key) => {
    const values = toItems(value, item.coordinate);
    const items: unknown[] = [];
    const slot: Slot = {
      value: items as unknown as Slot['value'],
      prev,
      key,
      isNullable,
      fields: [],
      isNull: false,
    };
    prev.value[key] = items;
    run.length += values.length;
    for (let index = 0; index < values.length; index++) {
      run.put(item, values[index], slot, index);
      if (slot.isNull || run.isTooLarge) return ignoreRejections(values.slice(index + 1));
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
  below: readonly Selection[],
): Place['write'] {
  let fields: readonly Field[] | undefined;
  let createObject = creatorOf([]);
  let keysLength = 0;
  const isOfSchema = isIntrospectionType(type);
  return (run, source, prev, key) => {
    if (fields === undefined) {
      fields = compileFields(compilation, type, below);
      createObject = creatorOf(fields);
      for (const field of fields) keysLength += field.key.length + 4;
    }
    const object = createObject();
    prev.value[key] = object;
    run.length += keysLength;
    if (isOfSchema) run.addSchemaFields(fields.length, compilation.visibleTo);
    writeFields(run, source, { value: object, prev, key, isNullable, fields, isNull: false });
  };
}

/**
 * Returns a function that creates the objects of a selection. For an alias `__proto__` they have no
 * prototype, because assigning that name sets the prototype of a normal object.
 */
const creatorOf = (fields: readonly Field[]): (() => Slot['value']) =>
  fields.some(({ key }) => key === '__proto__') ? () => Object.create(null) : () => ({});

function writerOfAbstract(
  type: GraphQLAbstractType,
  isNullable: boolean,
  compilation: Compilation,
  below: readonly Selection[],
): Place['write'] {
  const { schema } = compilation;
  const resolveType =
    type.resolveType ??
    ((value: unknown) => (value as { readonly __typename?: string }).__typename);
  const writers = new Map<unknown, Place['write']>();
  return (run, value, slot, key) => {
    const name: unknown = resolveType(value, run.context, undefined as never, type);
    let write = writers.get(name);
    if (write === undefined) {
      const found = typeof name === 'string' ? schema.getType(name) : undefined;
      if (!isObjectType(found) || !schema.isSubType(type, found)) {
        throw new Error(
          `Abstract type "${type.name}" was resolved to a type "${name}" that does not exist inside the schema.`,
        );
      }
      write = writerOfObject(found, isNullable, compilation, below);
      writers.set(name, write);
    }
    write(run, value, slot, key);
  };
}
