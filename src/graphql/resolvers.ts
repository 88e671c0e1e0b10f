import { type GraphQLNamedType, type GraphQLSchema, getNamedType, isInterfaceType, isObjectType } from 'graphql';

import type {
  FormResolvers,
  GenericInstanceResolvers,
  InstanceCapabilities,
  MutationResolvers,
  QueryResolvers,
  Resolvers,
  ResolversParentTypes,
} from '../__generated__/resolvers.ts';
import { InputError, orUndefined } from '../core/errors.ts';
import { decodeReference, linksOf, methodsOf } from '../upstream/decoders.ts';
import { fieldValue } from '../upstream/field-value.ts';
import {
  type Audited,
  type Change,
  type Entity,
  isDefinition,
  type Need,
  parentsOf,
  readOf,
} from '../upstream/operation.ts';
import { type EntityRecord, listed } from '../upstream/operations.ts';
import type { Ids, InstanceContent, InstanceKey, SomeIds } from '../upstream/records.ts';
import * as cases from '../upstream/resources/cases.ts';
import { FORMS, getForm } from '../upstream/resources/forms.ts';
import * as instances from '../upstream/resources/instances.ts';
import * as rules from '../upstream/resources/rules.ts';
import {
  type CallGroup,
  type CostNode,
  type CostRule,
  contentCost,
  lookUpOf,
  pageCalls,
  passThrough,
  perRow,
  recordCalls,
  SINGLE_NODE,
} from './admission/cost.ts';
import { type ChangeInput, type OperationContext, withContent } from './context.ts';
import {
  type ConnectionArgs,
  createListKeys,
  findNodeKey,
  loadConnection,
  loadNode,
  nodeIdsOf,
  parseNodeId,
  toInstanceId,
  toPlatformIds,
} from './relay.ts';
import { scalars } from './scalars.ts';
import type { ChangeMeaning, RootMeaning } from './schema-metadata.ts';

const { INSTANCES } = instances;

/** A field at the root: its resolver, and what it costs, demands and means besides. */
interface RootField<A, T> {
  readonly resolve: (root: unknown, args: A, context: OperationContext) => T;
  readonly meaning: RootMeaning;
}

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
    resolve: (_root, args, { loaders }) => loaders.load(entity, toPlatformIds({ ...args, ...fixed })),
    meaning: {
      cost(_place, args) {
        const given: SomeIds = { ...args, ...fixed };
        // What names something else is looked up by nobody; it counts all the same.
        const ids = orUndefined(() => toPlatformIds(given)) ?? given;
        return { lookUps: [lookUpOf({ entity: entity as Entity<never>, ids })], below: SINGLE_NODE };
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
    cost(place, args, dialect) {
      const { own, size } = pageCalls(list, place, () => readKey(args as Args), dialect);
      return { own, below: { objects: 1, records: size, forms: entity.path.length > 1 ? 1 : size, size } };
    },
    demand: demandOf(list.needs, fixed),
    isFollowed: !isDefinition(list),
  };
  return {
    resolve: (_root: unknown, args: Args & SomeIds, { loaders }: OperationContext) =>
      loadConnection(
        loaders.of(entity, ...parentsOf(entity, toPlatformIds({ ...args, ...fixed }))).lists,
        readKey(args),
      ),
    meaning,
  };
}

/** What an operation demands, with the ids that are no arguments. */
const demandOf = (needs: (ids: Ids) => Need, fixed: SomeIds | undefined): RootMeaning['demand'] =>
  fixed ? () => needs(fixed as Ids) : needs;

interface Made<A, T, P> {
  readonly payload: (result: T, args: A) => P;
  readonly below?: CostNode;
  /** Of a change of one instance, of which typed and bulk ones are made. */
  readonly word?: ChangeMeaning['word'];
}

/** Makes one change. */
function changes<A extends Audited<A>, T, P>(
  of: Change<A, T>,
  { payload, below = SINGLE_NODE, word }: Made<A, T, P>,
): RootField<{ readonly input: A & ChangeInput }, Promise<P>> {
  const { name: operation } = listed(of);
  return {
    async resolve(_root, { input: { idempotencyKey, ...input } }, context) {
      const args = toPlatformIds<object>(input) as A;
      return payload(await context.change(of, args, { idempotencyKey }), args);
    },
    meaning: {
      cost: () => ({ own: { operation, calls: 1 }, below }),
      // It needs what its ids say; what else its input has is checked once that is known.
      demand: (given) => of.needs(given as unknown as A),
      ...(word && { change: { formId: undefined, word, toGeneric: unchanged } }),
    },
  };
}

const unchanged = (input: object) => input as Readonly<Record<string, unknown>>;
/** The platform answers these changes without a body; the content is read once a field of it is selected. */
const toChanged = (_result: unknown, { formId, instanceId }: InstanceKey) => ({
  instance: { kind: INSTANCES.kind, formId, instanceId },
});
/** What was changed may have to be read. */
const CHANGED: CostNode = { ...SINGLE_NODE, isFresh: true };
const deletedId = nodeIdsOf(INSTANCES);

/** What no operation of the platform does, and everybody may. */
const OWN: RootMeaning = { cost: passThrough, demand: () => undefined };

/** Every field at the root, but for those of features. One that is missing does not compile. */
const ROOT_FIELDS = {
  Query: {
    node: {
      resolve: async (_root, { id }, { loaders }) => loadNode(parseNodeId(id), loaders),
      meaning: {
        cost(_place, { id }) {
          const text = String(id);
          // What is no id may stand for any id in a plan: it counts as an instance of a form of its own.
          const key = findNodeKey(text) ?? { entity: INSTANCES, ids: { formId: text, instanceId: text } };
          return { lookUps: [lookUpOf(key)], below: SINGLE_NODE };
        },
        demand({ id }) {
          // What is no id leads nowhere.
          const key = findNodeKey(id);
          return key && readOf(key.entity).needs(key.ids);
        },
      },
    },
    form: readsOne(FORMS),
    forms: readsList(FORMS),
    instance: readsOne(INSTANCES),
    instances: readsList(INSTANCES),
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
      payload: (instance) => ({ instance }),
      below: CHANGED,
      word: 'create',
    }),
    replaceInstance: changes(instances.updateFormIntance, {
      payload: toChanged,
      below: CHANGED,
      word: 'replace',
    }),
    updateInstance: changes(instances.updateValuesOfFormIntance, {
      payload: toChanged,
      below: CHANGED,
      word: 'update',
    }),
    deleteInstance: changes(instances.deleteFormIntance, {
      payload: (_result, key) => ({ deletedId: deletedId(key) }),
      word: 'delete',
    }),
    startCase: changes(cases.startCase, { payload: (started) => ({ case: started }) }),
    executeActivity: changes(cases.executeCurrentActivity, { payload: (moved) => ({ case: moved }) }),
    executeRule: changes(rules.execute, { payload: (outputs) => ({ outputs }) }),
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

const readListKey = createListKeys();

const Form = {
  id: nodeIdsOf(FORMS),

  fields: ({ formId, fields }, _args, { loaders }) =>
    fields ??
    loaders
      .of(FORMS)
      .byId.load(formId)
      .then((form) => form?.fields),

  links: ({ definition, linkHeader }) => linksOf({ record: definition, header: linkHeader }, getForm.name),

  instances: ({ formId }, args, { loaders }) => loadConnection(loaders.of(INSTANCES, formId).lists, readListKey(args)),

  instance: ({ formId }, { instanceId }, { loaders }) =>
    loaders.of(INSTANCES, formId).byId.load(toInstanceId(formId, instanceId)),
} satisfies FormResolvers;

const GenericInstance = {
  id: nodeIdsOf(INSTANCES),

  form: ({ formId }, _args, { loaders }) => loaders.of(FORMS).byId.load(formId),

  values: (instance, _args, context) => withContent(instance, context, ({ values }) => values),

  value: (instance, { field }, context) =>
    withContent(instance, context, (content) => fieldValue(content, field, context.dialect)),

  reference: (instance, { field }, context) =>
    withContent(instance, context, async (content) => {
      const value = fieldValue(content, field, context.dialect);
      if (value === null) return undefined;
      const formId = await referredForm(instance.formId, field, context);
      const instanceId = decodeReference(value, field, context.dialect);
      return instanceId === undefined ? undefined : context.loaders.of(INSTANCES, formId).byId.load(instanceId);
    }),

  links: (instance, _args, context) => withContent(instance, context, navigationLinks),

  can: (instance, _args, context) => withContent(instance, context, capabilities),
} satisfies GenericInstanceResolvers;

const navigationLinks = ({ rawLinks }: InstanceContent) => linksOf(rawLinks, instances.getFormIntance.name);

async function referredForm(formId: string, field: string, { loaders }: OperationContext): Promise<string> {
  const form = await loaders.of(FORMS).byId.load(formId);
  const reference = form?.fields?.find(({ name }) => name === field)?.reference;
  if (reference !== undefined) return reference;
  throw new InputError('The form has no reference field with this name.');
}

function capabilities({ rawLinks }: InstanceContent): InstanceCapabilities | undefined {
  const methods = methodsOf(rawLinks, instances.getFormIntance.name);
  if (methods === undefined) return undefined;
  return {
    replace: methods.includes('PUT'),
    update: methods.includes('PATCH'),
    delete: methods.includes('DELETE'),
  };
}

/** The fields of a type that its record has no member for. */
type Unrecorded<T extends keyof Resolvers & keyof ResolversParentTypes> = Exclude<
  keyof NonNullable<Resolvers[T]>,
  keyof ResolversParentTypes[T] | '__isTypeOf'
>;
type CompleteResolvers = {
  readonly [T in keyof Resolvers & keyof ResolversParentTypes as Unrecorded<T> extends never ? never : T]: Required<
    Pick<NonNullable<Resolvers[T]>, Unrecorded<T>>
  >;
};

/** Every resolver of the generic graph that is not the default one: one that is missing does not compile. */
export const resolvers = {
  ...scalars,
  Query: resolversOf(ROOT_FIELDS.Query),
  Mutation: resolversOf(ROOT_FIELDS.Mutation),
  Form,
  GenericInstance,
  Node: { __resolveType: ({ kind }) => (kind === 'Instance' ? 'GenericInstance' : kind) },
  Instance: { __resolveType: () => 'GenericInstance' },
} satisfies Resolvers & CompleteResolvers;

function resolversOf<F extends Readonly<Record<string, { readonly resolve: unknown }>>>(fields: F) {
  const all = Object.entries(fields).map(([name, { resolve }]) => [name, resolve]);
  return Object.fromEntries(all) as { readonly [Name in keyof F]: F[Name]['resolve'] };
}

const formCalls = ({ forms }: CostNode): CallGroup => ({ operation: getForm.name, calls: forms });

type FieldCosts = Readonly<Record<string, CostRule>>;

/** The costs of the fields of every instance. */
const INSTANCE_COSTS: FieldCosts = {
  values: contentCost,
  value: contentCost,
  links: contentCost,
  can: contentCost,
  form: (place) => ({
    shared: { form: formCalls(place) },
    below: { ...place, records: place.forms, isFresh: false },
  }),
  reference: (place, _args, dialect) => ({
    own: recordCalls(place, dialect),
    shared: { form: formCalls(place), ...(place.isFresh && { content: recordCalls(place, dialect) }) },
    below: { ...place, isFresh: false },
  }),
};

const CONNECTION: FieldCosts = { nodes: perRow, edges: perRow };
const EDGE: FieldCosts = { node: passThrough };

/**
 * The cost of each field of the generic graph that costs something, or that leads to one that does; those at the root have theirs
 * in `ROOT_FIELDS`, and connections the same. A test compares it with what the resolvers do, over random operations.
 */
const COST_RULES: Readonly<Record<string, FieldCosts>> = {
  CreateInstancePayload: { instance: passThrough },
  ReplaceInstancePayload: { instance: passThrough },
  UpdateInstancePayload: { instance: passThrough },
  Form: {
    instances: ({ objects, forms }, args, dialect) => {
      const { own, size } = pageCalls(
        INSTANCES.list,
        { objects, records: forms, forms },
        () => readListKey(args),
        dialect,
      );
      return { own, below: { objects, records: forms * size, forms, size } };
    },
    instance: ({ objects, forms }, { instanceId }) => ({
      lookUps: [{ list: 'of these forms', entity: INSTANCES, id: String(instanceId), times: forms }],
      below: { objects, records: forms, forms },
    }),
  },
  Instance: INSTANCE_COSTS,
  GenericInstance: INSTANCE_COSTS,
};

const ROOTS: Readonly<Record<string, Readonly<Record<string, { readonly meaning: RootMeaning }>>>> = ROOT_FIELDS;

/**
 * Puts on the fields of the generic graph what they cost and mean.
 *
 * @throws {Error} for a field that leads to records of the platform, and has no cost.
 */
export function addMeaning(schema: GraphQLSchema): void {
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type) && !isInterfaceType(type)) continue;
    for (const [name, field] of Object.entries(type.getFields())) {
      const cost = costsOf(type)[name];
      Object.assign(field.extensions, ROOTS[type.name]?.[name]?.meaning, cost && { cost });
      const isFree = field.extensions.cost === undefined && isOfRecords(getNamedType(field.type));
      if (isFree) throw new Error(`${type.name}.${name} has no rule of cost.`);
    }
  }
}

function costsOf({ name }: GraphQLNamedType): FieldCosts {
  if (name.endsWith('Connection')) return CONNECTION;
  return name.endsWith('Edge') ? EDGE : (COST_RULES[name] ?? {});
}

/** Whether a type is of records that have ids of their own, or leads to them. */
const isOfRecords = (type: GraphQLNamedType): boolean =>
  /(Connection|Edge)$/.test(type.name) ||
  ('getInterfaces' in type && [type, ...type.getInterfaces()].some(({ name }) => name === 'Node'));
