import { ConflictError, orUndefined, UpstreamError } from '../core/errors.ts';
import { isJsonObject } from '../core/json.ts';
import {
  type AnyOperation,
  type Audited,
  type Change,
  type Entity,
  isDefinition,
  type Permission,
  readOf,
} from '../upstream/operation.ts';
import { type EntityRecord, listed } from '../upstream/operations.ts';
import type { Ids, RecordKey, SomeIds } from '../upstream/records.ts';
import {
  type CostNode,
  type CostRule,
  contentCost,
  lookUpOf,
  SINGLE_NODE,
} from './admission/cost.ts';
import type { ChangeCheck, ChangeInput, OperationContext } from './context.ts';
import type { SchemaInfo } from './form-field.ts';
import { type SearchKey, searchCalls } from './reference-conditions.ts';
import {
  type ConnectionArgs,
  createListKeys,
  loadList,
  type SearchArgs,
  toPlatformIds,
} from './relay.ts';
import type { ChangeMeaning, ReadPayload, RootMeaning } from './schema-metadata.ts';

/** A field with its resolver and its meaning (cost, permission and others). */
export interface MeantField<R, Meaning = Partial<RootMeaning>> {
  readonly resolve: R;
  readonly meaning: Meaning;
}

/** The fields of a root type. Each must have a meaning. */
export type RootFields<Resolvers> = {
  readonly [Name in keyof Resolvers]: MeantField<NonNullable<Resolvers[Name]>, RootMeaning>;
};

/** The fields of a type. A field without cost may be a plain resolver. */
export type TypeFields<Resolvers> = {
  readonly [Name in keyof Resolvers]:
    | NonNullable<Resolvers[Name]>
    | MeantField<NonNullable<Resolvers[Name]>>;
};

type Resolve<Source, A, T> = (source: Source, args: A, context: OperationContext) => T;
type ResolveChange<A, T> = (
  source: unknown,
  args: A,
  context: OperationContext,
  readPayload?: ReadPayload,
) => T;
type RootField<A, T> = MeantField<Resolve<unknown, A, T>, RootMeaning>;

/**
 * Creates a root field that reads one record. Its arguments are the record's ids, for example
 * `formId`. Each may be the platform's id or the global id.
 *
 * @param fixed ids that are constants instead of arguments.
 */
export function readsOne<V extends EntityRecord>(
  entity: Entity<V>,
  fixed?: SomeIds,
): RootField<SomeIds, Promise<V | undefined>> {
  const read = listed(readOf(entity));
  return {
    resolve: (_root, args, { loaders }) => loaders.load(entity, toPlatformIds(args, fixed)),
    meaning: {
      cost(_place, args) {
        // A global id of another type fails in the resolver. Its cost is one look-up.
        const ids: SomeIds = orUndefined(() => toPlatformIds(args, fixed)) ?? { ...args, ...fixed };
        return { lookUps: [lookUpOf(entity, ids)], children: SINGLE_NODE };
      },
      demand: demandOf(read.needs, fixed),
      isFollowed: !isDefinition(read),
    },
  };
}

/**
 * Creates a root field that reads a page of a list of records.
 *
 * @param fixed ids that are constants instead of arguments.
 * @param toGeneric converts the field's arguments to the generic ones. It may throw an
 *   `InputError`.
 */
export function readsList<V extends EntityRecord, Args extends ConnectionArgs>(
  entity: Entity<V>,
  fixed?: SomeIds,
  toGeneric: (args: Args) => SearchArgs = (args) => args,
) {
  const list = listed(entity.list);
  const readKey = createListKeys(toGeneric);
  const meaning: RootMeaning = {
    cost(_place, args, dialect) {
      const { own, shared, size } = searchCalls(
        list,
        SINGLE_NODE,
        () => readKey(args as Args),
        dialect,
      );
      return {
        own,
        shared,
        children: { objects: 1, records: size, forms: entity.path.length > 1 ? 1 : size, size },
      };
    },
    demand: demandOf(list.needs, fixed),
    isFollowed: !isDefinition(list),
    isNeverNull: true,
  };
  return {
    resolve(_root: unknown, args: Args & SomeIds, context: OperationContext, info?: SchemaInfo) {
      const around = toPlatformIds<SomeIds>(args, fixed);
      return loadList(entity, around, readKey(args), context, info);
    },
    meaning,
  };
}

/** Returns a field's permission rule, from the constant ids or from its arguments. */
const demandOf = (
  needs: (ids: Ids) => Permission,
  fixed: SomeIds | undefined,
): RootMeaning['demand'] => (fixed ? () => needs(fixed as Ids) : needs);

/** Creates a field of a record that reads a page of a nested list. */
export function listOf<V extends EntityRecord>(entity: Entity<V>) {
  const readKey = createListKeys();
  const meaning: Partial<RootMeaning> = {
    cost: costOfLists(listed(entity.list), readKey),
    isNeverNull: true,
  };
  return {
    resolve(record: SomeIds, args: ConnectionArgs, context: OperationContext, info?: SchemaInfo) {
      return loadList(entity, record, readKey(args), context, info);
    },
    meaning,
  };
}

/** Returns the cost rule of a list that is read for each record. */
export const costOfLists =
  (list: AnyOperation, readKey: (args: ConnectionArgs) => SearchKey): CostRule =>
  (place, args, dialect) => {
    const { objects, records, forms } = place;
    const { own, shared, size } = searchCalls(list, place, () => readKey(args), dialect);
    return { own, shared, children: { objects, records: records * size, forms, size } };
  };

/** Creates a field of a record that reads one nested record. */
export function oneOf<V extends EntityRecord>(
  entity: Entity<V>,
): MeantField<Resolve<SomeIds, SomeIds, Promise<V | undefined>>> {
  const names = entity.path.slice(0, -1);
  return {
    resolve(record, args, { loaders }) {
      const around: SomeIds = Object.fromEntries(names.map((name) => [name, record[name]]));
      return loaders.load(entity, toPlatformIds(args, around));
    },
    meaning: {
      cost({ objects, records, forms }, args) {
        const lookUp = { ...lookUpOf(entity, args), list: 'in these records', times: records };
        return { lookUps: [lookUp], children: { objects, records, forms } };
      },
    },
  };
}

/** Creates a field of a record. If only the record's ids are known, the record is loaded first. */
export function ofRecord<V extends EntityRecord, T>(
  entity: Entity<V>,
  read: (record: V, context: OperationContext) => T,
): MeantField<Resolve<V & RecordKey, unknown, T | Promise<T>>> {
  return {
    resolve(record, _args, context) {
      if (!record.isKey) return read(record, context);
      return context.loaders.load(entity, record).then((loaded) => {
        if (loaded) return read(loaded, context);
        throw new UpstreamError('not-found', { operation: readOf(entity).name, status: 404 });
      });
    },
    meaning: { cost: contentCost(entity) },
  };
}

/** A check of the values that a client expects, before a change. */
export interface InputCheck<A> {
  /** The operation that reads them, with one call. */
  readonly operation: string;
  create(expected: object, args: A, context: OperationContext): ChangeCheck;
}

interface MutationOptions<A, T, P> {
  /** Returns the payload for the operation's result. */
  readonly payload: (result: T, args: A) => P;
  /** The cost of the payload's fields. */
  readonly children?: CostNode;
  /** The check of the member `expected` of the input. */
  readonly check?: InputCheck<A>;
  /**
   * The verb of a change of one instance. The typed graph and bulk writes derive their mutations
   * from it.
   */
  readonly verb?: ChangeMeaning['verb'];
}

/**
 * Creates a mutation that makes one change. Its input has the operation's arguments. Each id may be
 * the platform's id or the global id.
 */
export function changes<A extends Audited<A>, T, P>(
  of: Change<A, T>,
  { payload, children = SINGLE_NODE, check, verb }: MutationOptions<A, T, P>,
): MeantField<ResolveChange<{ readonly input: A & ChangeInput }, Promise<P>>, RootMeaning> {
  const { name: operation } = listed(of);
  return {
    async resolve(_root, { input: { idempotencyKey, expected, ...input } }, context, readPayload) {
      const args = toPlatformIds<SomeIds>(input, {}, ['input']) as unknown as A;
      const expectation = expected ? check?.create(expected, args, context) : undefined;
      try {
        const result = await context.change(of, args, { idempotencyKey, check: expectation });
        return payload(result, args);
      } catch (error) {
        throw await withSelected(error, readPayload);
      }
    },
    meaning: {
      cost(_place, { input }) {
        const own = { operation, calls: 1 };
        const isChecked = !isJsonObject(input) || input['expected'] != null;
        if (check === undefined || !isChecked) return { own, children };
        return { checks: { operation: check.operation, calls: 1 }, own, children };
      },
      // Only the ids matter here. Other members of the input are checked after coercion.
      demand: (given) => of.needs(given as unknown as A),
      isKeyed: true,
      ...(verb && { change: { formId: undefined, verb, toGeneric: toSameInput } }),
    },
  };
}

/** Adds to a conflict the values of the record that the client selects in the payload. */
async function withSelected(error: unknown, readPayload: ReadPayload | undefined) {
  if (!(error instanceof ConflictError) || readPayload === undefined) return error;
  const { fields, record } = error;
  // A condition of the payload's fields may not fit. The conflict is reported before it.
  const payload = await Promise.resolve({ instance: record })
    .then(readPayload)
    .catch(() => undefined);
  if (!isJsonObject(payload) || payload instanceof Error) return error;
  const selected = Object.values(payload).filter(isJsonObject);
  if (selected.length === 0) return error;
  return new ConflictError(fields, record, Object.assign({}, ...selected));
}

const toSameInput = (input: object) => input as Readonly<Record<string, unknown>>;

/** The cost position of a changed record. It may have to be read again. */
export const CHANGED: CostNode = { ...SINGLE_NODE, isFresh: true };
