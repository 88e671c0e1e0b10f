import type { FormResolvers, QueryResolvers } from '../../__generated__/resolvers.ts';
import { goOn } from '../../loaders/later.ts';
import { toConnection, toListKey } from '../connection.ts';
import { formatNodeId } from '../node-id.ts';

export const formQueries: Pick<QueryResolvers, 'form' | 'forms'> = {
  form: (_root, { formId }, { loaders }) => loaders.formById.get(formId),

  forms(_root, args, { loaders, pages }) {
    const key = toListKey(args, pages);
    return goOn(loaders.forms.get(key), (window) => toConnection(key, window));
  },
};

export const Form: FormResolvers = {
  id: ({ formId }) => formatNodeId(['Form', formId]),

  fields: ({ formId, fields }, _args, { loaders }) =>
    fields ?? goOn(loaders.formById.get(formId), (form) => form?.fields),

  instances({ formId }, args, { loaders, pages }) {
    const key = { formId, ...toListKey(args, pages) };
    return goOn(loaders.instances.get(key), (window) => toConnection(key, window));
  },

  instance: ({ formId }, { instanceId }, { loaders }) => loaders.instanceByKey.get({ formId, instanceId }),
};
