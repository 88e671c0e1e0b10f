import type { GenericInstanceResolvers, InstanceCapabilities, QueryResolvers } from '../../__generated__/resolvers.ts';
import { decodeReference } from '../../upstream/decoders.ts';
import { InputError, UpstreamError } from '../../upstream/errors.ts';
import type { Json, JsonObject } from '../../upstream/json.ts';
import { linksOf, methodsOf } from '../../upstream/links.ts';
import type { InstanceContent, InstanceRecord } from '../../upstream/records.ts';
import { toConnection, toListKey } from '../connections.ts';
import type { OperationContext } from '../context.ts';
import { formatNodeId, toFormId, toInstanceKey } from '../node-ids.ts';

export const instanceQueries: Pick<QueryResolvers, 'instance' | 'instances'> = {
  instance(_root, args, { loaders }) {
    const { formId, instanceId } = toInstanceKey(args);
    return loaders.instanceById(formId).load(instanceId);
  },

  async instances(_root, { formId, ...args }, { loaders, pages }) {
    const key = toListKey(args, pages);
    return toConnection(key, await loaders.instances(toFormId(formId)).load(key));
  },
};

export const GenericInstance: GenericInstanceResolvers = {
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
  throw new InputError('The form has no field of this name that refers to a form.');
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

/** Gives what `read` makes of the content of an instance; one that was just created may have to be loaded first. */
export function withContent<T>(
  { formId, instanceId, content }: InstanceRecord,
  context: OperationContext,
  read: (content: InstanceContent, context: OperationContext) => T | Promise<T>,
): T | Promise<T> {
  // What is there already, as in every list, is read without a promise.
  if (content) return read(content, context);
  return context.loaders
    .instanceById(formId)
    .load(instanceId)
    .then((loaded) => read(dueContent(loaded?.content), context));
}

function dueContent(content: InstanceContent | undefined): InstanceContent {
  if (content === undefined) throw new UpstreamError('not-found', { operation: 'getFormIntance', status: 404 });
  return content;
}

/** Gives one value by its field's name; `undefined` where there is none. */
export const valueAt = (values: JsonObject, field: string): Json | undefined =>
  Object.hasOwn(values, field) ? values[field] : undefined;
