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
import { CallLimitError } from '../../core/work.ts';
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

/** @param readNeeds where the field has needs. */
type GraphResolver = (
  source: unknown,
  args: Args,
  operation: OperationContext,
  readNeeds: ReadNeeds,
) => unknown;
type Args = Readonly<Record<string, unknown>>;

type Report = (thrown: unknown, operation: OperationContext) => Error;

/** The parts that the resolvers of one extension are made with. */
interface ResolverOptions extends ContextParts {
  /** The graph with extensions, and without. */
  readonly extended: GraphQLSchema;
  readonly platform: GraphQLSchema;
  /** Makes, for a field, what logs a failure of the extension and words it for clients. */
  readonly reportOf: (coordinate: string) => Report;
}

/** Puts an own field's resolver, needs and cost on the field of the schema. */
export function attachResolver(own: OwnField, options: ResolverOptions): void {
  const { typeName, fieldName, resolver, needs } = own;
  const field = fieldIn(options.extended, typeName, fieldName);
  // Every resolver of the graph runs with the context of an operation.
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
  // The extension has put the value there.
  if (!resolver)
    return (source, _args, operation) => settle(() => (source as Args)[fieldName], operation);

  const contextOf = createContextOf({
    ...options,
    field: coordinate,
    calls: resolver.calls,
    mayChange,
  });
  // What stands in an answer may be shared.
  const toOwn = needs ? (read: unknown) => copyJson(read as Json) : (value: unknown) => value;
  const run = (resolver.batch ? createBatch : createSingle)(resolver, {
    name: coordinate,
    contextOf,
    toOwn,
    settle,
  });
  // An object of the platform of which nothing is needed is nobody's to look into.
  const isOwnType = platform.getType(typeName) === undefined;

  return (source, given, operation, readNeeds) => {
    // The answer is made of more than the platform's records, so it is not kept.
    operation.work.dependOn({ expiresAtMs: 0, tags: [] });
    // Fields of `Mutation` run one after the other.
    if (mayChange) before.set(operation, operation.changes);
    const read: ReadNeeds = needs ? readNeeds : (use) => use(isOwnType ? source : undefined);
    return run(operation, convertMembers(field.args, given), source, read);
  };
}

/** @param read gives what the resolver gets of the object, which `source` tells from others. */
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
  /** Gives what is read of an object as the extension's own. */
  readonly toOwn: (read: unknown) => unknown;
  /** Gives the value for the graph, or an error in its place. */
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

/** The objects of one operation with equal arguments. */
interface Batch {
  /** What is read of those that wait for the next call, or what failed; a promise where it is loaded. */
  reads: unknown[];
  /** Of those. */
  values: Promise<readonly unknown[]> | undefined;
  /** Of each object that has been asked for. */
  readonly known: Map<unknown, Promise<unknown>>;
}

/** The objects of one operation with equal arguments at one time are one batch, each object once. */
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
      operation.work.signal,
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
    // What some of them need comes later: all wait, so that it stays one batch. What fails, fails alone.
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

/** Waits, as DataLoader does, until all that can go on has done so. */
const untilQuiet = (): Promise<void> =>
  Promise.resolve().then(() => new Promise((resolve) => process.nextTick(resolve)));

/**
 * The cost of an extension's field: its calls for each object, or once where they go together, and what stands below it. Which of the
 * platform's records these are, only its resolver knows: they are taken to be all different, and have to be read.
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
      below: { objects, records: objects, forms: 1, isFresh: true },
    };
  };
}

/** The assumed length of a list that an extension gives. */
const USUAL_LENGTH = 10;

/** Failures of the platform and an extension's own class have codes for clients; what else was thrown is the extension's fault. */
function toKnown(thrown: unknown, operation: OperationContext, report: Report): Error {
  if (thrown instanceof DocumentError) return DocumentError.causeOf(thrown);
  const { signal } = operation.work;
  const isKnown = PUBLIC_ERRORS.some((known) => thrown instanceof known);
  const failure = signal.aborted && !isKnown ? toAbortError('fetch', signal) : thrown;
  // The extension itself, or a service that it has called, and not the platform.
  const isLate =
    failure instanceof UpstreamError &&
    failure.failure === 'timeout' &&
    failure.operation === 'fetch';
  if (isLate) return report(LATE, operation);
  return isKnown || signal.aborted ? (failure as Error) : report(thrown, operation);
}

const LATE = new Error("This had not ended by the request's deadline.");

const PUBLIC_ERRORS = [ExtensionError, UpstreamError, CallLimitError];

/** Gives arguments, or the members of an input, as extensions take them: their own, with enums by their names. */
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
