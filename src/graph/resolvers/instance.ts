import type { GenericInstanceResolvers, InstanceCapabilities, QueryResolvers } from '../../__generated__/resolvers.ts';
import { goOn, type MaybeLater } from '../../loaders/later.ts';
import { InputError } from '../../upstream/errors.ts';
import { readReference } from '../../upstream/reading/instance.ts';
import { linksOf, methodsOf } from '../../upstream/reading/links.ts';
import { toConnection, toListKey } from '../connection.ts';
import type { OperationContext } from '../context.ts';
import { contentOf, valueAt } from '../instance-content.ts';
import { formatNodeId } from '../node-id.ts';

export const instanceQueries: Pick<QueryResolvers, 'instance' | 'instances'> = {
  instance: (_root, key, { loaders }) => loaders.instanceByKey.get(key),

  instances(_root, { formId, ...args }, { loaders, pages }) {
    const key = { formId, ...toListKey(args, pages) };
    return goOn(loaders.instances.get(key), (window) => toConnection(key, window));
  },
};

export const GenericInstance: GenericInstanceResolvers = {
  id: ({ formId, instanceId }) => formatNodeId(['Instance', formId, instanceId]),

  form: ({ formId }, _args, { loaders }) => loaders.formById.get(formId),

  values: (instance, _args, context) => goOn(contentOf(instance, context), ({ values }) => values),

  value: (instance, { field }, context) => goOn(contentOf(instance, context), ({ values }) => valueAt(values, field)),

  reference: (instance, { field }, context) =>
    goOn(contentOf(instance, context), ({ values }) => {
      const value = valueAt(values, field);
      if (value === null) return undefined;
      return goOn(referredForm(instance.formId, field, context), (formId) => {
        const instanceId = readReference(value, context.upstream.dialect);
        return instanceId === undefined ? undefined : context.loaders.instanceByKey.get({ formId, instanceId });
      });
    }),

  links: (instance, _args, context) =>
    goOn(contentOf(instance, context), ({ offer }) => linksOf(offer, context.upstream.dialect)),

  can: (instance, _args, context) =>
    goOn(contentOf(instance, context), ({ offer }) => toCapabilities(methodsOf(offer, context.upstream.dialect))),
};

function referredForm(formId: string, field: string, { loaders }: OperationContext): MaybeLater<string> {
  return goOn(loaders.formById.get(formId), (form) => {
    const reference = form?.fields?.find(({ name }) => name === field)?.reference;
    if (reference !== undefined) return reference;
    throw new InputError('The form has no field of this name that refers to a form.');
  });
}

function toCapabilities(methods: readonly string[] | undefined): InstanceCapabilities | undefined {
  if (methods === undefined) return undefined;
  return {
    replace: methods.includes('PUT'),
    update: methods.includes('PATCH'),
    delete: methods.includes('DELETE'),
  };
}
