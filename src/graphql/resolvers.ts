import { type GraphQLSchema, isInterfaceType, isObjectType } from 'graphql';

import type {
  FormResolvers,
  GenericInstanceResolvers,
  InstanceCapabilities,
  MutationResolvers,
  QueryResolvers,
  ReplaceInstancePayloadResolvers,
  Resolvers,
  ResolversParentTypes,
  UpdateInstancePayloadResolvers,
} from '../__generated__/resolvers.ts';
import { InputError, orUndefined } from '../core/errors.ts';
import { type JsonObject, valueAt } from '../core/json.ts';
import { decodeReference, linksOf, methodsOf } from '../upstream/decoders.ts';
import type { InstanceContent, InstanceKey } from '../upstream/records.ts';
import {
  type CallGroup,
  type CostNode,
  type CostRule,
  contentCost,
  formLookUp,
  instanceLookUp,
  nodeLookUp,
  pageCalls,
  passThrough,
  perRow,
  recordCalls,
  SINGLE_NODE,
} from './admission/cost.ts';
import { type OperationContext, withContent } from './context.ts';
import {
  findNodeKey,
  formatNodeId,
  loadConnection,
  type NodeRecord,
  parseNodeId,
  toFormId,
  toInstanceId,
  toInstanceKey,
  toListKey,
} from './relay.ts';
import { scalars } from './scalars.ts';

const Query: QueryResolvers = {
  async node(_root, { id }, { loaders }): Promise<NodeRecord | undefined> {
    const [type, formId, instanceId = ''] = parseNodeId(id);
    return type === 'Form' ? loaders.formById.load(formId) : loaders.instanceById(formId).load(instanceId);
  },

  form: (_root, { formId }, { loaders }) => loaders.formById.load(toFormId(formId)),

  forms: (_root, args, { loaders, pages }) => loadConnection(loaders.forms, toListKey(args, pages)),

  instance(_root, args, { loaders }) {
    const { formId, instanceId } = toInstanceKey(args);
    return loaders.instanceById(formId).load(instanceId);
  },

  instances: (_root, { formId, ...args }, { loaders, pages }) =>
    loadConnection(loaders.instances(toFormId(formId)), toListKey(args, pages)),

  rule: (_root, key, { loaders }) => loaders.ruleByKey.load(key),

  viewer(_root, _args, { session, work }) {
    work.markPersonal();
    return session.viewer;
  },
};

const Form: FormResolvers = {
  id: ({ formId }) => formatNodeId(['Form', formId]),

  fields: ({ formId, fields }, _args, { loaders }) =>
    fields ?? loaders.formById.load(formId).then((form) => form?.fields),

  instances: ({ formId }, args, { loaders, pages }) =>
    loadConnection(loaders.instances(formId), toListKey(args, pages)),

  instance: ({ formId }, { instanceId }, { loaders }) =>
    loaders.instanceById(formId).load(toInstanceId(formId, instanceId)),
};

/** The types behind the interfaces of the generic graph. */
const abstractTypes: Pick<Resolvers, 'Node' | 'Instance'> = {
  Node: { __resolveType: (record) => ('instanceId' in record ? 'GenericInstance' : 'Form') },
  Instance: { __resolveType: () => 'GenericInstance' },
};

const GenericInstance: GenericInstanceResolvers = {
  id: ({ formId, instanceId }) => formatNodeId(['Instance', formId, instanceId]),

  form: ({ formId }, _args, { loaders }) => loaders.formById.load(formId),

  values: (instance, _args, context) => withContent(instance, context, valuesOf),

  value: (instance, { field }, context) => withContent(instance, context, ({ values }) => valueAt(values, field)),

  reference: (instance, { field }, context) =>
    withContent(instance, context, async ({ values }) => {
      const value = valueAt(values, field);
      if (value === null) return undefined;
      const formId = await referredForm(instance.formId, field, context);
      const instanceId = decodeReference(value, context.upstream.dialect);
      return instanceId === undefined ? undefined : context.loaders.instanceById(formId).load(instanceId);
    }),

  links: (instance, _args, context) => withContent(instance, context, navigationLinks),

  can: (instance, _args, context) => withContent(instance, context, capabilities),
};

const valuesOf = ({ values }: InstanceContent): JsonObject => values;

const navigationLinks = ({ rawLinks }: InstanceContent, { upstream }: OperationContext) =>
  linksOf(rawLinks, upstream.dialect);

async function referredForm(formId: string, field: string, { loaders }: OperationContext): Promise<string> {
  const form = await loaders.formById.load(formId);
  const reference = form?.fields?.find(({ name }) => name === field)?.reference;
  if (reference !== undefined) return reference;
  throw new InputError('The form has no reference field with this name.');
}

function capabilities({ rawLinks }: InstanceContent, { upstream }: OperationContext): InstanceCapabilities | undefined {
  const methods = methodsOf(rawLinks, upstream.dialect);
  if (methods === undefined) return undefined;
  return {
    replace: methods.includes('PUT'),
    update: methods.includes('PATCH'),
    delete: methods.includes('DELETE'),
  };
}

/** The source of an instance payload: the instance to read back, if anybody wants it. */
export interface InstancePayload {
  readonly key: InstanceKey;
}

const Mutation = {
  async createInstance(_root, { input: given }, { write }) {
    const input = { ...given, formId: toFormId(given.formId) };
    const instance = await write('createFormIntance', input, ({ instances }, options) =>
      instances.create(input.formId, input.values, options),
    );
    return { instance };
  },

  async replaceInstance(_root, { input }, { write }) {
    const key = toInstanceKey(input);
    await write('updateFormIntance', key, ({ instances }, options) => instances.replace(key, key.values, options));
    return { key };
  },

  async updateInstance(_root, { input }, { write }) {
    const key = toInstanceKey(input);
    await write('updateValuesOfFormIntance', key, ({ instances }, options) =>
      instances.update(key, key.values, options),
    );
    return { key };
  },

  async deleteInstance(_root, { input }, { write }) {
    const key = toInstanceKey(input);
    await write('deleteFormIntance', key, ({ instances }, options) => instances.delete(key, options));
    return { deletedId: formatNodeId(['Instance', key.formId, key.instanceId]) };
  },

  async startCase(_root, { input }, { write }) {
    const change = write('startCase', input, ({ cases }, options) =>
      cases.start(input.process, withoutNulls(input), options),
    );
    return { case: await change };
  },

  async executeActivity(_root, { input }, { write }) {
    const { caseId, activityId } = input;
    const change = write('executeCurrentActivity', input, ({ cases }, options) =>
      cases.execute(caseId, activityId, withoutNulls(input), options),
    );
    return { case: await change };
  },

  async executeRule(_root, { input }, { write }) {
    const { component, version, parameters } = input;
    const given = parameters.map(({ name, type, value }) => ({ name, type: type ?? undefined, value: value ?? null }));
    return {
      outputs: await write('execute', input, ({ rules }, options) =>
        rules.execute({ component, version }, given, options),
      ),
    };
  },

  signIn: (_root, { input }, { session }) => session.signIn(input),

  async signOut(_root, _args, { session }) {
    await session.signOut();
    return { viewer: undefined };
  },
} satisfies MutationResolvers;

const withoutNulls = <T>({ values, attributes }: { values?: T | null; attributes?: T | null }) => ({
  values: values ?? undefined,
  attributes: attributes ?? undefined,
});

const readBack: ReplaceInstancePayloadResolvers & UpdateInstancePayloadResolvers = {
  instance: ({ key }, _args, { loaders }) => loaders.instanceById(key.formId).load(key.instanceId),
};

/** Every payload that `codegen.yml` maps to `InstancePayload`: a missing one does not compile. */
type InstancePayloads = {
  readonly [Type in keyof ResolversParentTypes as ResolversParentTypes[Type] extends InstancePayload
    ? Type
    : never]: typeof readBack;
};

/** The platform answers these changes without a body, so the instance is read back, and only when it is selected. */
const instancePayloads: InstancePayloads = { ReplaceInstancePayload: readBack, UpdateInstancePayload: readBack };

/** Every resolver of the generic graph that is not the default one. */
export const resolvers = {
  ...scalars,
  Query,
  Mutation,
  Form,
  GenericInstance,
  ...abstractTypes,
  ...instancePayloads,
} satisfies Resolvers;

const changeCost =
  (operation: CallGroup['operation'], below: CostNode = SINGLE_NODE): CostRule =>
  () => ({ own: { operation, calls: 1 }, below });

/** The record that was changed, read since its change is answered without it. */
const readBackCost: CostRule = () => ({
  shared: { readBack: { operation: 'getFormIntance', calls: 1 } },
  below: SINGLE_NODE,
});

const formCalls = ({ forms }: CostNode): CallGroup => ({ operation: 'getForm', calls: forms });

/** The costs of the fields of every instance. */
const INSTANCE_COSTS: Readonly<Record<string, CostRule>> = {
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

const CONNECTION: Readonly<Record<string, CostRule>> = { nodes: perRow, edges: perRow };
const EDGE: Readonly<Record<string, CostRule>> = { node: passThrough };

/** The cost of each change: one that has no rule here does not compile. */
const MUTATION_COSTS = {
  // What was created may have to be read.
  createInstance: changeCost('createFormIntance', { ...SINGLE_NODE, isFresh: true }),
  replaceInstance: changeCost('updateFormIntance'),
  updateInstance: changeCost('updateValuesOfFormIntance'),
  deleteInstance: changeCost('deleteFormIntance'),
  startCase: changeCost('startCase'),
  executeActivity: changeCost('executeCurrentActivity'),
  executeRule: changeCost('execute'),
  signIn: changeCost('getToken'),
  signOut: passThrough,
} satisfies Record<keyof MutationResolvers, CostRule>;

/**
 * The cost of each field of the generic graph that costs something, or that leads to one that does. A test compares it with what
 * the resolvers do, over random operations.
 */
const COST_RULES: Readonly<Record<string, Readonly<Record<string, CostRule>>>> = {
  Query: {
    node(_place, { id }) {
      const key = findNodeKey(String(id));
      return { lookUp: key && nodeLookUp(key), below: SINGLE_NODE };
    },
    form: (_place, { formId }) => ({ lookUp: formLookUp(platformFormId(formId)), below: SINGLE_NODE }),
    forms: (place, args, costs) => {
      const { own, size } = pageCalls('getForms', place, args, costs);
      return { own, below: { objects: 1, records: size, forms: size, size } };
    },
    instance: (_place, { formId, instanceId }) => ({
      lookUp: instanceLookUp(platformFormId(formId), String(instanceId)),
      below: SINGLE_NODE,
    }),
    instances: (place, args, costs) => {
      const { own, size } = pageCalls('getFormIntances', place, args, costs);
      return { own, below: { objects: 1, records: size, forms: 1, size } };
    },
    rule: () => ({ own: { operation: 'getParameters', calls: 1 }, below: SINGLE_NODE }),
    viewer: passThrough,
  },
  Mutation: MUTATION_COSTS,
  CreateInstancePayload: { instance: passThrough },
  ...Object.fromEntries(Object.keys(instancePayloads).map((name) => [name, { instance: readBackCost }])),
  Form: {
    instances: ({ objects, forms }, args, costs) => {
      const { own, size } = pageCalls('getFormIntances', { objects, records: forms, forms }, args, costs);
      return { own, below: { objects, records: forms * size, forms, size } };
    },
    instance: ({ objects, forms }, { instanceId }) => ({
      lookUp: { list: 'of these forms', kind: 'instanceId', id: String(instanceId), times: forms },
      below: { objects, records: forms, forms },
    }),
  },
  FormConnection: CONNECTION,
  FormEdge: EDGE,
  InstanceConnection: CONNECTION,
  InstanceEdge: EDGE,
  Instance: INSTANCE_COSTS,
  GenericInstance: INSTANCE_COSTS,
};

/** Puts the rules on the fields of the generic graph. */
export function addCosts(schema: GraphQLSchema): void {
  for (const [name, rules] of Object.entries(COST_RULES)) {
    const type = schema.getType(name);
    const fields = isObjectType(type) || isInterfaceType(type) ? type.getFields() : {};
    for (const [field, cost] of Object.entries(rules)) Object.assign(fields[field]?.extensions ?? {}, { cost });
  }
}

const platformFormId = (id: unknown): string => orUndefined(() => toFormId(String(id))) ?? String(id);
