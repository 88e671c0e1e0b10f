import type { FormResolvers, QueryResolvers } from '../../__generated__/resolvers.ts';
import { Connection, formatNodeId, toFormId, toInstanceId, toListKey } from '../relay.ts';

export const formQueries: Pick<QueryResolvers, 'form' | 'forms'> = {
  form: (_root, { formId }, { loaders }) => loaders.formById.load(toFormId(formId)),

  async forms(_root, args, { loaders, pages }) {
    const key = toListKey(args, pages);
    return new Connection(key, await loaders.forms.load(key));
  },
};

export const Form: FormResolvers = {
  id: ({ formId }) => formatNodeId(['Form', formId]),

  fields: ({ formId, fields }, _args, { loaders }) =>
    fields ?? loaders.formById.load(formId).then((form) => form?.fields),

  async instances({ formId }, args, { loaders, pages }) {
    const key = toListKey(args, pages);
    return new Connection(key, await loaders.instances(formId).load(key));
  },

  instance: ({ formId }, { instanceId }, { loaders }) =>
    loaders.instanceById(formId).load(toInstanceId(formId, instanceId)),
};
