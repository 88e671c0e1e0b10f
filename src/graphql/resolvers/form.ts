import type { FormResolvers, QueryResolvers } from '../../__generated__/resolvers.ts';
import { formatNodeId, loadConnection, toFormId, toInstanceId, toListKey } from '../relay.ts';

export const formQueries: Pick<QueryResolvers, 'form' | 'forms'> = {
  form: (_root, { formId }, { loaders }) => loaders.formById.load(toFormId(formId)),

  forms: (_root, args, context) =>
    loadConnection(context.loaders.forms, undefined, toListKey(args, context.pages), context),
};

export const Form: FormResolvers = {
  id: ({ formId }) => formatNodeId(['Form', formId]),

  fields: ({ formId, fields }, _args, { loaders }) =>
    fields ?? loaders.formById.load(formId).then((form) => form?.fields),

  instances: ({ formId }, args, context) =>
    loadConnection(context.loaders.instances(formId), formId, toListKey(args, context.pages), context),

  instance: ({ formId }, { instanceId }, { loaders }) =>
    loaders.instanceById(formId).load(toInstanceId(formId, instanceId)),
};
