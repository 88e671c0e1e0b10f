import type { GenericInstanceResolvers, InstanceCapabilities, QueryResolvers } from '../../__generated__/resolvers.ts';
import { InputError, UpstreamError } from '../../upstream/errors.ts';
import { readReference } from '../../upstream/reading/instance.ts';
import type { InstanceContent, InstanceRecord } from '../../upstream/records.ts';
import { toConnection, toListKey } from '../connection.ts';
import type { OperationContext } from '../context.ts';
import { formatNodeId } from '../node-id.ts';

export const instanceQueries: Pick<QueryResolvers, 'instance' | 'instances'> = {
  instance: (_root, key, { loaders }) => loaders.instanceByKey.load(key),

  async instances(_root, { formId, ...args }, { loaders, pages }) {
    const key = { formId, ...toListKey(args, pages) };
    return toConnection(key, await loaders.instances.load(key));
  },
};

export const GenericInstance: GenericInstanceResolvers = {
  id: ({ formId, instanceId }) => formatNodeId(['Instance', formId, instanceId]),

  form: ({ formId }, _args, { loaders }) => loaders.formById.load(formId),

  values: async (instance, _args, context) => (await contentOf(instance, context)).values,

  async value(instance, { field }, context) {
    const { values } = await contentOf(instance, context);
    return Object.hasOwn(values, field) ? values[field] : undefined;
  },

  async reference(instance, { field }, context) {
    const { values } = await contentOf(instance, context);
    if (Object.hasOwn(values, field) && values[field] === null) return undefined;
    const formId = await referredForm(instance.formId, field, context);
    const instanceId = readReference(values[field], context.upstream.dialect);
    return instanceId === undefined ? undefined : context.loaders.instanceByKey.load({ formId, instanceId });
  },

  links: async (instance, _args, context) => (await contentOf(instance, context)).links,

  can: async (instance, _args, context) => toCapabilities((await contentOf(instance, context)).methods),
};

/** Gives what the instance holds; one that was just created may have to be read first. */
async function contentOf({ content, ...key }: InstanceRecord, { loaders }: OperationContext): Promise<InstanceContent> {
  const known = content ?? (await loaders.instanceByKey.load(key))?.content;
  if (known === undefined) throw new UpstreamError('not-found', { operation: 'getFormIntance', status: 404 });
  return known;
}

async function referredForm(formId: string, field: string, { loaders }: OperationContext): Promise<string> {
  const form = await loaders.formById.load(formId);
  const reference = form?.fields?.find(({ name }) => name === field)?.reference;
  if (reference !== undefined) return reference;
  throw new InputError('The form has no field of this name that refers to a form.');
}

function toCapabilities(methods: readonly string[] | undefined): InstanceCapabilities | undefined {
  if (methods === undefined) return undefined;
  return {
    replace: methods.includes('PUT'),
    update: methods.includes('PATCH'),
    delete: methods.includes('DELETE'),
  };
}
