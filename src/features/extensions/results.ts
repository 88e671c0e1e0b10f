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
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
} from 'graphql';
import { untilAborted } from '../../core/abort.ts';
import type { OperationContext } from '../../graphql/context.ts';
import { isPromiseLike, serializerOf } from '../../graphql/executor.ts';
import { openView } from './views.ts';

/** A value does not fit the type of its field. The message is GraphQL's; the value that it may quote stands after a colon. */
export class ResultError extends Error {
  override readonly name = 'ResultError';
}

/**
 * Converts the result of an extension's resolver to the form that the graph's own resolvers expect. A failure is given as an error in its
 * place, so that the others of a list stay; so is a value that does not fit its type.
 */
type ConvertResult = (given: unknown, run: ResultRun) => unknown;

interface ResultRun {
  readonly operation: OperationContext;
  /** Gives the error for clients. */
  readonly toError: (thrown: unknown, operation: OperationContext) => Error;
}

interface ResultOptions {
  /** With extensions. */
  readonly schema: GraphQLSchema;
  readonly platform: GraphQLSchema;
  /** `Type.field`. */
  readonly coordinate: string;
}

export function compileResult(type: GraphQLOutputType, options: ResultOptions): ConvertResult {
  const nullable = getNullableType(type);
  const convertPresent = compilePresent(nullable, options);
  const convert: ConvertResult = (given, run) => {
    const { operation, toError } = run;
    if (isPromiseLike(given)) {
      // It may never end.
      return untilAborted(Promise.resolve(given), 'fetch', operation.work.signal).then(
        (value) => convert(value, run),
        (thrown) => toError(thrown, operation),
      );
    }
    try {
      if (given instanceof Error) throw given;
      if (given !== null && given !== undefined) return convertPresent(given, run);
      if (!isNonNullType(type)) return null;
      throw new ResultError(`Cannot return null for non-nullable field ${options.coordinate}.`);
    } catch (thrown) {
      return toError(thrown, operation);
    }
  };
  return convert;
}

function compilePresent(type: GraphQLOutputType, options: ResultOptions): ConvertResult {
  if (isListType(type)) return compileList(type, options);
  return isLeafType(type) ? compileLeafResult(type) : compileObject(type as GraphQLCompositeType, options);
}

function compileList({ ofType }: GraphQLList<GraphQLOutputType>, options: ResultOptions): ConvertResult {
  const convertItem = compileResult(ofType, options);
  return (given, run) => {
    if (typeof given === 'object' && given !== null && Symbol.iterator in given) {
      return Array.from(given as Iterable<unknown>, (item) => convertItem(item, run));
    }
    throw new ResultError(`Expected Iterable, but did not find one for field "${options.coordinate}".`);
  };
}

/** Scalars whose own `serialize` trusts the platform's resolvers. */
const TRUSTING: readonly string[] = ['Date', 'Decimal', 'JSONObject', 'Long'];

function compileLeafResult(type: GraphQLLeafType): ConvertResult {
  const write = serializerOf(type);
  const read = (given: unknown): unknown => {
    // Extensions know the values of enums by their names in the graph; GraphQL has the platform's.
    if (isEnumType(type)) return type.getValue(String(given))?.value ?? given;
    return TRUSTING.includes(type.name) ? type.parseValue(given) : given;
  };
  return (given) => {
    try {
      const value = read(given);
      // What JSON cannot say must fail here, and not the whole answer.
      JSON.stringify(write(value));
      return value;
    } catch (error) {
      throw new ResultError(error instanceof Error ? error.message : type.name);
    }
  };
}

/** Converts an object: a view is its record, except where an own type is made of it. */
function compileObject(type: GraphQLCompositeType, { schema, platform }: ResultOptions): ConvertResult {
  const membersOf = new Map<GraphQLObjectType, ReadonlyMap<string, ConvertResult>>();

  const typeOf = (name: unknown): GraphQLObjectType => {
    const found = schema.getType(String(name));
    if (isObjectType(found) && (found === type || (isAbstractType(type) && schema.isSubType(type, found))))
      return found;
    const kind = isAbstractType(type) ? 'Abstract type' : 'Type';
    throw new ResultError(`${kind} "${type.name}" cannot have an object of this type: ${name}`);
  };

  /** Objects of the platform that are no more than their members can be made by hand. */
  function compileMembers(made: GraphQLObjectType): ReadonlyMap<string, ConvertResult> {
    const original = platform.getType(made.name);
    const fields = isObjectType(original) ? Object.values(original.getFields()) : [];
    if (fields.some(({ resolve }) => resolve !== undefined)) {
      throw new ResultError(`A value of type "${made.name}" must be one that source or platform gave.`);
    }
    const known = fields.flatMap(({ name }) => made.getFields()[name] ?? []);
    return new Map(
      known.map((field) => [
        field.name,
        compileResult(field.type, { schema, platform, coordinate: `${made.name}.${field.name}` }),
      ]),
    );
  }

  return (given, run) => {
    const shown = openView(given, run.operation);
    if (shown && isObjectType(type) && !platform.getType(type.name)) return given;
    if (shown) {
      typeOf(shown.type.name);
      return shown.record;
    }
    const made = given as Readonly<Record<string, unknown>>;
    const concrete = isAbstractType(type) ? typeOf(made['__typename']) : type;
    if (!platform.getType(concrete.name)) return given;
    const members = membersOf.get(concrete) ?? compileMembers(concrete);
    membersOf.set(concrete, members);
    const values = [...members].map(([name, convert]) => [name, convert(made[name], run)] as const);
    return { __typename: concrete.name, ...Object.fromEntries(values) };
  };
}
