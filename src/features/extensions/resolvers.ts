import DataLoader from 'dataloader';
import {
  GraphQLError,
  type GraphQLField,
  type GraphQLFieldResolver,
  type GraphQLInputType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isAbstractType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isListType,
  isObjectType,
} from 'graphql';
import { toAbortError } from '../../core/abort.ts';
import { InputError, UpstreamError } from '../../core/errors.ts';
import { CallLimitError } from '../../core/work.ts';
import { type CostRule, contentCost, withCost } from '../../graphql/admission/cost.ts';
import type { OperationContext } from '../../graphql/context.ts';
import type { InstanceRecord } from '../../upstream/records.ts';
import { type ContextOf, type PlatformGraph, perOperation } from './context.ts';
import type { OwnField } from './extend-schema.ts';
import { ExtensionError } from './extension.ts';
import type { OwnResolver } from './load.ts';
import { compileResult } from './results.ts';
import { type Args, isEmptyInstance, protect } from './views.ts';

type GraphResolver = GraphQLFieldResolver<unknown, OperationContext>;
type Convert = (value: unknown) => unknown;

/** The parts that resolvers are made with. */
interface ResolverOptions extends PlatformGraph {
  /** The graph with extensions. */
  readonly extended: GraphQLSchema;
  readonly contextOf: ContextOf;
  /** Makes, for a field, what logs a failure of the extension and words it for clients. */
  readonly reportOf: (coordinate: string) => (thrown: unknown, operation: OperationContext) => Error;
}

/** Puts an own field's resolver and cost on the field of the schema. */
export function attachResolver({ field, typeName, resolver }: OwnField, options: ResolverOptions): void {
  const coordinate = `${typeName}.${field.name}`;
  const { extended: schema, schema: platform } = options;
  const convert = compileResult(field.type, { schema, platform, coordinate });
  const toError = createToError(options.reportOf(coordinate));
  const settle = (get: () => unknown, operation: OperationContext): unknown => {
    try {
      return convert(get(), { operation, toError });
    } catch (thrown) {
      return toError(thrown, operation);
    }
  };
  if (resolver === undefined) {
    // The extension has put the value there.
    setResolver(field, (source, _args, operation) => settle(() => (source as Args)[field.name], operation));
    return;
  }
  const type = platform.getType(typeName);
  const isRecord = isObjectType(type) && !isRoot(typeName);
  const run = resolver.batch ? createBatch(resolver, field.name, options) : createSingle(resolver, options);
  const toGraph = convertArgs(field);
  const show = isRecord ? options.viewsOf(type) : asItIs;

  setResolver(field, (source, args, operation) => {
    // The answer is made of more than the platform's records, so it is not kept.
    operation.work.dependOn({ expiresAtMs: 0, tags: [] });
    const start = (record: unknown) => run({ record, show, args: toGraph(args) as Args, operation });
    const isEmpty = isRecord && isEmptyInstance(source);
    return settle(() => (isEmpty ? loadAgain(source, operation).then(start) : start(source)), operation);
  });
  field.extensions = {
    ...field.extensions,
    ...withCost(createCost(field, resolver, isRecord)).extensions,
    isOwn: true,
  };
}

/** Lets own interfaces and unions tell the types of their objects: by `__typename`, or as the platform's `Node` does. */
export function attachTypeResolvers(schema: GraphQLSchema, platform: GraphQLSchema): void {
  const node = platform.getType('Node');
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isAbstractType(type) || platform.getType(type.name)) continue;
    type.resolveType = (value, context, info, own) => {
      const { __typename: name } = value as { readonly __typename?: unknown };
      if (typeof name === 'string') return name;
      return isInterfaceType(node) ? node.resolveType?.(value, context, info, own) : undefined;
    };
  }
}

/** Every resolver of the graph runs with the context of an operation. */
function setResolver(field: GraphQLField<unknown, unknown>, resolve: GraphResolver): void {
  field.resolve = resolve as GraphQLFieldResolver<unknown, unknown>;
}

const isRoot = (name: string): boolean => name === 'Query' || name === 'Mutation';

const loadAgain = ({ formId, instanceId }: InstanceRecord, { loaders }: OperationContext) =>
  loaders.instanceById(formId).load(instanceId);

/** An own field of one object, to be resolved. */
interface FieldRequest {
  readonly record: unknown;
  readonly show: (record: unknown, operation: OperationContext) => unknown;
  readonly args: Args;
  readonly operation: OperationContext;
}

type ResolveField = (request: FieldRequest) => unknown;

const createSingle =
  ({ resolve }: OwnResolver, { contextOf }: ResolverOptions): ResolveField =>
  ({ record, show, args, operation }) =>
    resolve?.(show(record, operation), args, contextOf(operation));

/** The objects of one operation with equal arguments at one time are one batch, each object once. */
function createBatch({ batch }: OwnResolver, name: string, { contextOf }: ResolverOptions): ResolveField {
  const loadersOf = perOperation(() => new Map<string, DataLoader<unknown, unknown>>());
  return ({ record, show, args, operation }) => {
    const byArgs = loadersOf(operation);
    const key = JSON.stringify(args);
    let loader = byArgs.get(key);
    if (loader === undefined) {
      loader = new DataLoader(async (records) => {
        const sources = records.map((one) => show(one === NO_RECORD ? undefined : one, operation));
        const values = await batch?.(sources, args, contextOf(operation));
        if (Array.isArray(values) && values.length === records.length) return values;
        throw new Error(`The batch of ${name} must give a list of ${records.length} values.`);
      });
      byArgs.set(key, loader);
    }
    return loader.load(record ?? NO_RECORD);
  };
}

/** Stands for the source of a root field, which is none. */
const NO_RECORD = {};

/**
 * The cost of an extension's field: its calls for each object, or once where they go together, and what stands below it. Which of the
 * platform's records these are, only its resolver knows: they are taken to be all different.
 */
function createCost(field: GraphQLField<unknown, unknown>, { batch, calls }: OwnResolver, isRecord: boolean): CostRule {
  const isList = isListType(getNullableType(field.type));
  const type = getNamedType(field.type);
  const isConnection = isObjectType(type) && ['nodes', 'edges'].some((name) => type.getFields()[name]);
  return (place, args, costs) => {
    const { first } = args;
    const size = isConnection ? (typeof first === 'number' ? first : costs.pages.defaultSize) : 1;
    const objects = place.objects * (isList ? USUAL_LENGTH : 1);
    return {
      ...(isRecord && contentCost(place, args, costs)),
      own: { operation: 'extension' as const, calls: batch ? calls : calls * place.objects },
      below: { objects, records: objects * size, forms: 1, ...(isConnection && { size }) },
    };
  };
}

/** The assumed length of a list that an extension gives. */
const USUAL_LENGTH = 10;

/** Failures of the platform and an extension's own class have codes for clients; what else was thrown is the extension's fault. */
const createToError =
  (report: ReturnType<ResolverOptions['reportOf']>) =>
  (thrown: unknown, operation: OperationContext): Error => {
    if (PUBLIC_ERRORS.some((known) => thrown instanceof known) || isBadInput(thrown)) return thrown as Error;
    if (operation.work.signal.aborted) return toAbortError('fetch', operation.work.signal);
    return report(thrown, operation);
  };

const PUBLIC_ERRORS = [ExtensionError, UpstreamError, InputError, CallLimitError];

/** Values that a change of the platform does not take. */
const isBadInput = (error: unknown): boolean =>
  error instanceof GraphQLError && error.extensions['code'] === 'BAD_USER_INPUT';

const asItIs: Convert = (value) => value;

/** Gives arguments as extensions take them: the values of enums, which may be anywhere, by their names. */
function convertArgs({ args }: GraphQLField<unknown, unknown>): Convert {
  if (args.length === 0) return asItIs;
  return (given) => {
    const known = args.filter(({ name }) => Object.hasOwn(given as Args, name));
    return Object.fromEntries(known.map(({ name, type }) => [name, convertInput(type, (given as Args)[name])]));
  };
}

function convertInput(type: GraphQLInputType, value: unknown): unknown {
  const nullable = getNullableType(type);
  if (value == null) return value;
  if (isListType(nullable)) return (value as unknown[]).map((item) => convertInput(nullable.ofType, item));
  if (isEnumType(nullable)) return nullable.serialize(value);
  if (!isInputObjectType(nullable)) return protect(value);
  const fields = nullable.getFields();
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => {
      const field = fields[name];
      return [name, field ? convertInput(field.type, member) : member];
    }),
  );
}
