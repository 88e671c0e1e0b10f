import { type GraphQLNamedType, type GraphQLSchema, getNamedType, isInterfaceType, isObjectType } from 'graphql';

import type {
  FormResolvers,
  GenericInstanceResolvers,
  InstanceCapabilities,
  ReplaceInstancePayloadResolvers,
  Resolvers,
  UpdateInstancePayloadResolvers,
} from '../__generated__/resolvers.ts';
import { InputError } from '../core/errors.ts';
import { type JsonObject, valueAt } from '../core/json.ts';
import { decodeReference, linksOf, methodsOf } from '../upstream/decoders.ts';
import type { EntityName } from '../upstream/operation.ts';
import { entityOf } from '../upstream/operations.ts';
import type { InstanceContent } from '../upstream/records.ts';
import { FORMS } from '../upstream/resources/forms.ts';
import { INSTANCES } from '../upstream/resources/instances.ts';
import {
  type CallGroup,
  type CostNode,
  type CostRule,
  contentCost,
  pageCalls,
  passThrough,
  perRow,
  recordCalls,
  SINGLE_NODE,
} from './admission/cost.ts';
import { type OperationContext, withContent } from './context.ts';
import { loadConnection, nodeIdsOf, toInstanceId, toListKey } from './relay.ts';
import { ROOT_FIELDS, resolversOf } from './root-fields.ts';
import { scalars } from './scalars.ts';
import type { RootMeaning } from './schema-metadata.ts';

const Form = {
  id: nodeIdsOf(FORMS),

  fields: ({ formId, fields }, _args, { loaders }) =>
    fields ??
    loaders
      .of(FORMS)
      .byId.load(formId)
      .then((form) => form?.fields),

  instances: ({ formId }, args, { loaders, pages }) =>
    loadConnection(loaders.of(INSTANCES, formId).lists, toListKey(args, pages)),

  instance: ({ formId }, { instanceId }, { loaders }) =>
    loaders.of(INSTANCES, formId).byId.load(toInstanceId(formId, instanceId)),
} satisfies FormResolvers;

/** The type of records, as the graph has it. */
const typeOf = ({ type }: EntityName) => (type === INSTANCES.type ? 'GenericInstance' : (type as 'Form'));

/** The types behind the interfaces of the generic graph. */
const abstractTypes = {
  Node: { __resolveType: (record) => typeOf(entityOf(record)) },
  Instance: { __resolveType: () => 'GenericInstance' },
} satisfies Pick<Resolvers, 'Node' | 'Instance'>;

const GenericInstance = {
  id: nodeIdsOf(INSTANCES),

  form: ({ formId }, _args, { loaders }) => loaders.of(FORMS).byId.load(formId),

  values: (instance, _args, context) => withContent(instance, context, valuesOf),

  value: (instance, { field }, context) => withContent(instance, context, ({ values }) => valueAt(values, field)),

  reference: (instance, { field }, context) =>
    withContent(instance, context, async ({ values }) => {
      const value = valueAt(values, field);
      if (value === null) return undefined;
      const formId = await referredForm(instance.formId, field, context);
      const instanceId = decodeReference(value, context.dialect);
      return instanceId === undefined ? undefined : context.loaders.of(INSTANCES, formId).byId.load(instanceId);
    }),

  links: (instance, _args, context) => withContent(instance, context, navigationLinks),

  can: (instance, _args, context) => withContent(instance, context, capabilities),
} satisfies GenericInstanceResolvers;

const valuesOf = ({ values }: InstanceContent): JsonObject => values;

const navigationLinks = ({ rawLinks }: InstanceContent, { dialect }: OperationContext) => linksOf(rawLinks, dialect);

async function referredForm(formId: string, field: string, { loaders }: OperationContext): Promise<string> {
  const form = await loaders.of(FORMS).byId.load(formId);
  const reference = form?.fields?.find(({ name }) => name === field)?.reference;
  if (reference !== undefined) return reference;
  throw new InputError('The form has no reference field with this name.');
}

function capabilities({ rawLinks }: InstanceContent, { dialect }: OperationContext): InstanceCapabilities | undefined {
  const methods = methodsOf(rawLinks, dialect);
  if (methods === undefined) return undefined;
  return {
    replace: methods.includes('PUT'),
    update: methods.includes('PATCH'),
    delete: methods.includes('DELETE'),
  };
}

/** The platform answers these changes without a body, so the instance is read back, and only when it is selected. */
const readBack: ReplaceInstancePayloadResolvers & UpdateInstancePayloadResolvers = {
  instance: ({ formId, instanceId }, _args, { loaders }) => loaders.of(INSTANCES, formId).byId.load(instanceId),
};

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
  ...abstractTypes,
  ReplaceInstancePayload: readBack,
  UpdateInstancePayload: readBack,
} satisfies Resolvers;

/** The record that was changed, read since its change is answered without it. */
const readBackCost: CostRule = () => ({
  shared: { readBack: { operation: INSTANCES.one.name, calls: 1 } },
  below: SINGLE_NODE,
});

const formCalls = ({ forms }: CostNode): CallGroup => ({ operation: FORMS.one.name, calls: forms });

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
  reference: (place, _args, { dialect }) => ({
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
  ReplaceInstancePayload: { instance: readBackCost },
  UpdateInstancePayload: { instance: readBackCost },
  Form: {
    instances: ({ objects, forms }, args, costs) => {
      const { own, size } = pageCalls(INSTANCES.list, { objects, records: forms, forms }, () => args, costs);
      return { own, below: { objects, records: forms * size, forms, size } };
    },
    instance: ({ objects, forms }, { instanceId }) => ({
      lookUp: { list: 'of these forms', entity: INSTANCES, id: String(instanceId), times: forms },
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
