import {
  coerceInputValue,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isAbstractType,
  isEnumType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
} from 'graphql';
import { UpstreamError } from '../../core/errors.ts';
import type { OperationContext } from '../../graphql/context.ts';
import type { InstanceRecord } from '../../upstream/records.ts';

/**
 * Shows a type's records of the platform to extensions, with the names and values of the graph. The record of the root of mutations
 * is the context that their resolvers get.
 */
export type ViewsOf = (type: GraphQLObjectType) => (record: unknown, operation: OperationContext) => object;

/**
 * A record as an extension sees it. A value is a property; what must be loaded, or takes arguments, is a method. It serves the
 * operation that loaded it, and no other one: another may be another caller's.
 */
class View {
  readonly #record: unknown;
  readonly #operation: OperationContext;
  readonly #type: GraphQLObjectType;

  constructor(record: unknown, operation: OperationContext, type: GraphQLObjectType) {
    this.#record = record;
    this.#operation = operation;
    this.#type = type;
  }

  static open(view: View) {
    checkRunning(view.#operation);
    return { record: view.#record, operation: view.#operation, type: view.#type };
  }
}

/** @throws {Error} once the operation has ended. */
export function checkRunning({ isEnded }: OperationContext): void {
  if (isEnded) throw new Error('This belongs to a request that has ended.');
}

/**
 * Gives the record of a view, and its type in the platform's graph; `undefined` for anything else.
 *
 * @throws {Error} for a view that another operation loaded.
 */
export function openView(value: unknown, operation: OperationContext) {
  if (!(value instanceof View)) return undefined;
  const { record, operation: loader, type } = View.open(value);
  if (loader !== operation) throw new Error('This was loaded by another request.');
  return { record, type };
}

/** Gives a value that others share so that nobody can change it for them: JSON is frozen, once and for good; dates are copied. */
export function protect(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  return value instanceof Date ? new Date(value) : freeze(value);
}

/** The same for an error, whose cause nobody reads. */
function protectError(error: UpstreamError): UpstreamError {
  freeze(error.fields);
  return Object.freeze(error);
}

/** Frozen from the inside out, an object needs no second look. */
function freeze<T extends object>(value: T): T {
  if (Object.isFrozen(value)) return value;
  for (const member of Object.values(value)) if (typeof member === 'object' && member !== null) freeze(member);
  return Object.freeze(value);
}

const NO_ARGS = Object.freeze({});
/** Fields of `Query` and `Mutation` that extensions do not get: `context.caller` says who calls. */
export const SESSION_FIELDS: readonly string[] = ['viewer', 'signIn', 'signOut'];

type Field = GraphQLField<unknown, OperationContext>;
type ViewClass = new (record: unknown, operation: OperationContext) => View;

/** Makes the views of a platform's graph. The class of a type is made when its first record is shown. */
export function createViews(schema: GraphQLSchema): ViewsOf {
  const classes = new Map<GraphQLObjectType, ViewClass>();
  const mutation = schema.getMutationType();
  const roots: readonly unknown[] = [schema.getQueryType(), mutation];

  const classOf = (type: GraphQLObjectType): ViewClass => {
    const known = classes.get(type);
    if (known) return known;
    const TypedView = class extends View {
      constructor(record: unknown, operation: OperationContext) {
        super(record, operation, type);
      }
    };
    for (const field of Object.values(type.getFields())) {
      if (roots.includes(type) && SESSION_FIELDS.includes(field.name)) continue;
      const get = isMethod(field) ? getMethod(field, type === mutation) : getValue(field);
      Object.defineProperty(TypedView.prototype, field.name, { get });
    }
    classes.set(type, TypedView);
    return TypedView;
  };

  const getValue = (field: Field) =>
    function get(this: View) {
      const { record, operation } = View.open(this);
      return show(field.type, resolve(field, record, NO_ARGS, operation), operation);
    };

  // It is made when it is read, so that it can be taken out of its object.
  const getMethod = (field: Field, isMutation: boolean) =>
    function get(this: View) {
      const { record, operation } = View.open(this);
      const context = isMutation ? (record as OperationContext) : operation;
      return async (given: Args = NO_ARGS) => {
        checkRunning(operation);
        try {
          const value = await resolve(field, record, readArgs(field, given), context);
          return show(field.type, await withContents(value, operation), operation);
        } catch (error) {
          // All who wait for one call get its failure.
          throw error instanceof UpstreamError ? protectError(error) : error;
        }
      };
    };

  function show(type: GraphQLOutputType, value: unknown, operation: OperationContext): unknown {
    if (value === undefined || value === null) return null;
    const nullable = getNullableType(type);
    if (isListType(nullable)) {
      return Array.from(value as Iterable<unknown>, (item) => show(nullable.ofType, item, operation));
    }
    if (isEnumType(nullable)) return nullable.serialize(value);
    if (isLeafType(nullable)) return protect(value);
    return new (classOf(concreteType(nullable, value, operation)))(value, operation);
  }

  function concreteType(type: GraphQLNamedType, value: unknown, operation: OperationContext): GraphQLObjectType {
    const name = isAbstractType(type) && type.resolveType?.(value, operation, undefined as never, type);
    const concrete = name ? schema.getType(String(name)) : type;
    if (!isObjectType(concrete)) throw new Error(`There is no object type for a value of ${type.name}.`);
    return concrete;
  }

  return (type) => {
    const TypedView = classOf(type);
    return (record, operation) => new TypedView(record, operation);
  };
}

/** Whether a field of a view is a function: its value is loaded, or depends on arguments. */
export const isMethod = ({ args, resolve, type }: Pick<Field, 'args' | 'resolve' | 'type'>): boolean =>
  args.length > 0 || (resolve !== undefined && !isLeafType(getNamedType(type)));

export type Args = Readonly<Record<string, unknown>>;

function resolve(field: Field, record: unknown, args: Args, operation: OperationContext): unknown {
  if (field.resolve) return field.resolve(record, args, operation, undefined as never);
  return (record as Args)[field.name];
}

/** Gives arguments as resolvers take them, from those that a client would send. */
function readArgs(field: Field, given: Args): Args {
  const unknown = Object.keys(given).find((name) => field.args.every((arg) => arg.name !== name));
  if (unknown !== undefined) throw new Error(`${field.name} has no argument ${unknown}.`);
  // A moment may come as a `Date`.
  const json = JSON.parse(JSON.stringify(given)) as Args;
  const entries = field.args.flatMap(({ name, type, defaultValue }): [string, unknown][] => {
    if (name in json || isNonNullType(type)) return [[name, coerceInputValue(json[name], type)]];
    return defaultValue === undefined ? [] : [[name, defaultValue]];
  });
  return Object.fromEntries(entries);
}

/** Loads the record of a creation that the platform answered without a body, so that values can be read at once. */
async function withContents(value: unknown, { loaders }: OperationContext): Promise<unknown> {
  const load = async (record: unknown) => {
    if (!isEmptyInstance(record)) return record;
    const { formId, instanceId } = record;
    return (await loaders.instanceById(formId).load(instanceId)) ?? record;
  };
  if (typeof value === 'object' && value !== null && 'instance' in value && isEmptyInstance(value.instance)) {
    return { ...value, instance: await load(value.instance) };
  }
  return load(value);
}

/** Whether a value is an instance whose content is not known. */
export const isEmptyInstance = (value: unknown): value is InstanceRecord =>
  typeof value === 'object' && value !== null && 'instanceId' in value && !('content' in value && value.content);
