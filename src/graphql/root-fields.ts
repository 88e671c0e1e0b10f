import type { MutationResolvers, QueryResolvers } from '../__generated__/resolvers.ts';
import { orUndefined } from '../core/errors.ts';
import type { Audited, Change, Entity, EntityName, Ids, Need, SomeIds } from '../upstream/operation.ts';
import { isDefinition } from '../upstream/operation.ts';
import { type EntityRecord, listed } from '../upstream/operations.ts';
import type { InstanceKey } from '../upstream/records.ts';
import * as cases from '../upstream/resources/cases.ts';
import { FORMS } from '../upstream/resources/forms.ts';
import * as instances from '../upstream/resources/instances.ts';
import * as rules from '../upstream/resources/rules.ts';
import { type CostNode, lookUpOf, pageCalls, passThrough, SINGLE_NODE } from './admission/cost.ts';
import type { ChangeInput, OperationContext } from './context.ts';
import {
  type ConnectionArgs,
  findNodeKey,
  idsOf,
  loadConnection,
  loadNode,
  nodeIdsOf,
  parseNodeId,
  toFormId,
  toId,
  toInstanceKey,
  toListKey,
} from './relay.ts';
import type { ChangeMeaning, RootMeaning } from './schema-metadata.ts';

/** A field at the root: its resolver, and what it costs, demands and means besides. */
interface RootField<A, T> {
  readonly resolve: (root: unknown, args: A, context: OperationContext) => T;
  readonly meaning: RootMeaning;
}

/**
 * Reads the record that `formId` and the like name, each the platform's id or the global one.
 *
 * @param fixed the parent, where it is no argument.
 */
export function readsOne<V extends EntityRecord>(
  entity: Entity<V>,
  fixed?: string,
): RootField<SomeIds, Promise<V | undefined>> {
  const { idName } = entity;
  const one = listed(entity.one);
  return {
    resolve(_root, args, { loaders }) {
      const parent = parentIn(args, entity, fixed);
      return loaders.of(entity, parent).byId.load(toId(entity, String(args[idName]), parent));
    },
    meaning: {
      cost(_place, args) {
        const parent = orUndefined(() => parentIn(args, entity, fixed));
        const key = { entity: entity as Entity<SomeIds> as Entity<EntityRecord>, id: String(args[idName]), parent };
        return { lookUp: lookUpOf(key), below: SINGLE_NODE };
      },
      demand: demandOf(one.needs, entity, fixed),
      isFollowed: !isDefinition(one),
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
  fixed?: string,
  toGeneric: (args: Args) => ConnectionArgs = (args) => args,
) {
  const list = listed(entity.list);
  const meaning: RootMeaning = {
    cost(place, args, costs) {
      const { own, size } = pageCalls(list, place, () => toGeneric(args as Args), costs);
      return { own, below: { objects: 1, records: size, forms: entity.parent ? 1 : size, size } };
    },
    demand: demandOf(list.needs, entity, fixed),
    isFollowed: !isDefinition(list),
  };
  return {
    resolve: (_root: unknown, args: Args & SomeIds, { loaders, pages }: OperationContext) =>
      loadConnection(loaders.of(entity, parentIn(args, entity, fixed)).lists, toListKey(toGeneric(args), pages)),
    meaning,
  };
}

/** The platform's id of the parent of what arguments name. @throws {InputError} */
function parentIn(args: SomeIds, { parent }: EntityName, fixed: string | undefined): string | undefined {
  return parent === undefined ? undefined : (fixed ?? toId(parent, String(args[parent.idName])));
}

/** What an operation demands, with the parent that is no argument. */
const demandOf = (needs: (ids: Ids) => Need, { parent }: EntityName, fixed: string | undefined) =>
  parent && fixed !== undefined ? () => needs({ [parent.idName]: fixed } as unknown as Ids) : needs;

interface Made<A, I, T, P> {
  /** Gives the arguments of the operation. @throws {InputError} */
  readonly args: (input: I) => A;
  readonly payload: (result: T, args: A) => P;
  readonly below?: CostNode;
  /** Of a change of one instance, of which typed and bulk ones are made. */
  readonly word?: ChangeMeaning['word'];
}

/** Makes one change. */
function changes<A extends Audited<A>, I extends ChangeInput, T, P>(
  of: Change<A, T>,
  { args: argsOf, payload, below = SINGLE_NODE, word }: Made<A, I, T, P>,
): RootField<{ readonly input: I }, Promise<P>> {
  const { name: operation } = listed(of);
  return {
    async resolve(_root, { input: { idempotencyKey, ...input } }, context) {
      const args = argsOf(input as I);
      return payload(await context.change(of, args, { idempotencyKey }), args);
    },
    meaning: {
      cost: () => ({ own: { operation, calls: 1 }, below }),
      // It needs what its ids say; what else its input has is checked once that is known.
      demand: (given) => of.needs(given as unknown as A),
      ...(word && { change: { formId: undefined, word, toGeneric: given } }),
    },
  };
}

const given = <T>(input: T): T => input;
/** The instance to read back, if anybody wants it. */
const readBack = (_result: unknown, key: InstanceKey): InstanceKey => key;
const deletedId = nodeIdsOf(instances.INSTANCES);

/** What no operation of the platform does, and everybody may. */
const OWN: RootMeaning = { cost: passThrough, demand: () => undefined };

/** Every field at the root, but for those of features. One that is missing does not compile. */
export const ROOT_FIELDS = {
  Query: {
    node: {
      resolve: async (_root, { id }, { loaders }) => loadNode(parseNodeId(id), loaders),
      meaning: {
        cost(_place, { id }) {
          const key = findNodeKey(String(id));
          return { lookUp: key && lookUpOf(key), below: SINGLE_NODE };
        },
        demand({ id }) {
          // What is no id leads nowhere.
          const key = findNodeKey(id);
          return key?.entity.one.needs(idsOf(key));
        },
      },
    },
    form: readsOne(FORMS),
    forms: readsList(FORMS),
    instance: readsOne(instances.INSTANCES),
    instances: readsList(instances.INSTANCES),
    rule: {
      resolve: (_root, { component, version }, { loaders }) =>
        loaders.read(rules.getParameters, { component, version }),
      meaning: {
        cost: () => ({ own: { operation: rules.getParameters.name, calls: 1 }, below: SINGLE_NODE }),
        demand: rules.getParameters.needs,
      },
    },
    viewer: {
      resolve(_root, _args, { session, work }) {
        work.markPersonal();
        return session.viewer;
      },
      meaning: OWN,
    },
  },
  Mutation: {
    createInstance: changes(instances.createFormIntance, {
      args: (input) => ({ ...input, formId: toFormId(input.formId) }),
      payload: (instance) => ({ instance }),
      // What was created may have to be read.
      below: { ...SINGLE_NODE, isFresh: true },
      word: 'create',
    }),
    replaceInstance: changes(instances.updateFormIntance, {
      args: toInstanceKey,
      payload: readBack,
      word: 'replace',
    }),
    updateInstance: changes(instances.updateValuesOfFormIntance, {
      args: toInstanceKey,
      payload: readBack,
      word: 'update',
    }),
    deleteInstance: changes(instances.deleteFormIntance, {
      args: toInstanceKey,
      payload: (_result, key) => ({ deletedId: deletedId(key) }),
      word: 'delete',
    }),
    startCase: changes(cases.startCase, { args: given, payload: (started) => ({ case: started }) }),
    executeActivity: changes(cases.executeCurrentActivity, { args: given, payload: (moved) => ({ case: moved }) }),
    executeRule: changes(rules.execute, { args: given, payload: (outputs) => ({ outputs }) }),
    signIn: {
      resolve: (_root, { input }, { session }) => session.signIn(input),
      meaning: { ...OWN, cost: () => ({ own: { operation: 'getToken', calls: 1 }, below: SINGLE_NODE }) },
    },
    signOut: {
      async resolve(_root, _args, { session }) {
        await session.signOut();
        return { viewer: undefined };
      },
      meaning: OWN,
    },
  },
} satisfies { readonly Query: Fields<QueryResolvers>; readonly Mutation: Fields<MutationResolvers> };

type Fields<Resolvers> = {
  readonly [Name in keyof Resolvers]-?: {
    readonly resolve: NonNullable<Resolvers[Name]>;
    readonly meaning: RootMeaning;
  };
};

/** The resolvers of fields. */
export const resolversOf = <F extends Readonly<Record<string, { readonly resolve: unknown }>>>(fields: F) =>
  Object.fromEntries(Object.entries(fields).map(([name, { resolve }]) => [name, resolve])) as {
    readonly [Name in keyof F]: F[Name]['resolve'];
  };
