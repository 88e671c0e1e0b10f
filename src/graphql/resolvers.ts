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
import { InputError } from '../core/errors.ts';
import { type JsonObject, valueAt } from '../core/json.ts';
import { decodeReference, linksOf, methodsOf } from '../upstream/decoders.ts';
import type { InstanceContent, InstanceKey } from '../upstream/records.ts';
import { type OperationContext, withContent } from './context.ts';
import {
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

const formQueries: Pick<QueryResolvers, 'form' | 'forms'> = {
  form: (_root, { formId }, { loaders }) => loaders.formById.load(toFormId(formId)),

  forms: (_root, args, context) =>
    loadConnection(context.loaders.forms, undefined, toListKey(args, context.pages), context),
};

const Form: FormResolvers = {
  id: ({ formId }) => formatNodeId(['Form', formId]),

  fields: ({ formId, fields }, _args, { loaders }) =>
    fields ?? loaders.formById.load(formId).then((form) => form?.fields),

  instances: ({ formId }, args, context) =>
    loadConnection(context.loaders.instances(formId), formId, toListKey(args, context.pages), context),

  instance: ({ formId }, { instanceId }, { loaders }) =>
    loaders.instanceById(formId).load(toInstanceId(formId, instanceId)),
};

const nodeQueries: Pick<QueryResolvers, 'node'> = {
  async node(_root, { id }, { loaders }): Promise<NodeRecord | undefined> {
    const [type, formId, instanceId = ''] = parseNodeId(id);
    return type === 'Form' ? loaders.formById.load(formId) : loaders.instanceById(formId).load(instanceId);
  },
};

/** The types behind the interfaces of the generic graph. */
const abstractTypes: Pick<Resolvers, 'Node' | 'Instance'> = {
  Node: { __resolveType: (record) => ('instanceId' in record ? 'GenericInstance' : 'Form') },
  Instance: { __resolveType: () => 'GenericInstance' },
};

const instanceQueries: Pick<QueryResolvers, 'instance' | 'instances'> = {
  instance(_root, args, { loaders }) {
    const { formId, instanceId } = toInstanceKey(args);
    return loaders.instanceById(formId).load(instanceId);
  },

  instances(_root, { formId: id, ...args }, context) {
    const formId = toFormId(id);
    return loadConnection(context.loaders.instances(formId), formId, toListKey(args, context.pages), context);
  },
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

type InstanceMutations = Pick<
  MutationResolvers,
  'createInstance' | 'deleteInstance' | 'replaceInstance' | 'updateInstance'
>;

const instanceMutations = {
  async createInstance(_root, { input: given }, { write }) {
    const input = { ...given, formId: toFormId(given.formId) };
    const instance = await write('createFormIntance', input, ({ instances }, options) =>
      instances.create(input.formId, input.values, options),
    );
    return { instance };
  },

  async replaceInstance(_root, { input: given }, { write }) {
    const input = toInstanceKey(given);
    const key = keyOf(input);
    await write('updateFormIntance', input, ({ instances }, options) => instances.replace(key, input.values, options));
    return { key };
  },

  async updateInstance(_root, { input: given }, { write }) {
    const input = toInstanceKey(given);
    const key = keyOf(input);
    await write('updateValuesOfFormIntance', input, ({ instances }, options) =>
      instances.update(key, input.values, options),
    );
    return { key };
  },

  async deleteInstance(_root, { input: given }, { write }) {
    const input = toInstanceKey(given);
    const key = keyOf(input);
    await write('deleteFormIntance', input, ({ instances }, options) => instances.delete(key, options));
    return { deletedId: formatNodeId(['Instance', key.formId, key.instanceId]) };
  },
} satisfies InstanceMutations;

const keyOf = ({ formId, instanceId }: InstanceKey): InstanceKey => ({ formId, instanceId });

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
export const instancePayloads: InstancePayloads = { ReplaceInstancePayload: readBack, UpdateInstancePayload: readBack };

const caseMutations: Pick<MutationResolvers, 'executeActivity' | 'startCase'> = {
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
};

const withoutNulls = <T>({ values, attributes }: { values?: T | null; attributes?: T | null }) => ({
  values: values ?? undefined,
  attributes: attributes ?? undefined,
});

const ruleQueries: Pick<QueryResolvers, 'rule'> = {
  rule: (_root, key, { loaders }) => loaders.ruleByKey.load(key),
};

const ruleMutations: Pick<MutationResolvers, 'executeRule'> = {
  async executeRule(_root, { input }, { write }) {
    const { component, version, parameters } = input;
    const given = parameters.map(({ name, type, value }) => ({ name, type: type ?? undefined, value: value ?? null }));
    return {
      outputs: await write('execute', input, ({ rules }, options) =>
        rules.execute({ component, version }, given, options),
      ),
    };
  },
};

const sessionQueries: Pick<QueryResolvers, 'viewer'> = {
  viewer(_root, _args, { session, work }) {
    work.markPersonal();
    return session.viewer;
  },
};

const sessionMutations: Pick<MutationResolvers, 'signIn' | 'signOut'> = {
  signIn: (_root, { input }, { session }) => session.signIn(input),

  async signOut(_root, _args, { session }) {
    await session.signOut();
    return { viewer: undefined };
  },
};

/** Every resolver of the generic graph that is not the default one. */
export const resolvers = {
  ...scalars,
  Query: { ...nodeQueries, ...formQueries, ...instanceQueries, ...ruleQueries, ...sessionQueries },
  Mutation: { ...instanceMutations, ...caseMutations, ...ruleMutations, ...sessionMutations },
  Form,
  GenericInstance,
  ...abstractTypes,
  ...instancePayloads,
} satisfies Resolvers;
