import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  type GraphQLCompositeType,
  type GraphQLLeafType,
  type GraphQLList,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNullableType,
  isAbstractType,
  isEnumType,
  isInterfaceType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
} from 'graphql';
import { untilAborted } from '../../core/abort.ts';
import type { OperationContext } from '../../graphql/context.ts';
import { isPromiseLike, serializerOf } from '../../graphql/executor.ts';
import { findNodeKey } from '../../graphql/relay.ts';

/**
 * A value that does not fit the type of its field. The message is GraphQL's. It may quote the value
 * after a colon.
 */
export class ResultError extends Error {
  override readonly name = 'ResultError';
}

/**
 * Converts a resolver's result to the form that the graph's own resolvers return. A failure, or a
 * value that does not fit its type, becomes an error at its place, so that other items of a list
 * remain.
 */
type ConvertResult = (given: unknown, operation: OperationContext) => unknown;

interface ResultOptions {
  /** The schema with the extensions. */
  readonly schema: GraphQLSchema;
  readonly platform: GraphQLSchema;
  /** `Type.field`. */
  readonly coordinate: string;
  /** Returns the error for clients. */
  readonly toError: (thrown: unknown, operation: OperationContext) => Error;
}

/**
 * Settles like the extension's promise. If the signal aborts first, it rejects, unless the abort
 * makes the promise settle with a reason of its own within the same turn of the event loop.
 */
export function untilEnded(given: unknown, signal: AbortSignal): Promise<unknown> {
  const running = Promise.resolve(given);
  return untilAborted(running, 'fetch', signal).catch((error) =>
    Promise.race([running, nextTurn().then(() => Promise.reject(error))]),
  );
}

export function compileResult(type: GraphQLOutputType, options: ResultOptions): ConvertResult {
  const nullable = getNullableType(type);
  const convertPresent = compilePresent(nullable, options);
  const { toError, coordinate } = options;
  const convert: ConvertResult = (given, operation) => {
    if (isPromiseLike(given)) {
      return untilEnded(given, operation.requestState.signal).then(
        (value) => convert(value, operation),
        (thrown) => toError(thrown, operation),
      );
    }
    try {
      if (given instanceof Error) throw given;
      if (given !== null && given !== undefined) return convertPresent(given, operation);
      if (!isNonNullType(type)) return null;
      throw new ResultError(`Cannot return null for non-nullable field ${coordinate}.`);
    } catch (thrown) {
      return toError(thrown, operation);
    }
  };
  return convert;
}

function compilePresent(type: GraphQLOutputType, options: ResultOptions): ConvertResult {
  if (isListType(type)) return compileList(type, options);
  return isLeafType(type)
    ? compileLeafResult(type)
    : compileObject(type as GraphQLCompositeType, options);
}

function compileList(
  { ofType }: GraphQLList<GraphQLOutputType>,
  options: ResultOptions,
): ConvertResult {
  const convertItem = compileResult(ofType, options);
  return (given, operation) => {
    if (typeof given === 'object' && given !== null && Symbol.iterator in given) {
      return Array.from(given as Iterable<unknown>, (item) => convertItem(item, operation));
    }
    throw new ResultError(
      `Expected Iterable, but did not find one for field "${options.coordinate}".`,
    );
  };
}

/**
 * Scalars whose `serialize` does not check values, because the platform's resolvers have done so.
 */
const TRUSTING: readonly string[] = ['Date', 'Decimal', 'JSONObject', 'Long'];

function compileLeafResult(type: GraphQLLeafType): ConvertResult {
  const write = serializerOf(type);
  const read = (given: unknown): unknown => {
    // Extensions use the GraphQL names of enum values. The graph's resolvers return the platform's
    // values.
    if (isEnumType(type)) return type.getValue(String(given))?.value ?? given;
    const isText = type.name === 'DateTime' && typeof given === 'string';
    return isText || TRUSTING.includes(type.name) ? type.parseValue(given) : given;
  };
  return (given) => {
    try {
      const value = read(given);
      // A value that JSON cannot represent must fail here. Later it would fail the whole answer.
      JSON.stringify(write(value));
      return value;
    } catch (error) {
      throw new ResultError(error instanceof Error ? error.message : type.name);
    }
  };
}

/**
 * Returns a converter for objects. An object of the platform is identified by its id, and an
 * extension's own object is kept.
 */
function compileObject(
  type: GraphQLCompositeType,
  { schema, platform }: ResultOptions,
): ConvertResult {
  const typeOf = (name: unknown): GraphQLObjectType => {
    const found = schema.getType(String(name));
    if (
      isObjectType(found) &&
      (found === type || (isAbstractType(type) && schema.isSubType(type, found)))
    )
      return found;
    throw new ResultError(`Type "${type.name}" cannot have an object of this type: ${name}`);
  };
  const node = platform.getType('Node');

  const toRecord = (id: unknown, stated: GraphQLObjectType | undefined) => {
    const key = findNodeKey(String(id));
    if (key === undefined)
      throw new ResultError(`An object of type "${type.name}" has no such id: ${id}`);
    const actual = typeOf(
      isInterfaceType(node) && node.resolveType?.(key.ids, undefined, undefined as never, node),
    );
    if (stated && stated !== actual)
      throw new ResultError(`An object of "${stated.name}" has no such id: ${id}`);
    // The other fields of the record are read when they are selected.
    return { ...key.ids, __typename: actual.name };
  };

  return (given) => {
    if (typeof given !== 'object') throw new ResultError(`Type "${type.name}" cannot be: ${given}`);
    const { __typename: name, id } = given as Readonly<Record<string, unknown>>;
    const isById = isAbstractType(type) && name === undefined && id !== undefined;
    const stated = isById ? undefined : typeOf(name ?? type.name);
    return stated && !platform.getType(stated.name) ? given : toRecord(id, stated);
  };
}
