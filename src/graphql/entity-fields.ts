import { orUndefined, UpstreamError } from '../core/errors.ts';
import type { ListKey } from '../loaders/list-range.ts';
import {
  type AnyOperation,
  type Audited,
  type Change,
  type Entity,
  isDefinition,
  type Need,
  parentsOf,
  readOf,
} from '../upstream/operation.ts';
import { type EntityRecord, listed } from '../upstream/operations.ts';
import type { Ids, RecordKey, SomeIds } from '../upstream/records.ts';
import { type CostNode, type CostRule, contentCost, lookUpOf, pageCalls, SINGLE_NODE } from './admission/cost.ts';
import type { ChangeInput, OperationContext } from './context.ts';
import { type ConnectionArgs, createListKeys, loadConnection, toPlatformIds } from './relay.ts';
import type { ChangeMeaning, RootMeaning } from './schema-metadata.ts';

/** A field: its resolver, and what it costs, demands and means besides. */
export interface MeantField<R, Meaning = Partial<RootMeaning>> {
  readonly resolve: R;
  readonly meaning: Meaning;
}

/** The fields at a root, of which each has a meaning. */
export type RootFields<Resolvers> = {
  readonly [Name in keyof Resolvers]: MeantField<NonNullable<Resolvers[Name]>, RootMeaning>;
};

/** The fields of a type. One that costs nothing may be its resolver alone. */
export type TypeFields<Resolvers> = {
  readonly [Name in keyof Resolvers]: NonNullable<Resolvers[Name]> | MeantField<NonNullable<Resolvers[Name]>>;
};

type Resolve<Source, A, T> = (source: Source, args: A, context: OperationContext) => T;
type RootField<A, T> = MeantField<Resolve<unknown, A, T>, RootMeaning>;

/**
 * Reads the record that `formId` and the like name, each the platform's id or the global one.
 *
 * @param fixed the ids that are no arguments.
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
        // A global id of something else is looked up by nobody, and counts all the same.
        const ids: SomeIds = orUndefined(() => toPlatformIds(args, fixed)) ?? { ...args, ...fixed };
        return { lookUps: [lookUpOf(entity, ids)], below: SINGLE_NODE };
      },
      demand: demandOf(read.needs, fixed),
      isFollowed: !isDefinition(read),
    },
  };
}

/**
 * Reads a page of the list of those records.
 *
 * @param toGeneric gives the generic arguments, and may throw an `InputError`.
 */
export function readsList<V extends EntityRecord, Args extends ConnectionArgs>(
  entity: Entity<V>,
  fixed?: SomeIds,
  toGeneric: (args: Args) => ConnectionArgs = (args) => args,
) {
  const list = listed(entity.list);
  const readKey = createListKeys(toGeneric);
  const meaning: RootMeaning = {
    cost(_place, args, dialect) {
      const { own, size } = pageCalls(list, 1, () => readKey(args as Args), dialect);
      return { own, below: { objects: 1, records: size, forms: entity.path.length > 1 ? 1 : size, size } };
    },
    demand: demandOf(list.needs, fixed),
    isFollowed: !isDefinition(list),
  };
  return {
    resolve(_root: unknown, args: Args & SomeIds, { loaders }: OperationContext) {
      const parents = parentsOf(entity, toPlatformIds<SomeIds>(args, fixed));
      return loadConnection(loaders.of(entity, ...parents).lists, readKey(args));
    },
    meaning,
  };
}

/** What an operation demands, with the ids that are no arguments. */
const demandOf = (needs: (ids: Ids) => Need, fixed: SomeIds | undefined): RootMeaning['demand'] =>
  fixed ? () => needs(fixed as Ids) : needs;

/** Reads, within each record of a type, a page of the list of records that stand in it. */
export function listOf<V extends EntityRecord>(entity: Entity<V>) {
  const readKey = createListKeys();
  const meaning: Partial<RootMeaning> = { cost: costOfLists(listed(entity.list), readKey) };
  return {
    resolve: (record: SomeIds, args: ConnectionArgs, { loaders }: OperationContext) =>
      loadConnection(loaders.of(entity, ...parentsOf(entity, record)).lists, readKey(args)),
    meaning,
  };
}

/** The cost of a list in each record of a place. */
export const costOfLists =
  (list: AnyOperation, readKey: (args: ConnectionArgs) => ListKey): CostRule =>
  ({ objects, records, forms }, args, dialect) => {
    const { own, size } = pageCalls(list, records, () => readKey(args), dialect);
    return { own, below: { objects, records: records * size, forms, size } };
  };

/** Reads, within each record of a type, one of the records that stand in it. */
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
        return { lookUps: [lookUp], below: { objects, records, forms } };
      },
    },
  };
}

/** Reads a field of a record; one of which only the ids are known is loaded first. */
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

interface Made<A, T, P> {
  readonly payload: (result: T, args: A) => P;
  readonly below?: CostNode;
  /** Of a change of one instance, of which typed and bulk ones are made. */
  readonly word?: ChangeMeaning['word'];
}

/** Makes one change, whose input has the arguments of the operation, each id the platform's or the global one. */
export function changes<A extends Audited<A>, T, P>(
  of: Change<A, T>,
  { payload, below = SINGLE_NODE, word }: Made<A, T, P>,
): RootField<{ readonly input: A & ChangeInput }, Promise<P>> {
  const { name: operation } = listed(of);
  return {
    async resolve(_root, { input: { idempotencyKey, ...input } }, context) {
      const args = toPlatformIds<SomeIds>(input) as unknown as A;
      return payload(await context.change(of, args, { idempotencyKey }), args);
    },
    meaning: {
      cost: () => ({ own: { operation, calls: 1 }, below }),
      // It needs what its ids say; what else its input has is checked once that is known.
      demand: (given) => of.needs(given as unknown as A),
      isKeyed: true,
      ...(word && { change: { formId: undefined, word, toGeneric: unchanged } }),
    },
  };
}

const unchanged = (input: object) => input as Readonly<Record<string, unknown>>;

/** The record of a change may have to be read before it can be shown. */
export const CHANGED: CostNode = { ...SINGLE_NODE, isFresh: true };
