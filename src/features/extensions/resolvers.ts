import {
  type GraphQLField,
  type GraphQLFieldResolver,
  type GraphQLInputType,
  type GraphQLSchema,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
} from 'graphql';
import { toAbortError } from '../../core/abort.ts';
import { UpstreamError } from '../../core/errors.ts';
import type { Json } from '../../core/json.ts';
import { CallLimitError } from '../../core/request-state.ts';
import type { CostRule } from '../../graphql/admission/cost.ts';
import type { OperationContext } from '../../graphql/context.ts';
import { isPromiseLike } from '../../graphql/executor.ts';
import { type ReadNeeds, withCost } from '../../graphql/schema-metadata.ts';
import { type ContextOf, type ContextParts, createContextOf, perOperation } from './context.ts';
import { fieldIn, type OwnField } from './extend-schema.ts';
import { ExtensionError } from './extension.ts';
import type { OwnResolver } from './load.ts';
import { copyJson } from './own-copy.ts';
import { DocumentError } from './query.ts';
import { compileResult, untilEnded } from './results.ts';

/**
 * A resolver of the graph. It gets `readNeeds` in place of GraphQL's `info` if the field has needs.
 */
type GraphResolver = (
  source: unknown,
  args: Args,
  operation: OperationContext,
  readNeeds: ReadNeeds,
) => unknown;
type Args = Readonly<Record<string, unknown>>;

type Report = (thrown: unknown, operation: OperationContext) => Error;

/** The parts that all resolvers of one extension share. */
interface ResolverOptions extends ContextParts {
  /** The schema with the extensions. */
  readonly extended: GraphQLSchema;
  readonly platform: GraphQLSchema;
  /**
   * Returns a function for a field that logs a failure of the extension, and returns the error for
   * clients.
   */
  readonly reportOf: (coordinate: string) => Report;
}

/** Sets the resolver, needs and cost of an extension's field in the schema. */
export function attachResolver(own: OwnField, options: ResolverOptions): void {
  const { typeName, fieldName, resolver, needs } = own;
  const field = fieldIn(options.extended, typeName, fieldName);
  // Every resolver of the graph is called with the context of an operation.
  field.resolve = createResolver(own, field, options) as unknown as GraphQLFieldResolver<
    unknown,
    unknown
  >;
  const { extensions } = withCost(createCost(field, resolver));
  field.extensions = {
    ...field.extensions,
    ...extensions,
    ...(resolver && { isOwn: true, needs }),
  };
}

function createResolver(
  { typeName, fieldName, resolver, needs }: OwnField,
  field: GraphQLField<unknown, unknown>,
  options: ResolverOptions,
): GraphResolver {
  const { extended: schema, platform } = options;
  const coordinate = `${typeName}.${fieldName}`;
  const mayChange = typeName === schema.getMutationType()?.name;
  const report = options.reportOf(coordinate);
  const before = new WeakMap<OperationContext, number>();
  const toError = (thrown: unknown, operation: OperationContext): Error => {
    const error = toKnown(thrown, operation, report);
    if (operation.changes > (before.get(operation) ?? operation.changes))
      operation.failedAfterChange.add(error);
    return error;
  };
  const convert = compileResult(field.type, { schema, platform, coordinate, toError });
  const settle = (get: () => unknown, operation: OperationContext): unknown => {
    try {
      return convert(get(), operation);
    } catch (thrown) {
      return toError(thrown, operation);
    }
  };
  // The extension's object already contains the value.
  if (!resolver)
    return (source, _args, operation) => settle(() => (source as Args)[fieldName], operation);

  const contextOf = createContextOf({
    ...options,
    field: coordinate,
    calls: resolver.calls,
    mayChange,
  });
  // The needed values come from an answer that other fields may share, so the resolver gets a copy.
  const toOwn = needs ? (read: unknown) => copyJson(read as Json) : (value: unknown) => value;
  const run = (resolver.batch ? createBatch : createSingle)(resolver, {
    name: coordinate,
    contextOf,
    toOwn,
    settle,
  });
  // Without needs, an extension must not see into an object of the platform.
  const isOwnType = platform.getType(typeName) === undefined;

  return (source, given, operation, readNeeds) => {
    // The result depends on more than the platform's records, so the answer must not be cached.
    operation.requestState.dependOn({ expiresAtMs: 0, tags: [] });
    // GraphQL runs the fields of `Mutation` one at a time, so the count belongs to this field.
    if (mayChange) before.set(operation, operation.changes);
    const read: ReadNeeds = needs ? readNeeds : (use) => use(isOwnType ? source : undefined);
    return run(operation, convertMembers(field.args, given), source, read);
  };
}

/**
 * Resolves an extension's field. `source` identifies the object, and `read` provides the part of it
 * that the resolver gets.
 */
type ResolveField = (
  operation: OperationContext,
  args: Args,
  source: unknown,
  read: ReadNeeds,
) => unknown;

interface FieldParts {
  /** `Type.field`. */
  readonly name: string;
  readonly contextOf: ContextOf;
  /** Copies a read value if the extension must not share it. */
  readonly toOwn: (read: unknown) => unknown;
  /** Returns the value in the form that the graph expects, or the error that replaces it. */
  readonly settle: (get: () => unknown, operation: OperationContext) => unknown;
}

const createSingle =
  ({ resolve }: OwnResolver, { contextOf, toOwn, settle }: FieldParts): ResolveField =>
  (operation, args, _source, read) =>
    read((source) =>
      source instanceof Error
        ? source
        : settle(() => resolve?.(toOwn(source), args, contextOf(operation)), operation),
    );

/**
 * Objects of one operation that wait for the same `batch` call: the field is selected on them with
 * equal arguments.
 */
interface Batch {
  /**
   * For each object of the next call: the part to pass on, a promise of it, or the error that
   * replaces it.
   */
  reads: unknown[];
  /** The values of the next call, once it is scheduled. */
  values: Promise<readonly unknown[]> | undefined;
  /** The value of each object so far, so that an object is resolved once. */
  readonly known: Map<unknown, Promise<unknown>>;
}

/**
 * Returns a resolver that collects objects with equal arguments and resolves them with one `batch`
 * call.
 */
function createBatch(
  { batch }: OwnResolver,
  { name, contextOf, toOwn, settle }: FieldParts,
): ResolveField {
  const batchesOf = perOperation(() => new Map<string, Batch>());

  const callBatch = async (
    sources: readonly unknown[],
    args: Args,
    operation: OperationContext,
  ) => {
    if (sources.length === 0) return [];
    const values = await untilEnded(
      batch?.(sources, args, contextOf(operation)),
      operation.requestState.signal,
    );
    if (Array.isArray(values) && values.length === sources.length) return values;
    const given = Array.isArray(values) ? `gave ${values.length}` : 'gave no list';
    throw new Error(
      `The batch of ${name} must give a list of ${sources.length} values, and ${given}.`,
    );
  };
  const runBatch = async (batch: Batch, args: Args, operation: OperationContext) => {
    const { reads } = batch;
    batch.reads = [];
    batch.values = undefined;
    // Waits for the needs of all objects, so that one call serves them. A failure affects only its
    // own object.
    for (const [index, read] of reads.entries()) if (isPromiseLike(read)) reads[index] = await read;
    const sources = reads.filter((read) => !(read instanceof Error)).map(toOwn);
    const failed = (thrown: unknown): unknown[] => sources.map(() => Promise.reject(thrown));
    const values = (await callBatch(sources, args, operation).catch(failed)).values();
    return reads.map((read) =>
      read instanceof Error ? read : settle(() => values.next().value, operation),
    );
  };

  return (operation, args, source, read) => {
    const batches = batchesOf(operation);
    const key = JSON.stringify(args);
    const batch: Batch = batches.get(key) ?? { reads: [], values: undefined, known: new Map() };
    batches.set(key, batch);
    const known = batch.known.get(source);
    if (known) return known;
    batch.values ??= untilQuiet().then(() => runBatch(batch, args, operation));
    const index = batch.reads.push(read((needed) => needed)) - 1;
    const value = batch.values.then((values) => values[index]);
    batch.known.set(source, value);
    return value;
  };
}

/** Waits until no promise callback is left to run, as DataLoader does. */
const untilQuiet = (): Promise<void> =>
  Promise.resolve().then(() => new Promise((resolve) => process.nextTick(resolve)));

/**
 * Returns the cost of an extension's field. Its calls count for each object, or once for a `batch`.
 * Only the resolver knows which records it returns, so the fields below are counted as reads of
 * different records.
 */
function createCost(
  { type }: GraphQLField<unknown, unknown>,
  resolver: OwnResolver | undefined,
): CostRule {
  const length = isListType(getNullableType(type)) ? USUAL_LENGTH : 1;
  const { calls, batch } = resolver ?? { calls: 0 };
  return (place) => {
    const objects = place.objects * length;
    return {
      own: { operation: 'extension' as const, calls: batch ? calls : calls * place.objects },
      children: { objects, records: objects, forms: 1, isFresh: true },
    };
  };
}

/** The assumed length of a list that an extension returns. */
const USUAL_LENGTH = 10;

/**
 * Returns the error for clients. Failures of the platform, and errors of the extension's own class,
 * keep their codes. Anything else is reported as a fault of the extension.
 */
function toKnown(thrown: unknown, operation: OperationContext, report: Report): Error {
  if (thrown instanceof DocumentError) return DocumentError.causeOf(thrown);
  const { signal } = operation.requestState;
  const isKnown = PUBLIC_ERRORS.some((known) => thrown instanceof known);
  const failure = signal.aborted && !isKnown ? toAbortError('fetch', signal) : thrown;
  // The extension, or a service that it has called, is late. The platform is not.
  const isLate =
    failure instanceof UpstreamError &&
    failure.failure === 'timeout' &&
    failure.operation === 'fetch';
  if (isLate) return report(LATE, operation);
  return isKnown || signal.aborted ? (failure as Error) : report(thrown, operation);
}

const LATE = new Error("This had not ended by the request's deadline.");

const PUBLIC_ERRORS = [ExtensionError, UpstreamError, CallLimitError];

/**
 * Converts arguments or the members of an input for an extension: copies, with enum values by their
 * GraphQL names.
 */
function convertMembers(
  types: readonly { readonly name: string; readonly type: GraphQLInputType }[],
  given: Args,
): Args {
  const converted: Record<string, unknown> = Object.create(null);
  for (const { name, type } of types) {
    if (Object.hasOwn(given, name)) converted[name] = convertInput(type, given[name]);
  }
  return converted;
}

function convertInput(type: GraphQLInputType, value: unknown): unknown {
  const nullable = getNullableType(type);
  if (value == null) return value;
  if (isListType(nullable))
    return (value as unknown[]).map((item) => convertInput(nullable.ofType, item));
  if (isEnumType(nullable)) return nullable.serialize(value);
  if (isInputObjectType(nullable))
    return convertMembers(Object.values(nullable.getFields()), value as Args);
  return value instanceof Date ? new Date(value) : copyJson(value as Json);
}
